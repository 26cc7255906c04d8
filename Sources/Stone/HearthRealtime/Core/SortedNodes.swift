import HearthModel

/// The large nodes that were last put in the order of an index, with their orders.
///
/// Many views may show one place in one order, and each write makes another version of the node.
/// The first view that asks for a version has the order made, at a cost in proportion to the
/// children that differ from the version before. All other views get the same order in the same
/// memory. Where keys are the order, there is nothing to keep.
struct SortedNodes: Sendable {
    /// A node of fewer children is sorted each time.
    static let childCountMin = 512
    /// How many orders are kept: the server's and the local version, by four indexes.
    static let orderCountMax = 8
    /// A version that holds no more children apart from a kept version takes its place. Else both
    /// are kept: whoever asks for the two in turn would have many children moved each time.
    private static let nearCount = 64
    /// What part of the children two versions may hold apart. It costs more than ten times as much
    /// to move a child as to sort it with all others.
    private static let farPart = 16

    private struct Order: Sendable {
        let path: RealtimePath
        var indexed: IndexedNode
        /// Whether somebody has asked for it since the last `beginVersion`.
        var isUsed: Bool
    }

    /// A version that is kept, seen from another.
    private struct Neighbour {
        /// Where it stands among the orders.
        let place: Int
        /// The children that the two hold apart.
        let keys: [ChildKey]

        /// Whether the other version takes its place.
        var isNear: Bool { keys.count <= nearCount }
    }

    /// The order that was used last comes first.
    private var orders: [Order] = []
    /// How often a large node was sorted.
    private(set) var sortCount = 0

    /// Keeps nothing yet.
    init() {}

    /// How many orders are kept.
    var count: Int { orders.count }

    /// A node in the order of an index.
    ///
    /// - Parameters:
    ///   - node: The node, whole or as far as it is known.
    ///   - path: The place of the node.
    ///   - index: The order.
    /// - Complexity: O(1) for a version that is kept; O(log n) for each child that the node does
    ///   not share with a version that is kept; else a sort.
    mutating func sorted(
        _ node: Node, at path: RealtimePath, by index: QueryIndex
    ) -> IndexedNode {
        guard node.childCount >= Self.childCountMin, !index.isByKey(in: node) else {
            return IndexedNode(node, by: index)
        }
        guard let nearest = nearest(to: node, at: path, by: index) else {
            sortCount += 1
            return keep(IndexedNode(node, by: index), at: path)
        }
        var indexed = orders[nearest.place].indexed
        indexed.take(node, changing: nearest.keys)
        if nearest.isNear { orders.remove(at: nearest.place) }
        return keep(indexed, at: path)
    }

    /// An equal node that is kept already, so that all views hold the node in the same memory. If
    /// there is none, this node is kept from now on, instead of the version before.
    ///
    /// - Parameters:
    ///   - indexed: What a view has made of the version before, by a change of its own.
    ///   - path: The place of the node.
    /// - Complexity: In proportion to what the node does not share with a version that is kept.
    mutating func shared(_ indexed: IndexedNode, at path: RealtimePath) -> IndexedNode {
        guard indexed.count >= Self.childCountMin, !indexed.isByKey else { return indexed }
        let node = indexed.node
        guard let nearest = nearest(to: node, at: path, by: indexed.index) else {
            return keep(indexed, at: path)
        }
        let kept = orders[nearest.place].indexed
        let isEqual =
            kept.node.priority == node.priority
            && nearest.keys.allSatisfy { kept.node.child($0) == node.child($0) }
        if isEqual || nearest.isNear { orders.remove(at: nearest.place) }
        return keep(isEqual ? kept : indexed, at: path)
    }

    /// The version that is kept and that shares most with a node; `nil` if all differ much.
    private func nearest(
        to node: Node, at path: RealtimePath, by index: QueryIndex
    ) -> Neighbour? {
        var nearest: Neighbour?
        let farCount = node.childCount / Self.farPart
        for limit in [min(Self.nearCount, farCount), farCount] where nearest == nil {
            var countMax = limit
            for (place, order) in orders.enumerated()
            where countMax >= 0 && order.indexed.index == index && order.path == path {
                let other = order.indexed.node
                guard let keys = node.unsharedKeys(with: other, atMost: countMax) else { continue }
                nearest = Neighbour(place: place, keys: keys)
                countMax = keys.count - 1
            }
        }
        return nearest
    }

    private mutating func keep(_ indexed: IndexedNode, at path: RealtimePath) -> IndexedNode {
        orders.insert(Order(path: path, indexed: indexed, isUsed: true), at: 0)
        if orders.count > Self.orderCountMax { orders.removeLast() }
        return indexed
    }

    /// Forgets the orders of a place that no view shows any more.
    ///
    /// - Parameter isShown: Whether a view of the place has this order.
    mutating func forget(_ path: RealtimePath, unless isShown: (QueryIndex) -> Bool) {
        orders.removeAll { $0.path == path && !isShown($0.indexed.index) }
    }

    /// All of a place is about to change: what nobody asks for from now on was of the past.
    mutating func beginVersion(of path: RealtimePath) {
        for place in orders.indices where orders[place].path == path {
            orders[place].isUsed = false
        }
    }

    /// All of a place has changed, since `beginVersion`.
    mutating func endVersion(of path: RealtimePath) {
        orders.removeAll { $0.path == path && !$0.isUsed }
    }
}
