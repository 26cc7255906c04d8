import HashTreeCollections
import HearthEngine
import HearthModel

/// Changes of a place by what is there, computed by programs.
extension RealtimeEngine {
    /// How many puts of transactions may wait for their answers.
    private static let transactionPutCountMax = 256

    /// Whether a transaction waits for the backend.
    var transactionsNeedBackend: Bool { !transactions.isEmpty }

    /// A session wants to change a place by what is there.
    mutating func runTransaction(
        _ id: RequestID, _ path: RealtimePath, showsEstimate: Bool, _ writer: Writer,
        _ turn: inout Turn
    ) throws(StoreError) {
        guard transactions.path(of: id) == nil else { return }  // A resent request.
        try turn.store.enter(.listen)
        if let error = refusal(of: id.session, at: path) {
            turn.effects.actions.append(.transaction(id, .failed(error, .empty)))
            return
        }
        if transactions.begin(id, at: path, showsEstimate: showsEstimate) {
            try watch(path, &turn)
        }
        withTransactions(&turn.effects) { queue, ground in queue.advance(on: &ground) }
    }

    private func refusal(of session: UInt64, at path: RealtimePath) -> HearthError? {
        if hasPendingUserChange { return .userIsChanging }
        let countMax = TransactionQueue.sessionCountMax
        guard transactions.count(of: session) < countMax else {
            return HearthError(
                code: .resourceExhausted,
                message: "The transaction is refused: a program may have \(countMax) at a time. "
                    + "Run another when some are done.")
        }
        return refusal(of: .set(WritePath(path), UnresolvedNode(.empty)))
    }

    /// Why nobody may make a change; `nil` if nothing speaks against it.
    func refusal(of change: RealtimeChange) -> HearthError? {
        if let fault = change.fault { return HearthError(code: .invalidArgument, message: fault) }
        return configuration.fence.flatMap { Fence.refusal(of: change, at: $0) }
    }

    /// A session answers a `.run`.
    mutating func propose(
        _ id: RequestID, _ node: UnresolvedNode?, round: Int, _ turn: inout Turn
    ) throws(StoreError) {
        guard let path = transactions.path(of: id) else { return }  // A race: it is over.
        try turn.store.enter(.writeLocally)
        if let node, let error = refusal(of: .set(WritePath(path), node)) {
            return failTransaction(id, error, &turn.effects)
        }
        withTransactions(&turn.effects) { queue, ground in
            queue.propose(id, node, round: round, on: &ground)
        }
    }

    // MARK: The place's data

    /// Keeps the data of a transaction's place in step.
    private mutating func watch(_ path: RealtimePath, _ turn: inout Turn) throws(StoreError) {
        let target = ListenTarget(path, .all)
        let name = listeners.add(nil, target, .silent)
        transactionListeners[path] = name
        _ = try join(target, name, isWatching: true, &turn)
    }

    private mutating func unwatch(_ path: RealtimePath, _ effects: inout Effects) {
        guard let name = transactionListeners.removeValue(forKey: path) else { return }
        leave(name, &effects)
    }

    /// An ordinary change was laid over the tree: transactions at, above and below its places end.
    mutating func transactionsOverridden(by change: RealtimeChange, _ effects: inout Effects) {
        guard !transactions.isEmpty else { return }
        withTransactions(&effects) { queue, ground in
            queue.overridden(at: change.parts.map(\.place.path), on: &ground)
        }
    }

    /// Views have changed: transactions on what they show may have to run again.
    mutating func transactionsTouched(
        by updates: [SyncTree.Update], _ effects: inout Effects
    ) {
        guard !transactions.isEmpty else { return }
        let paths = Set(updates.map(\.path)).filter { transactionListeners[$0] != nil }
        guard !paths.isEmpty else { return }
        withTransactions(&effects) { queue, ground in queue.moved(at: paths, on: &ground) }
    }

    /// The backend ended the listens of these listeners, perhaps also listens of transactions.
    mutating func transactionsEnded(
        _ listeners: [ListenerName], because error: HearthError, _ effects: inout Effects
    ) {
        guard !transactionListeners.isEmpty else { return }
        let ended = Set(listeners)
        let paths = transactionListeners.filter { ended.contains($0.value) }.map(\.key).sorted()
        for path in paths {
            transactionListeners[path] = nil
            withTransactions(&effects) { queue, ground in
                queue.fail(at: path, error, on: &ground)
            }
        }
    }

