/// An event for a listener.
package struct RealtimeEvent: Hashable, Sendable {
    /// The kinds of event that a listener asks for; one batch reports events in this order.
    package enum Kind: Int, Hashable, Comparable, CaseIterable, Sendable {
        case childRemoved
        case childAdded
        case childMoved
        case childChanged
        case value

        package static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }
    }

    /// What happened.
    package let kind: Kind
    /// The key of the changed child; `nil` for a value.
    package let key: ChildKey?
    /// The child now; for a removed child, the child before. For a value, the whole node.
    package let node: Node
    /// The child before it in the order of the query; `nil` if it is the first, was removed, or for a value.
    package let previousKey: ChildKey?

    /// Says what happened.
    ///
    /// - Parameters:
    ///   - kind: What happened.
    ///   - key: The key of the changed child; `nil` for a value.
    ///   - node: The child now; for a removed child, the child before. For a value, the whole node.
    ///   - previousKey: The key of the child before the changed child in the order of the query;
    ///     `nil` for the first child, for a removed child, and for a value.
    package init(_ kind: Kind, key: ChildKey?, node: Node, previousKey: ChildKey?) {
        self.kind = kind
        self.key = key
        self.node = node
        self.previousKey = previousKey
    }
}
