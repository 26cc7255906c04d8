import HearthModel
import HearthRules

/// Asking the rules of one namespace, and noting their outcomes.
extension NamespaceState {
    /// Whether what a query finds at a place may be read.
    mutating func mayRead(
        _ path: RealtimePath, _ query: QueryParameters, _ asker: Asker
    ) -> Bool {
        guard asker.caller != .admin else { return true }
        var request = request(of: asker, RealtimeRuleQuery(query))
        let decision = rules.decideRead(at: path, of: root, &request)
        note(request)
        return decision.isAllowed
    }

    /// Whether a write may be made, all of it.
    mutating func mayMake(_ change: TreeChange, _ asker: Asker) -> Bool {
        guard asker.caller != .admin, !change.places.isEmpty else { return true }
        var request = request(of: asker, RealtimeRuleQuery())
        let decision = rules.decideWrite(
            at: change.places.map(\.path), from: change.before, to: change.after, &request)
        note(request)
        return decision.isAllowed
    }

    private func request(of asker: Asker, _ query: RealtimeRuleQuery) -> RealtimeRuleRequest {
        RealtimeRuleRequest(
            auth: asker.caller.auth, now: asker.now, query: query,
            recorder: coverage == nil && verdicts == nil ? nil : RuleRecorder())
    }

    private mutating func note(_ request: RealtimeRuleRequest) {
        guard let recorder = request.recorder else { return }
        coverage?.add(recorder, of: rules)
        let room = Backend.verdictCountMax - (verdicts?.count ?? 0)
        verdicts?.append(contentsOf: recorder.verdicts.prefix(max(0, room)))
    }
}

extension RealtimeRuleQuery {
    /// A query as rules see it. Without any, they see the order of keys.
    init(_ query: QueryParameters) {
        self.init(
            order: query.isDefault ? .key : Order(query.index),
            startAt: query.start?.value, endAt: query.end?.value,
            limitToFirst: query.limit.flatMap { $0.side == .first ? $0.count : nil },
            limitToLast: query.limit.flatMap { $0.side == .last ? $0.count : nil })
        if let start = query.start, start == query.end, start.isInclusive {
            equalTo = start.value
        }
    }
}

extension RealtimeRuleQuery.Order {
    fileprivate init(_ index: QueryIndex) {
        switch index {
        case .key: self = .key
        case .value: self = .value
        case .priority: self = .priority
        case .child(let path): self = .child(path.bareText)
        }
    }
}
