import HearthModel

/// What views and writes tell of a place, without asking anybody.
extension SyncTree {
    /// Whether somebody listens to a query.
    func hasView(_ target: ListenTarget) -> Bool { view(of: target) != nil }

    /// Whether the server is asked for a query on behalf of this listener alone.
    func isLastWatcher(_ target: ListenTarget, _ listener: ListenerName) -> Bool {
        view(of: target)?.isLastWatcher(listener) ?? false
    }

    /// Whether the server is asked for a query or for all of its place, or pending writes replace all
    /// of the place.
    func isWatched(_ target: ListenTarget) -> Bool {
        if writes.visible.completeNode(at: target.path) != nil { return true }
        var isWatched = view(of: target)?.isWatched ?? false
        points.walk(to: target.path) { point, _ in
            isWatched = isWatched || point.watchedWholeView != nil
            return !isWatched
        }
        return isWatched
    }

    /// The result of a query with the pending writes, as listeners see it; `nil` if nobody listens to
    /// the query or the result is not wholly known.
    func shownResult(of target: ListenTarget) -> Node? {
        view(of: target)?.cache.event.completeNode
    }

    /// Whether some view knows the whole node that the server has at a place.
    func knowsServerNode(at path: RealtimePath) -> Bool { completeServerNode(at: path) != nil }

    /// The server's part of a query's result, as far as its view knows it.
    func serverNode(of target: ListenTarget) -> Node {
        guard let point = points[target.path] else { return .empty }
        if target.query.isComplete { return point.knownWhole ?? .empty }
        guard let server = point.view(of: target.query)?.cache.server else { return .empty }
        // While a listen further up told all, the view may have come to hold more than its part.
        return server.isFiltered
            ? server.node : NodeFilter(target.query).view(of: server.indexed).node
    }

    /// The query of a tag; `nil` if it has ended.
    func target(of tag: ListenTag) -> ListenTarget? { tags[tag] }

    /// The node at a place with the pending writes; `nil` if it is not wholly known.
    func localNode(at path: RealtimePath) -> Node? {
        WriteLayer(writes, at: path).node(over: completeServerNode(at: path))
    }

    /// The node at a place with the pending writes, over what the server has.
    func localNode(at path: RealtimePath, over server: Node) -> Node {
        WriteLayer(writes, at: path).node(over: server) ?? server
    }

    /// The first children of a node with the pending writes, and none that comes behind the first that
    /// the server has. O(children).
    ///
    /// - Parameter server: The first children that the server has at the place, in the order of keys.
    /// - Returns: `nil` if other children may come first, or if there are none.
    func localBeginning(at path: RealtimePath, over server: Node) -> Node? {
        let layer = WriteLayer(writes, at: path)
        guard let last = server.children.last?.key, layer.shadow(of: WritePath(.root)) == nil
        else { return nil }
        let known = layer.knownChildren(over: server)
        let node = Node(children: known.children.prefix { !(last < $0.key) })
        return node.isEmpty || node.hasChildPriorities ? nil : node
    }

    private func view(of target: ListenTarget) -> RealtimeView? {
        points[target.path]?.view(of: target.query)
    }
}
