import HashTreeCollections
import HearthEngine
import HearthModel

extension RealtimeEngine {
    /// A session listens to a query.
    mutating func listen(
        _ id: ListenerID, _ target: ListenTarget, _ kind: ListenerKind, _ turn: inout Turn
    ) throws(StoreError) {
        guard !target.path.isInfo else { return listenToInfo(id, target, &turn) }
        guard listeners.name(of: id) == nil else { return }  // A resent request; it has its view.
        try turn.store?.enter(.listen)
        let name = listeners.add(id, target, kind)
        let isWatching = !withheld.contains(id.session)
        let joining = try join(target, name, isWatching: isWatching, &turn)
        guard kind == .observer else { return }
        let news = ViewNews(
            target, .whole(joining.shown.node), isComplete: joining.isComplete,
            isValueTold: joining.isComplete)
        turn.actions.append(.tell(news, to: [id]))
    }

    /// A session ends a listen.
    mutating func unlisten(_ id: ListenerID, _ turn: inout Turn) throws(StoreError) {
        if unlistenToInfo(id) { return }
        guard let name = listeners.name(of: id) else { return }  // A race: it ended by itself.
        try leave(name, &turn)
    }

    /// A session is gone.
    mutating func disconnected(_ session: UInt64, _ turn: inout Turn) throws(StoreError) {
        for name in listeners.names(ofSession: session) { try leave(name, &turn) }
        unlistenToInfo(session: session)
        withheld.remove(session)
        reads.remove(session: session)
        pendingWrites.remove(session: session)
        try endTransactions(ofSession: session, &turn)
        try carryOutOrders(ofSession: session, &turn)
    }

    /// A session keeps its own listens and reads from the backend, or ends that.
    ///
    /// Meanwhile its listeners see the cache, with the news that other sessions bring.
    mutating func withhold(
        _ id: RequestID, isWithheld: Bool, _ turn: inout Turn
    ) throws(StoreError) {
        let hasChanged =
            isWithheld
            ? withheld.insert(id.session).inserted : withheld.remove(id.session) != nil
        if hasChanged {
            for name in listeners.names(ofSession: id.session) {
                guard let row = listeners[name] else { continue }
                follow(tree.setWatching(row.target, name, !isWithheld), &turn)
            }
        }
        turn.actions.append(.complete(id))
    }

    // MARK: Places that are kept

    /// These places are kept in step without a listener, and no others.
    mutating func setKept(_ paths: [RealtimePath], _ turn: inout Turn) throws(StoreError) {
        for gone in keep.set(paths.filter { !$0.isInfo && $0.depth <= RealtimePath.depthMax }) {
            try depart(gone.name, from: ListenTarget(gone.path, .all), &turn)
        }
        try keepMissingPlaces(&turn)
    }

    /// Listens to the kept places without a listen, for example after a refusal.
    mutating func keepMissingPlaces(_ turn: inout Turn) throws(StoreError) {
        for path in keep.missing {
            let target = ListenTarget(path, .all)
            let name = listeners.add(nil, target, .silent)
            keep.add(path, name)
            _ = try join(target, name, isWatching: true, &turn)
        }
    }

    // MARK: Coming and going

    /// Brings a listener to its view, and a new view to the backend.
    mutating func join(
        _ target: ListenTarget, _ name: ListenerName, isWatching: Bool, _ turn: inout Turn
    ) throws(StoreError) -> SyncTree.Joining {
        let isNew = !tree.hasView(target)
        var stored: CacheNode?
        if isNew, let store = turn.store {
            if !tree.knowsServerNode(at: target.path) { stored = try store.cached(target) }
            try activate(target, at: turn.now, store)
        }
        let joining = tree.listen(target, name, stored: stored, isWatching: isWatching)
        if stored?.isComplete ?? false { try restoreHash(of: target.asked, &turn) }
        follow(joining.actions, &turn)
        if let lingerer = lingering.remove(target) { try depart(lingerer, from: target, &turn) }
        return joining
    }

    /// A listener leaves its view. The last listener's view stays in step for a while.
    mutating func leave(_ name: ListenerName, _ turn: inout Turn) throws(StoreError) {
        guard let row = listeners[name] else { return }
        if tree.isLastWatcher(row.target, name), canUseNetwork {
            let lingerer = listeners.add(nil, row.target, .silent)
            _ = tree.listen(row.target, lingerer, isWatching: true)
            lingering.add(row.target, lingerer, at: turn.now)
            try endDueLingering(&turn)
        }
        try depart(name, from: row.target, &turn)
    }

