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
    /// - Parameter stored: The server's node as the disk holds the node; `nil` if the disk has
    ///   none.
    package mutating func listen(
        _ target: ListenTarget, _ listener: ListenerName, stored: CacheNode? = nil
    ) -> Joining {
        var point = points[target.path] ?? SyncPoint()
        let isCovered = isCompleteViewAbove(target.path) || point.completeView != nil
        let isNew = point.view(of: target.query) == nil
        var view =
            point.view(of: target.query) ?? makeView(of: target, stored: stored)
        view.add(listener)
        point.set(view)
        points[target.path] = point
        // A tag is used up even if the server need not be asked.
        if isNew, !target.query.isComplete { tags.add(target) }
        let actions = isNew && !isCovered ? startListening(target) : []
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
        view.remove(listener)
        guard view.listeners.isEmpty else {
            point.set(view)
            points[target.path] = point
            return []
        }
        return remove([target.query], at: target.path, isEndedByServer: false)
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

    /// Whether a view further up gets the whole node.
    private func isCompleteViewAbove(_ path: RealtimePath) -> Bool {
        var isFound = false
        points.walk(to: path) { point, depth in
            if depth < path.depth, point.completeView != nil { isFound = true }
            return !isFound
        }
        return isFound
    }

    private func makeView(of target: ListenTarget, stored: CacheNode?) -> RealtimeView {
        let layer = WriteLayer(writes, at: target.path)
        if let node = completeServerNode(at: target.path) {
            return RealtimeView(
                target.query, server: node, isServerComplete: true, writes: layer)
        }
        if let stored, stored.isComplete {
            return RealtimeView(
                target.query, server: stored.node, isServerComplete: true, writes: layer)
        }
        // Views of children may know some children.
        var known = stored?.node ?? .empty
        for (key, child) in points.subtree(at: target.path)?.children ?? [:] {
            guard let node = child.content?.completeServerNode(at: .root) else { continue }
            known = known.settingChild(key, to: node)
        }
        return RealtimeView(target.query, server: known, isServerComplete: false, writes: layer)
    }

    // MARK: What the server is asked

    /// The query that the server is asked, which tells all if the view needs all.
    private func asked(_ target: ListenTarget) -> ListenTarget {
        target.query.isComplete ? ListenTarget(target.path, .all) : target
    }

    private func startListening(_ target: ListenTarget) -> [ListenAction] {
        let start = ListenAction.listen(asked(target), tags[target])
        guard target.query.isComplete else { return [start] }
        // The new listen covers these listens.
        return [start] + coveredListens(of: target).map { .unlisten(asked($0), tags[$0]) }
    }

    /// The listens at and below a place that a listen to the whole place makes superfluous.
    private func coveredListens(of target: ListenTarget) -> [ListenTarget] {
        var covered: [ListenTarget] = []
        points.subtree(at: target.path)?.walkDown { point, below in
            let path = target.path.appending(below)
            if !below.isRoot, let view = point.completeView {
                covered.append(ListenTarget(path, view.query))
                return false  // What is below was covered before.
            }
            covered += point.filteredQueries.map { ListenTarget(path, $0) }
            return true
        }
        return covered
    }

    private mutating func remove(
        _ queries: [QueryParameters], at path: RealtimePath, isEndedByServer: Bool
    ) -> [ListenAction] {
        guard var point = points[path] else { return [] }
        let wasComplete = point.completeView != nil
        for query in queries { point.remove(query) }
        points[path] = point.isEmpty ? nil : point
        let removed = queries.map { ListenTarget(path, $0) }
        defer { for target in removed { tags.remove(target) } }
        let isCovered = isCompleteViewAbove(path) || point.completeView != nil
        guard !isCovered else { return [] }
        var actions: [ListenAction] = []
        let lostAll = wasComplete && queries.contains(where: \.isComplete)
        if lostAll { actions += uncoveredListens(at: path).map { .listen(asked($0), tags[$0]) } }
        guard !isEndedByServer else { return actions }
        if lostAll {
            actions.append(.unlisten(ListenTarget(path, .all), nil))
        } else {
            actions += removed.map { .unlisten(asked($0), tags[$0]) }
        }
        return actions
    }

    /// The topmost views at and below a place, which the server must be asked about when nothing above covers
    /// them.
    private func uncoveredListens(at path: RealtimePath) -> [ListenTarget] {
        var targets: [ListenTarget] = []
        points.subtree(at: path)?.walkDown { point, below in
            let place = path.appending(below)
            if let view = point.completeView {
                targets.append(ListenTarget(place, view.query))
                return false
            }
            targets += point.filteredQueries.map { ListenTarget(place, $0) }
            return true
        }
        return targets
    }
}
