import HashTreeCollections
import HearthEngine
import HearthModel

extension RealtimeEngine {
    /// A session asks once.
    ///
    /// A view that is kept in step, or a pending write of all of the place, answers at once. Otherwise the backend is
    /// asked. If there is no connection for a while, the cache answers, if it has ever known all.
    mutating func get(
        _ id: RequestID, _ target: ListenTarget, _ source: RealtimeSource, _ turn: inout Turn
    ) throws(StoreError) {
        if target.path.isInfo {
            let node = infoNode(at: target.path)
            turn.actions.append(.answer(id, target.shown(of: node), isFromCache: false))
            return
        }
        let isWithheld = withheld.contains(id.session)
        let asksBackend = canUseNetwork && !isWithheld && source != .cache
        if source != .server, let node = tree.localNode(at: target.path),
            !asksBackend || tree.isWatched(target.path)
        {
            let isFromCache = !listens.isConfirmed(target.path)
            turn.actions.append(.answer(id, target.shown(of: node), isFromCache: isFromCache))
            return
        }
        guard asksBackend else {
            return try answerFromCache(id, target, source, .offline(isWithheld), &turn)
        }
        reads.add(id, target, source, at: turn.now)
        if connection.openNumber == nil { backendIsWanted(&turn) }
        sendReads(&turn)
        scheduleReadGrace(&turn)
    }

    /// Asks the open connection for the reads that wait for it.
    mutating func sendReads(_ turn: inout Turn) {
        guard connection.openNumber != nil else { return }
        for (id, row) in reads.unsent {
            let action = RealtimeAction.get(row.target.path, row.target.query)
            send(action, expecting: .get(id), &turn)
            reads.sent(id)
        }
    }

    /// The backend answered a read.
    mutating func readAnswered(
        _ id: RequestID, _ answer: RealtimeAnswer, _ turn: inout Turn
    ) throws(StoreError) {
        guard let row = reads.remove(id) else { return }  // A race: the session is gone.
        guard answer.status == .ok else {
            let error = answer.status.error(at: row.target.path, answer.body.text ?? "")
            if answer.status == .permissionDenied || row.source == .server {
                turn.actions.append(.refuse(id, error))
                return
            }
            return try answerFromCache(id, row.target, row.source, error, &turn)
        }
        let node: Node
        do throws(NodeError) {
            node = try answer.body.readNode()
        } catch {
            let error = HearthError(
                code: .internalError, message: "The service answered with no node. \(error)")
            turn.actions.append(.refuse(id, error))
            return
        }
        try keepAnswer(node, of: row.target, &turn)
        let local = tree.localNode(at: row.target.path, over: node)
        turn.actions.append(.answer(id, row.target.shown(of: local), isFromCache: false))
    }

    /// Takes the backend's answer into the cache, and shows it to those who listen.
    private mutating func keepAnswer(
        _ node: Node, of target: ListenTarget, _ turn: inout Turn
    ) throws(StoreError) {
        guard let store = turn.store else { return }
        let asked = target.asked
        if asked.query.isComplete {
            try store.setServerNode(node, at: WritePath(asked.path))
            try noteComplete(asked, &turn)
            try tell(tree.overwrite(WritePath(asked.path), node), &turn)
            lookAtHashes(after: KeptHashes.lookPause, &turn)
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
        guard let store = turn.store else { preconditionFailure("Nothing to note it in") }
        var query = try trackedQuery(of: target, at: turn.now, store)
        guard !query.isComplete else { return query }
        query.isComplete = true
        if !query.isActive { query.lastUse = turn.now }
        try store.setTrackedQuery(query)
        queries.set(query)
        return query
    }

    // MARK: Without the backend

    /// No connection has come in time.
    mutating func endReadGrace(_ turn: inout Turn) throws(StoreError) {
        for read in reads.removeDue(at: turn.now) {
            try answerFromCache(
                read.id, read.row.target, read.row.source, .offline(false), &turn)
        }
        scheduleReadGrace(&turn)
    }

    /// Sets the timer for the next read whose time comes.
    func scheduleReadGrace(_ turn: inout Turn) {
        guard let next = reads.nextDueAt else { return }
        turn.actions.append(.schedule(.readGrace, after: max(.zero, next.since(turn.now))))
    }

    /// The backend must not be asked any more: the cache answers all who wait.
    mutating func answerReadsFromCache(_ turn: inout Turn) throws(StoreError) {
        for id in reads.ids {
            guard let row = reads.remove(id) else { continue }
            try answerFromCache(id, row.target, row.source, .offline(false), &turn)
        }
    }

    /// Everybody who waits for the backend gets an error. Needs no store.
    mutating func refuseReads(because error: HearthError, _ turn: inout Turn) {
        for id in reads.ids where reads.remove(id) != nil {
            turn.actions.append(.refuse(id, error))
        }
    }

    private func answerFromCache(
        _ id: RequestID, _ target: ListenTarget, _ source: RealtimeSource, _ error: HearthError,
        _ turn: inout Turn
    ) throws(StoreError) {
        guard source != .server, let node = try cachedResult(of: target, turn.store) else {
            turn.actions.append(.refuse(id, error))
            return
        }
        turn.actions.append(.answer(id, node, isFromCache: true))
    }

    private func cachedResult(
        of target: ListenTarget, _ store: (any RealtimeTransaction)?
    ) throws(StoreError) -> Node? {
        if let node = tree.localNode(at: target.path) { return target.shown(of: node) }
        guard let stored = try store?.cached(target), stored.isComplete else { return nil }
        return target.shown(of: tree.localNode(at: target.path, over: stored.node))
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
