import HashTreeCollections
package import HearthModel

/// A request that the server must get because of listeners.
package enum ListenAction: Hashable, Sendable {
    /// Listen to a query; a query for a part of the node has a tag.
    case listen(ListenTarget, ListenTag?)
    /// Do not listen any more.
    case unlisten(ListenTarget, ListenTag?)
}

extension SyncTree {
    /// The consequences of a new listener.
    package struct Joining: Sendable {
        /// The known data that the query shows.
        package let shown: IndexedNode
        /// Whether `shown` is the whole result.
        package let isComplete: Bool
        /// The requests that the server must get.
        package let actions: [ListenAction]
    }

    /// Somebody listens to a query.
    ///
    /// - Parameters:
    ///   - target: The query, with its place.
    ///   - listener: The name of the listener.
    ///   - stored: The server's node as the disk holds the node; `nil` if the disk has none.
    ///   - isWatching: Whether the server is asked for this listener.
    package mutating func listen(
        _ target: ListenTarget, _ listener: ListenerName, stored: StoredNode? = nil,
        isWatching: Bool = true
    ) -> Joining {
        var point = points[target.path] ?? SyncPoint()
        let isCovered = isWholeWatchedAbove(target.path) || point.watchedWholeView != nil
        let isNew = point.view(of: target.query) == nil
        var view =
            point.view(of: target.query) ?? makeView(of: target, stored: stored)
        let wasWatched = view.isWatched
        view.add(listener, isWatching: isWatching)
        point.set(view)
        points[target.path] = point
        // A tag is used up even if the server need not be asked.
        if isNew, !target.query.isComplete { tags.add(target) }
        let isAsked = isWatching && !wasWatched && !isCovered
        let actions = isAsked ? startListening(target) : []
        return Joining(
            shown: view.cache.event.indexed, isComplete: view.cache.event.isComplete,
            actions: actions)
    }

    /// Somebody listens no more.
    package mutating func unlisten(_ target: ListenTarget, _ listener: ListenerName)
        -> [ListenAction]
    {
        guard var point = points[target.path], var view = point.view(of: target.query) else {
            return []
        }
        let wasWatched = view.isWatched
        view.remove(listener)
        guard view.listeners.isEmpty else {
            point.set(view)
            points[target.path] = point
            let isEnded = wasWatched && !view.isWatched
            return isEnded ? stopListening([target.query], at: target.path) : []
        }
        return remove([target.query], at: target.path, isEndedByServer: false)
    }

    /// A listener wants the server to be asked, or no longer.
    ///
    /// - Parameters:
    ///   - target: The query, with its place.
    ///   - listener: The listener. A listener that the tree does not know changes nothing.
    ///   - isWatching: Whether the server is asked for this listener.
    package mutating func setWatching(
        _ target: ListenTarget, _ listener: ListenerName, _ isWatching: Bool
    ) -> [ListenAction] {
        guard var point = points[target.path], var view = point.view(of: target.query) else {
            return []
        }
        let isCovered = isWholeWatchedAbove(target.path) || point.watchedWholeView != nil
        let wasWatched = view.isWatched
        view.setWatching(listener, isWatching)
        point.set(view)
        points[target.path] = point
        if view.isWatched == wasWatched { return [] }
        if !wasWatched { return isCovered ? [] : startListening(target) }
        return stopListening([target.query], at: target.path)
    }

    /// The server has ended a listen; the result names the listeners of this query at the place.
    ///
    /// - Parameter query: `nil` for all queries at the place.
    /// - Returns: The listeners whose listen has ended, and the requests that the server must get
    ///   now.
    package mutating func cancel(_ path: RealtimePath, _ query: QueryParameters?)
        -> (listeners: [ListenerName], actions: [ListenAction])
    {
        guard let point = points[path] else { return ([], []) }
        // A default listen of the server serves every view of the whole node.
        let queries = point.queries.filter { other in
            query.map { $0 == other || ($0.isComplete && other.isComplete) } ?? true
        }
        let listeners = queries.flatMap { point.view(of: $0)?.listeners ?? [] }
        return (listeners, remove(queries, at: path, isEndedByServer: true))
    }

