/// The sort order of the children of a node. Keys break ties.
package enum QueryIndex: Hashable, Sendable {
    case priority
    case key
    case value
    /// What lies at a path below each child. Never the root.
    case child(RealtimePath)

    /// Where a child stands in this order.
    package func position(of child: NodeChildren.Element) -> IndexPosition {
        IndexPosition(value: sortValue(of: child.node), key: .key(child.key))
    }

    /// The sort value of a child; with the key index, equal for all children.
    package func sortValue(of node: Node) -> SortValue {
        switch self {
        case .priority: node.priority.map(SortValue.leaf) ?? .absent
        case .key: .absent
        case .value: SortValue(node)
        case .child(let path): SortValue(node.node(at: path))
        }
    }

    /// The order of keys is this order too, whatever there is in the node.
    package func isByKey(in node: Node) -> Bool {
        switch self {
        case .key: true
        case .priority: !node.hasChildPriorities
        case .value, .child: false
        }
    }
}

/// The sort value of a child: nothing, then leaves, then all nodes with children, equal in order.
package enum SortValue: Hashable, Comparable, Sendable {
    case absent
    case leaf(LeafValue)
    case children

    /// The sort value of a node.
    package init(_ node: Node) {
        self = node.isEmpty ? .absent : node.leaf.map(SortValue.leaf) ?? .children
    }

    /// The sort value of a query's bound; `nil` is null, which is absent.
    package init(_ leaf: LeafValue?) {
        self = leaf.map(SortValue.leaf) ?? .absent
    }
}

/// A key, or what comes before or after all keys.
package enum KeyBound: Hashable, Comparable, Sendable {
    case least
    case key(ChildKey)
    case greatest
}

/// A place in the order of an index.
package struct IndexPosition: Hashable, Comparable, Sendable {
    /// The sort value, which counts first.
    package let value: SortValue
    /// The key, which breaks ties.
    package let key: KeyBound

    /// Names a place.
    package init(value: SortValue, key: KeyBound) {
        self.value = value
        self.key = key
    }

    /// Orders two places: negative, zero or positive.
    package static func compare(_ lhs: Self, _ rhs: Self) -> Int {
        if lhs.value != rhs.value { return lhs.value < rhs.value ? -1 : 1 }
        return lhs.key == rhs.key ? 0 : lhs.key < rhs.key ? -1 : 1
    }

    package static func < (lhs: Self, rhs: Self) -> Bool { compare(lhs, rhs) < 0 }
}
