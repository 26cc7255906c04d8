import HashTreeCollections
import HearthEngine
import HearthModel

extension RealtimeEngine {
    /// A session listens to a query.
    mutating func listen(
        _ id: ListenerID, _ target: ListenTarget, _ kind: ListenerKind, _ turn: inout Turn
    ) throws(StoreError) {
        guard !target.path.isInfo else { return listenToInfo(id, target, &turn.effects) }
        guard listeners.name(of: id) == nil else { return }  // A resent request; it has its view.
        try turn.store.enter(.listen)
        let name = listeners.add(id, target, kind)
        if kind == .observer, try tellBeginning(to: id, name, of: target, &turn) { return }
        try joinSession(id, name, target, kind, &turn)
    }

    /// Brings a session's listener to its view, and tells the listener all that is known.
    mutating func joinSession(
        _ id: ListenerID, _ name: ListenerName, _ target: ListenTarget, _ kind: ListenerKind,
        _ turn: inout Turn
    ) throws(StoreError) {
        let isWatching = !withheld.contains(id.session)
        let joining = try join(target, name, isWatching: isWatching, &turn)
        guard kind == .observer else { return }
        let news = ViewNews(
            target, .whole(joining.shown.node), isComplete: joining.isComplete,
            isValueTold: joining.isComplete)
        turn.effects.actions.append(.tell(news, to: [id]))
    }

    /// A session ends a listen.
    mutating func unlisten(_ id: ListenerID, _ effects: inout Effects) {
        if unlistenToInfo(id) { return }
        guard let name = listeners.name(of: id) else { return }  // A race: it ended by itself.
        leave(name, &effects)
    }

    /// A session is gone.
    mutating func disconnected(_ session: UInt64, _ turn: inout Turn) throws(StoreError) {
        forget(session: session, &turn.effects)
        try carryOutOrders(ofSession: session, &turn)
    }

    /// A session is gone: nothing is kept for it but its orders.
    mutating func forget(session: UInt64, _ effects: inout Effects) {
        for name in listeners.names(ofSession: session) { leave(name, &effects) }
        unlistenToInfo(session: session)
        withheld.remove(session)
        for unwanted in reads.remove(session: session) { requests[unwanted] = nil }
        pendingWrites.remove(session: session)
        endTransactions(ofSession: session, &effects)
    }

    /// A session keeps its own listens and reads from the backend, or ends that.
    ///
    /// Meanwhile the session's listeners see the cache, with the news that the listens of other
    /// sessions bring.
    mutating func withhold(
        _ id: RequestID, isWithheld: Bool, _ effects: inout Effects
    ) {
        let hasChanged =
            isWithheld
            ? withheld.insert(id.session).inserted : withheld.remove(id.session) != nil
        if hasChanged {
            for name in listeners.names(ofSession: id.session) {
                guard let row = listeners[name] else { continue }
                follow(tree.setWatching(row.target, name, !isWithheld), &effects)
            }
        }
        effects.actions.append(.complete(id))
    }

    // MARK: Places that are kept

    /// These queries are kept in step without a listener, and no others.
    mutating func setKept(_ targets: [ListenTarget], _ turn: inout Turn) throws(StoreError) {
        let kept = targets.filter { !$0.path.isInfo && $0.path.depth <= RealtimePath.depthMax }
        for gone in keep.set(kept.map(\.asked)) {
            depart(gone.name, from: gone.target, &turn.effects)
        }
        try keepMissingPlaces(&turn)
    }

    /// Listens to the kept queries without a listen, for example after a refusal.
    mutating func keepMissingPlaces(_ turn: inout Turn) throws(StoreError) {
        for target in keep.missing {
            let name = listeners.add(nil, target, .silent)
            keep.add(target, name)
            _ = try join(target, name, isWatching: true, &turn)
        }
    }

    // MARK: Coming and going

    /// Brings a listener to its view, and a new view to the backend.
    mutating func join(
        _ target: ListenTarget, _ name: ListenerName, isWatching: Bool, _ turn: inout Turn
    ) throws(StoreError) -> SyncTree.Joining {
        let isNew = !tree.hasView(target)
        var stored: StoredNode?
        if isNew {
            if !tree.knowsServerNode(at: target.path) { stored = try turn.store.cached(target) }
            try activate(target, &turn)
        }
        let joining = tree.listen(target, name, stored: stored, isWatching: isWatching)
        if stored?.isComplete ?? false { try restoreHash(of: target.asked, &turn) }
        follow(joining.actions, &turn.effects)
        if let lingerer = lingering.remove(target) { depart(lingerer, from: target, &turn.effects) }
        return joining
    }

    /// A listener leaves its view. The last listener's view stays in step for a while.
    mutating func leave(_ name: ListenerName, _ effects: inout Effects) {
        guard let row = listeners[name] else { return }
        if begun.remove(name, from: row.target) { return listeners.remove(name) }
        if tree.isLastWatcher(row.target, name), canUseNetwork {
            let lingerer = listeners.add(nil, row.target, .silent)
            _ = tree.listen(row.target, lingerer, isWatching: true)
            lingering.add(row.target, lingerer, at: effects.now)
            endLingering(&effects)
        }
        depart(name, from: row.target, &effects)
    }

