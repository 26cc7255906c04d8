import HearthModel

/// The children of a node in the order of a query, by place.
///
/// The tree itself keeps children in the order of keys, which is also the order of priorities where
/// no child has a priority. Every other order needs a `ChildOrder`.
struct SortedChildren: Sendable {
    let node: Node
    let index: QueryIndex
    /// The order; `nil` where the order of keys serves.
    let order: ChildOrder?

    /// The children in an order, which is made if it is needed and not given.
    init(_ node: Node, by index: QueryIndex, order: ChildOrder? = nil) {
        self.node = node
        self.index = index
        self.order = index.isByKey(in: node) ? nil : order ?? ChildOrder(index, of: node)
    }

    var count: Int { node.childCount }

    /// The place of a child, or `nil` if there is none of this key. O(log n).
    func place(of key: ChildKey) -> Int? {
        guard let order else { return node.children.index(of: key) }
        let child = node.child(key)
        guard !child.isEmpty else { return nil }
        return order.positions.index(
            of: index.position(of: (key, child)), by: IndexPosition.compare)
    }

    /// The place of the first child for which `isFound` holds. O(log n).
    ///
    /// `isFound` must then hold for all later children too.
    func firstPlace(where isFound: (IndexPosition) -> Bool) -> Int {
        if let order { return order.positions.firstIndex(where: isFound) }
        let children = node.children
        var (low, high) = (0, children.count)
        while low < high {
            let middle = (low + high) / 2
            if isFound(index.position(of: children[middle])) {
                high = middle
            } else {
                low = middle + 1
            }
        }
        return low
    }

    /// The keys at some places, in order. O(log n + k).
    func keys(at places: Range<Int>) -> [ChildKey] {
        guard let order else { return places.map { node.children[$0].key } }
        var keys: [ChildKey] = []
        keys.reserveCapacity(places.count)
        guard !places.isEmpty else { return keys }
        order.positions.walk(from: places.lowerBound) { position in
            if case .key(let key) = position.key { keys.append(key) }
            return keys.count < places.count
        }
        return keys
    }
}
