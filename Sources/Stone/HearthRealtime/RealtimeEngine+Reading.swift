import HashTreeCollections
import HearthEngine
import HearthModel

extension RealtimeEngine {
    /// A session asks once.
    ///
    /// A view that is kept in step, or a pending write of all of the place, answers at once. Otherwise the backend is
    /// asked. If there is no connection for a while, or no answer, the cache answers, if it has ever known all.
    mutating func get(
        _ id: RequestID, _ target: ListenTarget, _ source: RealtimeSource, _ turn: inout Turn
    ) throws(StoreError) {
        if target.path.isInfo {
            let node = infoNode(at: target.path)
            turn.effects.actions.append(.answer(id, target.shown(of: node), isFromCache: false))
            return
        }
        // The view that is to come answers, and spares the backend the question.
        try readRest(covering: target.path, &turn)
        let isWithheld = withheld.contains(id.session)
        let asksBackend = canUseNetwork && !isWithheld && source != .cache
        if source != .server, !asksBackend || tree.isWatched(target),
            let node = knownResult(of: target)
        {
            turn.effects.actions.append(
                .answer(id, node, isFromCache: !listens.isConfirmed(target)))
            return
        }
        guard asksBackend else {
            return try answerFromCache(id, target, source, .offline(isWithheld), &turn)
        }
        reads.add(id, target, source, at: turn.now)
        if connection.openNumber == nil { backendIsWanted(&turn.effects) }
        sendReads(&turn.effects)
        scheduleReadGrace(&turn.effects)
    }

    /// Asks the open connection for the reads that wait for it.
    mutating func sendReads(_ effects: inout Effects) {
        guard connection.openNumber != nil else { return }
        for (id, row) in reads.unsent {
            let action = RealtimeAction.get(row.target.path, row.target.query)
            guard let number = send(action, expecting: .get(id), &effects) else { return }
            reads.sent(id, as: number, at: effects.now)
        }
        scheduleReadGrace(&effects)
    }

    /// The backend answered a read. For whatever reason the answer is no value, the cache is asked.
    ///
    /// - Source: FirebaseDatabase for Apple's platforms, `FRepo getData:`.
    mutating func readAnswered(
        _ id: RequestID, _ answer: RealtimeAnswer, _ turn: inout Turn
    ) throws(StoreError) {
        guard let row = reads.remove(id) else { return try lateAnswerCame(id, answer, &turn) }
        guard answer.status == .ok else {
            let error = answer.status.error(at: row.target.path, answer.body.text ?? "")
            return try answerFromCache(id, row.target, row.source, error, &turn)
        }
        let node: Node
        do throws(NodeError) {
            node = try answer.body.readNode()
        } catch {
            let error = HearthError(
                code: .internalError, message: "The service answered with no node. \(error)")
            return try answerFromCache(id, row.target, row.source, error, &turn)
        }
        try keepAnswer(node, of: row.target, &turn)
        let local = tree.localNode(at: row.target.path, over: node)
        turn.effects.actions.append(.answer(id, row.target.shown(of: local), isFromCache: false))
    }

    /// The backend answered a read that the cache has answered.
    private mutating func lateAnswerCame(
        _ id: RequestID, _ answer: RealtimeAnswer, _ turn: inout Turn
    ) throws(StoreError) {
        guard let target = reads.takeLate(id), answer.status == .ok,
            let node = try? answer.body.readNode()
        else { return }
        try keepAnswer(node, of: target, &turn)
    }

    /// Takes the backend's answer into the cache, and shows it to those who listen.
    private mutating func keepAnswer(
        _ node: Node, of target: ListenTarget, _ turn: inout Turn
    ) throws(StoreError) {
        let store = turn.store
        let asked = target.asked
        if asked.query.isComplete {
            try store.setServerNode(node, at: WritePath(asked.path))
            try noteComplete(asked, &turn)
            tell(tree.overwrite(WritePath(asked.path), node), &turn.effects)
            lookAtHashes(after: KeptHashes.lookPause, &turn.effects)
        } else {
            let query = try noteComplete(asked, &turn)
            let known = try store.serverNode(at: asked.path, children: store.keys(of: query.id))
            try store.setWindow(of: query, from: known, to: asked.shown(of: node))
        }
    }

    /// Notes that the disk has a query's result, though nobody may listen to it.
    @discardableResult
    mutating func noteComplete(
        _ target: ListenTarget, _ turn: inout Turn
    ) throws(StoreError) -> TrackedQuery {
        let store = turn.store
        var query = try trackedQuery(of: target, &turn)
        guard !query.isComplete else { return query }
        query.isComplete = true
        if !query.isActive { query.lastUse = turn.now }
        try store.setTrackedQuery(query)
        queries.set(query)
        return query
    }