    /// A listener is gone, and its view too if it was the last.
    mutating func depart(
        _ name: ListenerName, from target: ListenTarget, _ effects: inout Effects
    ) {
        listeners.remove(name)
        follow(tree.unlisten(target, name), &effects)
        if !tree.hasView(target) { release(target, &effects) }
    }

    /// The time of some lingering queries has come.
    mutating func endLingering(_ effects: inout Effects) {
        for due in lingering.removeDue(at: effects.now) {
            depart(due.name, from: due.target, &effects)
        }
        guard let next = lingering.nextDueAt else { return }
        effects.actions.append(.schedule(.unlistening, after: max(.zero, next.since(effects.now))))
    }

    /// Somebody listens to a query that nobody listened to: the cache keeps it in mind.
    private mutating func activate(
        _ target: ListenTarget, _ turn: inout Turn
    ) throws(StoreError) {
        let target = target.asked
        guard queries[target] == nil else { return queries.retain(target) }
        var query = try trackedQuery(of: target, &turn)
        query.isActive = true
        query.lastUse = turn.now
        try turn.store.setTrackedQuery(query)
        queries.add(query)
    }

    /// What is remembered of a query, or a new memory with a number of its own, not stored yet.
    mutating func trackedQuery(
        of target: ListenTarget, _ turn: inout Turn
    ) throws(StoreError) -> TrackedQuery {
        if let query = queries[target] { return query }
        try noteEndedQueries(&turn)
        if let query = try turn.store.trackedQuery(of: target) { return query }
        globals.lastQueryID = TrackedQueryID(globals.lastQueryID.rawValue + 1)
        try turn.store.setGlobals(globals)
        return TrackedQuery(id: globals.lastQueryID, target: target, lastUse: turn.now)
    }

    /// A view has ended.
    mutating func release(_ target: ListenTarget, _ effects: inout Effects) {
        guard var query = queries.release(target.asked) else { return }
        query.isActive = false
        query.lastUse = effects.now
        effects.endedQueries.append(query)
    }

    /// Tells the store of the queries that ended in the turn so far.
    ///
    /// A turn ends so. Whoever reads tracked queries from the store in mid-turn calls this first.
    mutating func noteEndedQueries(_ turn: inout Turn) throws(StoreError) {
        for query in turn.effects.endedQueries { try turn.store.setTrackedQuery(query) }
        turn.effects.endedQueries = []
    }

    // MARK: The backend's part

    /// Does what the sync tree wants of the backend, now or when the connection opens.
    mutating func follow(_ actions: [ListenAction], _ effects: inout Effects) {
        for action in actions {
            switch action {
            case .listen(let target, let tag):
                // The view may be new, and the listen that goes on may have told an older view.
                if listens[target]?.isLeaving ?? false { endListening(to: target, &effects) }
                listens.add(target, tag)
                if let listen = listens[target] { send(listen, &effects) }
            case .unlisten(let target, _):
                // The listen goes on while a listen that covers it waits for a hash.
                if !listens.leaveLater(target) { endListening(to: target, &effects) }
            }
        }
    }

    /// Ends a listen, and the listens that went on until it is sent.
    private mutating func endListening(to target: ListenTarget, _ effects: inout Effects) {
        let listen = listens[target]
        listens.remove(target)
        hashes.remove(target)
        if let listen, listen.isSent {
            let action = RealtimeAction.unlisten(
                target.path, target.query, tag: listen.tag?.rawValue)
            send(action, expecting: .notice, &effects)
        }
        endLeaving(for: target, &effects)
    }

    /// Ends the listens that went on until a listen that covers them was sent.
    mutating func endLeaving(for cover: ListenTarget, _ effects: inout Effects) {
        for listen in listens.takeLeaving(for: cover) { endListening(to: listen.target, &effects) }
    }

    /// Asks the open connection for a listen, with the hashes of the known data, once they are there.
    mutating func send(_ listen: ListenTable.Row, _ effects: inout Effects) {
        guard connection.openNumber != nil, let hash = hash(of: listen.target, &effects) else {
            return
        }
        let request = RealtimeListen(
            listen.target.path, listen.target.query, tag: listen.tag?.rawValue, hash: hash.simple,
            ranges: hash.ranges)
        if let number = send(.listen(request), expecting: .listen(listen.target), &effects) {
            listens.sent(listen.target, as: number)
            endLeaving(for: listen.target, &effects)
        }
    }

    // MARK: Telling

    /// Tells the listeners of views that changed.
    mutating func tell(_ updates: [SyncTree.Update], _ effects: inout Effects) {
        for update in updates {
            let observers = listeners.observers(among: update.listeners)
            if !observers.isEmpty { effects.actions.append(.tell(ViewNews(update), to: observers)) }
        }
        if !updates.isEmpty { transactionsTouched(by: updates, &effects) }
    }
}

extension ListenTarget {
    /// The query that the backend is asked: a query for the whole node in some order asks for the
    /// node.
    var asked: ListenTarget { query.isComplete ? ListenTarget(path, .all) : self }
}