    // MARK: The backend

    /// The connection has opened; listens and writes are on their way.
    mutating func transactionsLinkOpened(_ effects: inout Effects) {
        sendTransactions(&effects)
    }

    /// Sends the standing results, except results upon writes that are still to be sent.
    mutating func sendTransactions(_ effects: inout Effects) {
        let room = Self.transactionPutCountMax - transactions.puts.count
        guard !transactions.candidates.isEmpty, canUseNetwork, connection.openNumber != nil,
            !hashes.isAwaited, room > 0
        else { return }
        let lastSent = WriteID(pipeline.lastID.rawValue)
        let (writes, results) = (tree.writes, transactions.writes)
        var puts: [TransactionPut] = []
        withTransactions(&effects) { queue, ground in
            let taken = queue.takePuts(countMax: room, on: &ground) { path in
                writes.ids(touching: path).contains { $0 > lastSent && !results.contains($0) }
            }
            puts = taken.puts
            return taken.actions
        }
        for put in puts { send(put.action, expecting: .transaction(put.number), &effects) }
    }

    /// The backend answered a put of transactions.
    mutating func transactionAnswered(
        _ number: TransactionPut.Number, _ answer: RealtimeAnswer, _ turn: inout Turn
    ) throws(StoreError) {
        try turn.store.enter(.settle)
        let path = transactions.puts[number]?.path ?? .root
        let error = answer.status.error(at: path, answer.body.text ?? "")
        withTransactions(&turn.effects) { queue, ground in
            queue.answered(number, answer.status, error, on: &ground)
        }
    }

    /// The connection is gone.
    mutating func transactionsLinkClosed(_ effects: inout Effects) {
        withTransactions(&effects) { queue, ground in queue.linkClosed(on: &ground) }
    }

    // MARK: Ends

    /// A session is gone.
    mutating func endTransactions(
        ofSession session: UInt64, _ effects: inout Effects
    ) {
        withTransactions(&effects) { queue, ground in queue.sessionEnded(session, on: &ground) }
    }

    /// A session takes its transactions back.
    mutating func takeBackTransactions(
        ofSession session: UInt64, because error: HearthError, _ effects: inout Effects
    ) {
        withTransactions(&effects) { queue, ground in
            queue.takenBack(ofSession: session, because: error, on: &ground)
        }
    }

    /// One transaction fails.
    mutating func failTransaction(
        _ id: RequestID, _ error: HearthError, _ effects: inout Effects
    ) {
        withTransactions(&effects) { queue, ground in queue.fail(id, error, on: &ground) }
    }

    /// One transaction is allowed no more.
    mutating func denyTransaction(
        _ id: RequestID, _ error: HearthError, _ effects: inout Effects
    ) {
        withTransactions(&effects) { queue, ground in
            queue.deny(id, because: error, on: &ground)
        }
    }

    /// All transactions fail.
    mutating func endTransactions(
        because error: HearthError, _ effects: inout Effects
    ) {
        withTransactions(&effects) { queue, ground in queue.failAll(error, on: &ground) }
    }

    /// Lets the queue decide upon the tree; tells first what is seen, then how transactions go on.
    private mutating func withTransactions(
        _ effects: inout Effects,
        _ body: (inout TransactionQueue, inout TransactionGround) -> [TransactionQueue.Action]
    ) {
        var ground = TransactionGround(
            tree, lastWrite: WriteID(globals.lastWriteID.rawValue),
            serverTime: serverTime(at: effects.now))
        let actions = body(&transactions, &ground)
        tree = ground.tree
        // Not stored: only writes of the queue outlive this process.
        globals.lastWriteID = BatchID(ground.lastWrite.rawValue)
        tell(ground.updates, &effects)
        for action in actions {
            switch action {
            case .tell(let id, let step): effects.actions.append(.transaction(id, step))
            case .unwatch(let path): unwatch(path, &effects)
            }
        }
    }
}