    // MARK: Without the backend

    /// No connection has come in time, or no answer.
    mutating func endReadGrace(_ turn: inout Turn) throws(StoreError) {
        reads.timerFired()
        for read in reads.removeDue(at: turn.now) {
            try answerFromCache(
                read.id, read.row.target, read.row.source, .offline(false), &turn)
        }
        for read in reads.takeOverdue(at: turn.now) {
            let node = try cachedResult(of: read.row.target, turn.store)
            answerOverdue(read.id, node, &turn.effects)
        }
        scheduleReadGrace(&turn.effects)
    }

    /// The cache answers a read that the backend does not answer; a cache that cannot lets it wait on.
    private mutating func answerOverdue(_ id: RequestID, _ node: Node?, _ effects: inout Effects) {
        guard let node else { return }
        if let unwanted = reads.answeredFromCache(id) { requests[unwanted] = nil }
        effects.actions.append(.answer(id, node, isFromCache: true))
    }

    /// Sets the timer for the next read whose time comes.
    mutating func scheduleReadGrace(_ effects: inout Effects) {
        guard let pause = reads.timer(at: effects.now) else { return }
        effects.actions.append(.schedule(.readGrace, after: pause))
    }

    /// The backend must not be asked any more: the cache answers all who wait.
    mutating func answerReadsFromCache(_ turn: inout Turn) throws(StoreError) {
        for id in reads.ids {
            guard let row = reads.remove(id) else { continue }
            try answerFromCache(id, row.target, row.source, .offline(false), &turn)
        }
    }

    /// Everybody who waits for the backend gets an error.
    mutating func refuseReads(because error: HearthError, _ effects: inout Effects) {
        for id in reads.ids where reads.remove(id) != nil {
            effects.actions.append(.refuse(id, error))
        }
    }

    private func answerFromCache(
        _ id: RequestID, _ target: ListenTarget, _ source: RealtimeSource, _ error: HearthError,
        _ turn: inout Turn
    ) throws(StoreError) {
        let node = try source == .server ? nil : cachedResult(of: target, turn.store)
        answer(id, node, orRefuse: error, &turn.effects)
    }

    private func cachedResult(
        of target: ListenTarget, _ store: any RealtimeTransaction
    ) throws(StoreError) -> Node? {
        if let node = knownResult(of: target) { return node }
        guard let stored = try store.cached(target), stored.isComplete else { return nil }
        return target.shown(of: tree.localNode(at: target.path, over: stored.node))
    }

    private func knownResult(of target: ListenTarget) -> Node? {
        tree.shownResult(of: target)
            ?? tree.localNode(at: target.path).map { target.shown(of: $0) }
    }

    private func answer(
        _ id: RequestID, _ node: Node?, orRefuse error: HearthError, _ effects: inout Effects
    ) {
        effects.actions.append(
            node.map { .answer(id, $0, isFromCache: true) } ?? .refuse(id, error))
    }

    // MARK: Without the store

    /// Neither the backend nor the store can be asked: the views answer all who wait.
    mutating func answerReadsInMemory(_ effects: inout Effects) {
        for id in reads.ids {
            guard let row = reads.remove(id) else { continue }
            answerInMemory(id, row, &effects)
        }
    }

    /// No connection has come in time, or no answer, and the store cannot be asked.
    mutating func endReadGraceInMemory(_ effects: inout Effects) {
        reads.timerFired()
        for read in reads.removeDue(at: effects.now) {
            answerInMemory(read.id, read.row, &effects)
        }
        for read in reads.takeOverdue(at: effects.now) {
            answerOverdue(read.id, knownResult(of: read.row.target), &effects)
        }
        scheduleReadGrace(&effects)
    }

    private func answerInMemory(
        _ id: RequestID, _ row: PendingReads.Row, _ effects: inout Effects
    ) {
        let node = row.source == .server ? nil : knownResult(of: row.target)
        answer(id, node, orRefuse: .offline(false), &effects)
    }
}

extension ListenTarget {
    /// What the query shows of a node.
    fileprivate func shown(of node: Node) -> Node {
        NodeFilter(query).view(of: IndexedNode(node, by: query.index)).node
    }
}

extension HearthError {
    /// The backend cannot be asked, and the cache does not know the answer.
    fileprivate static func offline(_ isWithheld: Bool) -> HearthError {
        HearthError(
            code: .unavailable,
            message: "There is no connection to the database, and the cache has not all that is "
                + "asked for. "
                + (isWithheld
                    ? "The program keeps itself offline; goOnline ends that."
                    : "Ask again when `hearth status` tells of a connection."))
    }
}
