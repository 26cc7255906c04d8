import HearthModel

/// The children of one node in another order than the order of keys: an index.
///
/// The value is persistent: the order from before a change stays beside the order after the change.
/// A change of one child costs O(log n).
struct ChildOrder: Sendable {
    let index: QueryIndex
    private(set) var positions: OrderedTree<IndexPosition>

    /// Sorts the children of a node. O(n log n).
    init(_ index: QueryIndex, of node: Node) {
        self.index = index
        positions = OrderedTree(sorted: node.children.map(index.position).sorted())
    }

    /// Moves a child to where its new value puts it. O(log n), and nothing if that has not changed.
    mutating func move(_ key: ChildKey, from old: Node, to new: Node) {
        let before = old.isEmpty ? nil : index.position(of: (key, old))
        let after = new.isEmpty ? nil : index.position(of: (key, new))
        guard before != after else { return }
        if let before { positions.remove(before, by: IndexPosition.compare) }
        if let after { positions.insert(after, by: IndexPosition.compare) }
    }
}
