/// A node with its children in the order of an index.
///
/// Where the order of keys will do, there is no second tree. Otherwise one is made once, in
/// O(n log n), and kept with each change of a child, in O(log n).
package struct IndexedNode: Sendable {
    /// The node.
    package private(set) var node: Node
    /// The order.
    package let index: QueryIndex
    /// The places of all children; `nil` if they are in the order of their keys.
    private var order: OrderedTree<IndexPosition>?

    /// Sorts the children of a node.
    package init(_ node: Node, by index: QueryIndex) {
        self.node = node
        self.index = index
        sort()
    }

    private mutating func sort() {
        guard !index.isByKey(in: node) else {
            order = nil
            return
        }
        let positions = RankedPositions(node.children.map(index.position(of:)))
        order = OrderedTree(sorted: positions.sorted)
    }

    /// Whether the children are in the order of their keys; there is then no second tree.
    package var isByKey: Bool { order == nil }

    /// How many children there are.
    package var count: Int { node.childCount }

    /// The child at a place, which must exist.
    package subscript(place: Int) -> NodeChildren.Element {
        guard let order else { return node.children[place] }
        guard case .key(let key) = order[place].key else {
            preconditionFailure("A child without a key")
        }
        return (key, node.child(key))
    }

    /// The child at a place; `nil` if there is none.
    package func child(at place: Int) -> NodeChildren.Element? {
        place >= 0 && place < count ? self[place] : nil
    }

    /// The first child.
    package var first: NodeChildren.Element? { child(at: 0) }

    /// The last child.
    package var last: NodeChildren.Element? { child(at: count - 1) }

    /// The first place that does not come before a position; `count` if there is none.
    package func place(atOrAfter position: IndexPosition) -> Int {
        firstPlace { $0 >= position }
    }

    /// The first place after a position; `count` if there is none.
    package func place(after position: IndexPosition) -> Int { firstPlace { $0 > position } }

    /// The first place for which `isFound` holds; `isFound` must also hold for every later place.
    package func firstPlace(where isFound: (IndexPosition) -> Bool) -> Int {
        if let order { return order.firstIndex(where: isFound) }
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) / 2
            if isFound(index.position(of: node.children[middle])) {
                high = middle
            } else {
                low = middle + 1
            }
        }
        return low
    }

    /// The place of a child; `nil` if it is not there.
    package func place(of key: ChildKey) -> Int? {
        let child = node.child(key)
        guard !child.isEmpty else { return nil }
        return place(atOrAfter: index.position(of: (key, child)))
    }

    /// The keys at some places, in order. O(log n + k).
    package func keys(at places: Range<Int>) -> [ChildKey] {
        guard let order else { return node.children[places].map(\.key) }
        var keys: [ChildKey] = []
        keys.reserveCapacity(places.count)
        guard !places.isEmpty else { return keys }
        order.walk(from: places.lowerBound) { position in
            if case .key(let key) = position.key { keys.append(key) }
            return keys.count < places.count
        }
        return keys
    }

    /// The key of the child before a child; `nil` if that is the first.
    package func key(before key: ChildKey) -> ChildKey? {
        place(of: key).flatMap { child(at: $0 - 1)?.key }
    }

    /// Puts a child in its place; an empty one is taken out.
    package mutating func setChild(_ key: ChildKey, to child: Node) {
        let old = node
        node = node.settingChild(key, to: child)
        guard order != nil, !old.isLeaf else { return sort() }
        move(key, from: old.child(key), to: child)
    }

    /// Takes another version of the node, in which only the children of some keys differ.
    ///
    /// - Complexity: O(log n) for each key; O(n log n) if the order of keys no longer does.
    package mutating func take(_ version: Node, changing keys: [ChildKey]) {
        let old = node
        node = version
        guard order != nil else { return sort() }
        for key in keys { move(key, from: old.child(key), to: version.child(key)) }
    }

    private mutating func move(_ key: ChildKey, from old: Node, to new: Node) {
        let before = old.isEmpty ? nil : index.position(of: (key, old))
        let after = new.isEmpty ? nil : index.position(of: (key, new))
        guard before != after else { return }
        if let before { order?.remove(before, by: IndexPosition.compare) }
        if let after { order?.insert(after, by: IndexPosition.compare) }
    }

    /// Gives the node itself a priority, which moves none of its children.
    package mutating func setPriority(_ priority: LeafValue?) {
        node = node.settingPriority(priority)
    }

    /// The places of the children that a query of this order asks for.
    ///
    /// - Complexity: O(log n).
    package func window(of query: QueryParameters) -> Range<Int> {
        precondition(query.index == index, "A query in another order")
        var lower = query.start == nil ? 0 : firstPlace(where: query.isAfterStart)
        var upper = query.end == nil ? count : firstPlace { !query.isBeforeEnd($0) }
        upper = max(lower, upper)
        if let limit = query.limit {
            switch limit.side {
            case .first: upper = min(upper, lower + limit.count)
            case .last: lower = max(lower, upper - limit.count)
            }
        }
        return lower..<upper
    }
}
