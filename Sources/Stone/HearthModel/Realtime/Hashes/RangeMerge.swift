/// What a stretch of a tree holds from now on: the answer to a listen that came with a compound hash.
///
/// - Source: firebase-android-sdk `snapshot/RangeMerge.java`.
package struct RangeMerge: Hashable, Sendable {
    /// The stretch.
    package let range: NodeRange
    /// All leaves of the stretch, within their keys from the root of the listen.
    package let update: Node

    /// Pairs a stretch with what it holds.
    package init(range: NodeRange, update: Node) {
        self.range = range
        self.update = update
    }

    /// What leads a client with these hashes to a tree.
    ///
    /// - Returns: None if no stretch differs, which does not mean that the trees are equal. None
    ///   either if the tree has a priority in no stretch: the client may lack it.
    package static func merges(from hash: CompoundHash, to node: Node) -> [RangeMerge] {
        var walk = LeafWalk(node)
        while walk.next() != nil {}
        if walk.hasUntoldPriority { return [] }
        return hash.differences(from: node).map {
            RangeMerge(range: $0, update: $0.part(of: node))
        }
    }

    /// A tree with the stretch replaced. O(log n) and what the stretch holds.
    package func applied(to node: Node) -> Node { applied(to: node, update: update, at: .root) }

    private func applied(to node: Node, update: Node, at path: RealtimePath) -> Node {
        let isAfter = range.isAfterStart(path)
        let endsHere = range.endsIn(path)
        if isAfter {
            if range.end.map({ path < $0 }) ?? true, !endsHere { return update }
            if endsHere, update.isLeaf { return update }
            if range.end == path { return node.isLeaf ? .empty : node }
        }
        guard range.startsIn(path) || endsHere else { return node }
        return replacingChildren(of: node, by: update, at: path)
    }

    private func replacingChildren(of node: Node, by update: Node, at path: RealtimePath) -> Node {
        let own = node.children[range.places(in: node.children, at: path)].map(\.key)
        let new = update.children.map(\.key).filter { node.child($0).isEmpty }
        var result = node
        // New children first: a node without children would lose its priority.
        for key in new + own {
            let child = applied(
                to: node.child(key), update: update.child(key), at: path.appending(key))
            result = result.settingChild(key, to: child)
        }
        // SDKs take away the priority of a leaf that the stretch begins behind. Hearth keeps the
        // priority, which belongs to the leaf.
        guard !result.isLeaf else { return result }
        let priority = node.priorityNode
        let changed = applied(
            to: priority, update: update.priorityNode,
            at: path.appending(NodeRange.priorityKey))
        return changed == priority ? result : result.settingPriority(changed.leaf)
    }
}
