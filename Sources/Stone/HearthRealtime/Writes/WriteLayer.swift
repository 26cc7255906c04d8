package import HearthModel

/// The pending writes as one view meets them: seen from the view's place.
package struct WriteLayer: Sendable {
    private let tree: WriteTree
    /// The place.
    let path: RealtimePath

    /// Looks at writes from a place.
    package init(_ tree: WriteTree, at path: RealtimePath) {
        self.tree = tree
        self.path = path
    }

    /// Whether the local node is the server's node: no write waits here or below, and no visible
    /// write replaces this place.
    var isEmpty: Bool { tree.visible.child(path).isEmpty }

    /// The node that the visible writes alone give a place below, whatever the server has there.
    package func shadow(of place: WritePath) -> Node? {
        tree.visible.completeNode(at: place.below(path))
    }

    /// The local node here.
    ///
    /// - Parameter server: The server's node here; `nil` if unknown.
    /// - Returns: `nil` if the server's node is unknown and no write replaces the whole node.
    package func node(over server: Node?) -> Node? {
        let writes = tree.visible.child(path)
        if let whole = writes.node { return whole }
        return server.map(writes.apply)
    }

    /// The local node here, computed with a choice of writes instead of all visible writes.
    ///
    /// - Parameters:
    ///   - server: The server's node here; `nil` if unknown. If a write is here and
    ///     `includesHidden` is false, an unknown node counts as empty.
    ///   - excluded: Writes that do not count.
    ///   - includesHidden: Whether hidden writes count.
    package func node(
        over server: Node?, without excluded: Set<WriteID>, includesHidden: Bool
    ) -> Node? {
        let writes = tree.layered(at: path, without: excluded, includesHidden: includesHidden)
        if let whole = writes.node { return whole }
        if let server { return writes.apply(to: server) }
        return includesHidden || writes.isEmpty ? nil : writes.apply(to: .empty)
    }

    /// The local node here in the order of the server's node.
    ///
    /// - Parameters:
    ///   - isComplete: Whether the server's node is known.
    ///   - sortedNodes: Sorts the node if a write replaces all.
    /// - Complexity: O(children with writes, each times log n), besides such a sort.
    func node(
        over server: IndexedNode, isComplete: Bool, _ sortedNodes: inout SortedNodes
    ) -> IndexedNode? {
        let writes = tree.visible.child(path)
        if let whole = writes.node {
            return sortedNodes.sorted(whole, at: path, by: server.index)
        }
        guard isComplete else { return nil }
        var local = server
        local.take(writes.apply(to: server.node), changing: writes.childKeys)
        return local
    }

    /// A child as it is locally.
    ///
    /// - Parameter server: What the server has there.
    func child(_ key: ChildKey, over server: Node) -> Node {
        tree.visible.child(path.appending(key)).apply(to: server)
    }

    /// The local children here that are known, as a node without priority.
    ///
    /// - Parameter server: The children that the server is known to have.
    package func knownChildren(over server: Node) -> Node {
        let writes = tree.visible.child(path)
        if let whole = writes.node { return Node(children: whole.children) }
        let local = Node(
            children: server.children.lazy.map { child in
                (child.key, writes.child(child.key).apply(to: child.node))
            })
        return writes.completeChildren.reduce(local) { $0.settingChild($1.key, to: $1.node) }
    }

    /// The local node of a place below after the server's node there has changed.
    ///
    /// - Returns: `nil` if a write replaces all there, so that nobody sees the change.
    package func node(at place: WritePath, afterServerChange server: Node) -> Node? {
        let whole = place.below(path)
        guard tree.visible.completeNode(at: whole) == nil else { return nil }
        let known = server.node(at: place)
        return place.isPriority ? known : tree.visible.child(whole.path).apply(to: known)
    }

    /// A child as it is locally; `nil` if that is not known.
    package func completeChild(_ key: ChildKey, over server: CacheNode) -> Node? {
        let writes = tree.visible.child(path.appending(key))
        if let whole = writes.node { return whole }
        return server.isComplete(for: key) ? writes.apply(to: server.node.child(key)) : nil
    }
}
