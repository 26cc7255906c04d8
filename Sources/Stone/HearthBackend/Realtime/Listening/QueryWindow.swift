import HearthModel

/// Which children of a node a query shows: a range of places in the query's order.
///
/// Found by two searches, so nothing has to be held for a window that moves: it is computed for the
/// tree before a change and for the tree after it.
struct QueryWindow: Sendable {
    let children: IndexedNode
    let places: Range<Int>
    /// Whether children may move in and out with others that change.
    private let isLimited: Bool

    /// The window of a query over children in its order. O(log n).
    init(_ query: QueryParameters, _ children: IndexedNode) {
        self.children = children
        isLimited = query.limit != nil
        places = children.window(of: query)
    }

    /// Whether a child is shown. O(log n).
    func contains(_ key: ChildKey) -> Bool {
        children.place(of: key).map(places.contains) ?? false
    }

    /// The node with the children that are shown, without a priority of its own. O(k log n).
    ///
    /// A leaf has no children to show, and so is nothing.
    var node: Node {
        guard !children.node.isLeaf else { return .empty }
        guard places.count < children.count else { return children.node.settingPriority(nil) }
        return Node(
            children: children.keys(at: places).map { (key: $0, node: children.node.child($0)) })
    }

    /// The shown children near the ends of a window.
    ///
    /// When `count` other children changed, only the returned children can have moved into or out
    /// of the window.
    func edges(_ count: Int) -> [ChildKey] {
        guard isLimited else { return [] }
        guard places.count > 2 * count else { return children.keys(at: places) }
        return children.keys(at: places.prefix(count)) + children.keys(at: places.suffix(count))
    }
}
