import HearthModel
import HearthRules

/// Applies rules to one request of one caller.
struct AccessGuard {
    let rules: RuleSet
    let database: DatabaseID
    let auth: RuleRequest.Auth?
    let time: Timestamp
    /// What notes the values of the rules' expressions; `nil` if nobody wants to know them.
    var recorder: RuleRecorder?

    /// Refuses to read documents that the caller may not get.
    mutating func check(_ keys: [DocumentKey], in documents: AccessDocuments) throws(HearthError) {
        var accesses = RuleAccesses(recorder: recorder)
        defer { recorder = accesses.recorder }
        for key in keys {
            let request = RuleRequest(
                .get, documents.document(key), in: database, by: auth, at: time)
            try check([request], documents, &accesses)
        }
    }

    /// Refuses a query that could find documents that the caller may not list.
    ///
    /// The guard does not run the query: each conjunction of the query's filter must prove the
    /// rules' condition for every document that the conjunction could find.
    mutating func check(_ plan: QueryPlan, in documents: AccessDocuments) throws(HearthError) {
        var accesses = RuleAccesses(recorder: recorder)
        defer { recorder = accesses.recorder }
        let requests = plan.ruleQueries.map {
            RuleRequest($0, in: database, by: auth, at: time)
        }
        try check(requests, documents, &accesses)
    }

    /// Refuses a commit that holds a write that the caller may not make.
    ///
    /// The rules judge each document once, with the document before the commit and the document
    /// after the commit.
    mutating func check(_ writes: [Mutation], in documents: AccessDocuments) throws(HearthError) {
        var order: [DocumentKey] = []
        var byKey: [DocumentKey: [Mutation]] = [:]
        for write in writes {
            if byKey[write.key] == nil { order.append(write.key) }
            byKey[write.key, default: []].append(write)
        }
        var accesses = RuleAccesses(recorder: recorder)
        defer { recorder = accesses.recorder }
        for key in order {
            let before = documents.document(key)
            let method = Self.method(of: byKey[key] ?? [], before)
            var request = RuleRequest(method, before, in: database, by: auth, at: time)
            if method != .delete { request.newDocument = documents.documentAfter(key) }
            try check([request], documents, &accesses)
        }
    }

    /// What the writes of one document come to. A precondition tells what the caller means, else
    /// whether the document exists.
    private static func method(of writes: [Mutation], _ before: Document) -> RuleMethod {
        let changes = writes.filter { $0.kind != .verify }
        guard let first = changes.first, let last = changes.last else { return .get }
        if last.kind == .delete { return .delete }
        switch first.precondition {
        case .exists(false): return .create
        case .exists(true), .updateTime: return .update
        case .none: return before.isFound ? .update : .create
        }
    }

    private func check(
        _ requests: [RuleRequest], _ documents: AccessDocuments, _ accesses: inout RuleAccesses
    ) throws(HearthError) {
        var reasons: [String] = []
        var isDenied = false
        for request in requests {
            guard case .denied(let found) = rules.decide(request, reading: documents, &accesses)
            else { continue }
            isDenied = true
            for reason in found where !reasons.contains(where: { utf8Equals($0, reason) }) {
                reasons.append(reason)
            }
        }
        guard isDenied else { return }
        if reasons.isEmpty { reasons = ["No matching allow statements"] }
        throw HearthError(
            code: .permissionDenied,
            message: "Missing or insufficient permissions.\n"
                + reasons.prefix(RulesLimits.reasonCountMax).joined(separator: ", "))
    }
}

/// The documents that rules look up: as they are at a moment, and as a commit will leave them.
struct AccessDocuments: RuleDocuments {
    let documents: DocumentTable
    let moment: SnapshotVersion
    /// The commit, if there is one.
    var application: WriteApplication?

    func document(_ key: DocumentKey) -> Document { documents.document(key, at: moment) }

    func documentAfter(_ key: DocumentKey) -> Document {
        application?.document(key) ?? document(key)
    }
}