    // MARK: Views

    /// Whether the server is asked for the whole node further up.
    private func isWholeWatchedAbove(_ path: RealtimePath) -> Bool {
        var isFound = false
        points.walk(to: path) { point, depth in
            if depth < path.depth, point.watchedWholeView != nil { isFound = true }
            return !isFound
        }
        return isFound
    }

    private mutating func makeView(of target: ListenTarget, stored: StoredNode?) -> RealtimeView {
        let layer = WriteLayer(writes, at: target.path)
        if let node = completeServerNode(at: target.path) {
            return RealtimeView(
                target.query, server: node, isServerComplete: true, writes: layer, &sortedNodes)
        }
        if let stored, stored.isComplete {
            return RealtimeView(
                target.query, server: stored.node, isServerComplete: true, writes: layer,
                &sortedNodes)
        }
        // Views of children may know some children.
        var known = stored?.node ?? .empty
        for (key, child) in points.subtree(at: target.path)?.children ?? [:] {
            guard let node = child.content?.completeServerNode(at: .root) else { continue }
            known = known.settingChild(key, to: node)
        }
        return RealtimeView(
            target.query, server: known, isServerComplete: false, writes: layer, &sortedNodes)
    }

    // MARK: What the server is asked

    private func startListening(_ target: ListenTarget) -> [ListenAction] {
        let start = ListenAction.listen(target.asked, tags[target])
        guard target.query.isComplete else { return [start] }
        // The new listen covers these listens.
        return [start] + coveredListens(of: target).map { .unlisten($0.asked, tags[$0]) }
    }

    /// The listens at and below a place that a listen to the whole place makes superfluous.
    private func coveredListens(of target: ListenTarget) -> [ListenTarget] {
        var covered: [ListenTarget] = []
        points.subtree(at: target.path)?.walkDown { point, below in
            let path = target.path.appending(below)
            if !below.isRoot, let view = point.watchedWholeView {
                covered.append(ListenTarget(path, view.query))
                return false  // What is below was covered before.
            }
            covered += point.watchedParts.map { ListenTarget(path, $0) }
            return true
        }
        return covered
    }

    private mutating func remove(
        _ queries: [QueryParameters], at path: RealtimePath, isEndedByServer: Bool
    ) -> [ListenAction] {
        guard var point = points[path] else { return [] }
        let watched = queries.filter { point.view(of: $0)?.isWatched ?? false }
        for query in queries { point.remove(query) }
        points[path] = point.isEmpty ? nil : point
        sortedNodes.forget(path) { index in point.queries.contains { $0.index == index } }
        let actions = stopListening(watched, at: path, isEndedByServer: isEndedByServer)
        for query in queries { tags.remove(ListenTarget(path, query)) }
        return actions
    }

    /// Nobody wants the server to be asked for some queries any more.
    private func stopListening(
        _ queries: [QueryParameters], at path: RealtimePath, isEndedByServer: Bool = false
    ) -> [ListenAction] {
        let isCovered = isWholeWatchedAbove(path) || points[path]?.watchedWholeView != nil
        guard !isCovered, !queries.isEmpty else { return [] }
        var actions: [ListenAction] = []
        let lostAll = queries.contains(where: \.isComplete)
        if lostAll { actions += uncoveredListens(at: path).map { .listen($0.asked, tags[$0]) } }
        guard !isEndedByServer else { return actions }
        if lostAll {
            actions.append(.unlisten(ListenTarget(path, .all), nil))
        } else {
            actions += queries.map { ListenTarget(path, $0) }
                .map { .unlisten($0.asked, tags[$0]) }
        }
        return actions
    }

    /// The topmost views at and below a place, which the server must be asked about when nothing above covers
    /// them.
    private func uncoveredListens(at path: RealtimePath) -> [ListenTarget] {
        var targets: [ListenTarget] = []
        points.subtree(at: path)?.walkDown { point, below in
            let place = path.appending(below)
            if let view = point.watchedWholeView {
                targets.append(ListenTarget(place, view.query))
                return false
            }
            targets += point.watchedParts.map { ListenTarget(place, $0) }
            return true
        }
        return targets
    }
}