    /// A listener is gone, and its view too if it was the last.
    mutating func depart(
        _ name: ListenerName, from target: ListenTarget, _ turn: inout Turn
    ) throws(StoreError) {
        listeners.remove(name)
        follow(tree.unlisten(target, name), &turn)
        if !tree.hasView(target) { try release(target, &turn) }
    }

    /// The time of some lingering queries has come.
    mutating func endLingering(_ turn: inout Turn) throws(StoreError) {
        try endDueLingering(&turn)
    }

    private mutating func endDueLingering(_ turn: inout Turn) throws(StoreError) {
        for due in lingering.removeDue(at: turn.now) {
            try depart(due.name, from: due.target, &turn)
        }
        guard let next = lingering.nextDueAt else { return }
        turn.actions.append(.schedule(.unlistening, after: max(.zero, next.since(turn.now))))
    }

    /// Somebody listens to a query that nobody listened to: the cache keeps it in mind.
    private mutating func activate(
        _ target: ListenTarget, at now: Timestamp, _ store: any RealtimeTransaction
    ) throws(StoreError) {
        let target = target.asked
        guard queries[target] == nil else { return queries.retain(target) }
        var query = try trackedQuery(of: target, at: now, store)
        query.isActive = true
        query.lastUse = now
        try store.setTrackedQuery(query)
        queries.add(query)
    }

    /// What is remembered of a query, or a new memory with a number of its own, not stored yet.
    mutating func trackedQuery(
        of target: ListenTarget, at now: Timestamp, _ store: any RealtimeTransaction
    ) throws(StoreError) -> TrackedQuery {
        if let query = queries[target] { return query }
        if let query = try store.trackedQuery(of: target) { return query }
        globals.lastQueryID = TrackedQueryID(globals.lastQueryID.rawValue + 1)
        try store.setGlobals(globals)
        return TrackedQuery(id: globals.lastQueryID, target: target, lastUse: now)
    }

    /// A view has ended.
    mutating func release(_ target: ListenTarget, _ turn: inout Turn) throws(StoreError) {
        guard var query = queries.release(target.asked), let store = turn.store else { return }
        query.isActive = false
        query.lastUse = turn.now
        try store.setTrackedQuery(query)
    }

    // MARK: The backend's part

    /// Does what the sync tree wants of the backend, now or when the connection opens.
    mutating func follow(_ actions: [ListenAction], _ turn: inout Turn) {
        for action in actions {
            switch action {
            case .listen(let target, let tag):
                listens.add(target, tag)
                if let listen = listens[target] { send(listen, &turn) }
            case .unlisten(let target, let tag):
                let wasSent = listens[target]?.isSent ?? false
                listens.remove(target)
                hashes.remove(target)
                guard wasSent else { continue }
                let action = RealtimeAction.unlisten(target.path, target.query, tag: tag?.rawValue)
                send(action, expecting: .notice, &turn)
            }
        }
    }

    /// Asks the open connection for a listen, with the hashes of the known data.
    mutating func send(_ listen: ListenTable.Row, _ turn: inout Turn) {
        guard connection.openNumber != nil else { return }
        let hash = hash(of: listen.target, &turn)
        let request = RealtimeListen(
            listen.target.path, listen.target.query, tag: listen.tag?.rawValue, hash: hash.simple,
            ranges: hash.ranges)
        if let number = send(.listen(request), expecting: .listen(listen.target), &turn) {
            listens.sent(listen.target, as: number)
        }
    }

    // MARK: Telling

    /// Tells the listeners of views that changed.
    mutating func tell(_ updates: [SyncTree.Update], _ turn: inout Turn) throws(StoreError) {
        for update in updates {
            let observers = listeners.observers(among: update.listeners)
            if !observers.isEmpty { turn.actions.append(.tell(ViewNews(update), to: observers)) }
        }
        if !updates.isEmpty { try transactionsTouched(by: updates, &turn) }
    }
}

extension ListenTarget {
    /// The query that the backend is asked: a query for the whole node in some order asks for the
    /// node.
    var asked: ListenTarget { query.isComplete ? ListenTarget(path, .all) : self }
}
