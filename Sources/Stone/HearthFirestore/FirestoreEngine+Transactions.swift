import HashTreeCollections
import HearthEngine
import HearthModel

/// What a session waits for from the backend, outside the streams.
enum PendingCall: Hashable, Sendable {
    case read
    /// Documents; from the cache if the backend cannot be reached and that will do.
    case documents([DocumentKey], ReadSource)
    case commit
    /// Numbers; from the cache if the backend cannot be reached and that will do.
    case aggregate(AggregateRequest)
    /// Documents, and nobody waits for them any more: the answer tells that the backend is there.
    case late
    /// Something about markers, for the engine itself.
    case markers(MarkerCall)

    /// Whether the cache answers if the backend does not.
    var letsCacheAnswer: Bool {
        switch self {
        case .documents(_, let source): source == .default
        case .aggregate(let request): request.source == .default
        case .read, .commit, .late, .markers: false
        }
    }
}

/// Transactions: reads straight from the backend, and one commit that holds only if what was read
/// has not changed since. The library counts versions and tries again; nothing of a transaction is
/// kept here or there between its steps, so a program or a daemon that dies leaves nothing behind.
/// What was committed comes to listeners by the watch stream, like anybody's write.
///
/// - Source: firebase-js-sdk `core/transaction`, `core/transaction_runner`.
extension FirestoreEngine {
    /// A session reads documents for a transaction.
    mutating func readForTransaction(
        _ id: RequestID, _ keys: [DocumentKey], _ turn: inout Turn
    ) throws(StoreError) {
        try noteReading(by: id.session, &turn)
        if let error = markersRefusal(of: keys) ?? unreachable("A transaction", for: id.session) {
            turn.effects.actions.append(.refuse(id, error))
            return
        }
        begin(.read(keys), .read, for: id, &turn.effects)
    }

    /// A session commits a transaction.
    mutating func commitTransaction(
        _ id: RequestID, _ mutations: [Mutation], _ turn: inout Turn
    ) throws(StoreError) {
        try noteUse(by: id.session, &turn)
        if let error = markersRefusal(of: mutations) ?? unreachable("A transaction") {
            // Nothing was sent, so nothing can have been applied.
            turn.effects.actions.append(
                .result(id, .commitFailed(error, mayHaveBeenApplied: false)))
            return
        }
        begin(.commit(mutations), .commit, for: id, &turn.effects)
    }

    /// A session sent writes past the queue, and the backend has committed them.
    mutating func learnCommit(
        _ id: RequestID, _ mutations: [Mutation], _ answer: WriteAnswer, _ turn: inout Turn
    ) throws(StoreError) {
        let store = turn.store
        let changed = try local.learn(mutations, answer, store)
        try updateViews(with: changed, after: .acknowledged(Set(changed.map(\.key))), &turn)
        settleOverdue(&turn.effects)
        turn.effects.actions.append(.complete(id))
    }

    /// Asks the backend on behalf of the user, and remembers who waits for the answer.
    mutating func begin(
        _ call: BackendCall, _ pending: PendingCall, for id: RequestID, _ effects: inout Effects
    ) {
        calls[id] = pending
        effects.actions.append(.upstream(.call(id, call, as: local.user)))
        if pending.letsCacheAnswer { callsForWord(id, &effects) }
    }

    /// The backend has answered. Unknown ids are of sessions that are gone.
    mutating func called(
        _ id: RequestID, _ answer: BackendAnswer, _ turn: inout Turn
    ) throws(StoreError) {
        guard let pending = calls.removeValue(forKey: id) else { return }
        bill(answer, to: pending, id, turn.now)
        try noteAnswer(answer, to: id, &turn)
        switch (pending, answer) {
        case (.markers(let call), _): try markersAnswered(call, answer, &turn)
        case (.documents, .read(let documents)): try documentsRead(id, documents, &turn)
        case (.late, .read(let documents)): try learn(documents, &turn)
        case (.late, _): lateCallFailed(&turn.effects)
        case (.documents(let keys, .default), .failed(let error))
        where error.code.letsCacheAnswer:
            try readFromCache(id, keys, &turn)
        case (.aggregate(let request), .failed(let error))
        where request.source == .default && error.code.letsCacheAnswer:
            try aggregateFromCache(id, request, &turn)
        case (.read, _), (.documents, _), (.commit, _), (.aggregate, _):
            pass(answer, to: id, pending, &turn.effects)
        }
    }

    /// Tells a session what the backend has answered, as it is.
    func pass(
        _ answer: BackendAnswer, to id: RequestID, _ pending: PendingCall,
        _ effects: inout Effects
    ) {
        switch (pending, answer) {
        case (.read, .read(let documents)):
            effects.actions.append(.result(id, .documents(documents)))
        case (.commit, .committed(let version, let results)):
            effects.actions.append(
                .result(id, .committed(at: version, updatedAt: results.map(\.version))))
        case (.aggregate, .aggregated(let values)):
            let result = AggregateResult(
                values: values, isFromCache: false, hasPendingWrites: false)
            effects.actions.append(.result(id, .aggregated(result)))
        case (.commit, .failed(let error)):
            let isInDoubt = error.code.leavesCommitInDoubt
            effects.actions.append(
                .result(id, .commitFailed(error, mayHaveBeenApplied: isInDoubt)))
        case (.read, .failed(let error)), (.documents, .failed(let error)),
            (.aggregate, .failed(let error)):
            effects.actions.append(.refuse(id, error))
        case (.markers, _), (.read, _), (.documents, _), (.commit, _), (.aggregate, _), (.late, _):
            preconditionFailure("The answer to another question: \(answer)")
        }
    }

    /// Nobody waits for an answer any more: the backend need not give it either.
    mutating func abandon(_ id: RequestID, _ effects: inout Effects) {
        for source in ReadSource.allCases { unlisten(.read(id, source), &effects) }
        leaveSurveys(&effects) { $0.request == id }
        openedReads.removeAll { $0.id == id }
        abandonCall(id, &effects)
    }

    /// Drops a call of a session. A commit that was begun goes on, and its answer is told to nobody.
    mutating func abandonCall(_ id: RequestID, _ effects: inout Effects) {
        silence.ended(id)
        switch calls.removeValue(forKey: id) {
        case .read, .documents, .aggregate: effects.actions.append(.upstream(.abandon(id)))
        case .commit, nil: break
        case .late: calls[id] = .late  // Nobody waits for it already.
        case .markers(let call): calls[id] = .markers(call)  // The engine's own.
        }
    }

    /// Whoever waits for an answer is told that none comes. One that comes all the same is dropped.
    mutating func abandonCalls(because error: HearthError, _ effects: inout Effects) {
        for (id, pending) in calls {
            switch pending {
            case .markers, .late: break
            case .read, .documents, .aggregate: effects.actions.append(.refuse(id, error))
            case .commit:
                effects.actions.append(.result(id, .commitFailed(error, mayHaveBeenApplied: true)))
            }
        }
        calls = [:]
        silence.forgetCalls()
        markers.forgetCalls()
    }

    /// Why the backend cannot be asked now, or `nil`.
    ///
    /// - Parameters:
    ///   - what: What needs it, at the head of a sentence.
    ///   - reader: The session that wants to read, which may keep itself from the backend.
    func unreachable(_ what: String, for reader: UInt64? = nil) -> HearthError? {
        if let reader, let refusal = budgetRefusal(of: reader) { return refusal }
        let isWithheld = reader.map(withheld.contains) ?? false
        if canUseNetwork, online.state != .offline, !isWithheld { return nil }
        let reason =
            isWithheld
            ? "and this program has switched its network off"
            : canUseNetwork ? "which cannot be reached now" : "and the network is switched off"
        return HearthError(
            code: .unavailable,
            message: "\(what) needs the backend, \(reason). Writes without a transaction, and "
                + "reads from the cache, work offline.")
    }
}
