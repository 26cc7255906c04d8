/// The change of one child.
package struct ChildChange: Hashable, Sendable {
    /// The ways in which a child can change.
    package enum Kind: Hashable, Sendable {
        case added
        case changed(from: Node)
        case removed
    }

    /// The kind of change.
    package let kind: Kind
    /// Its key.
    package let key: ChildKey
    /// The child now; for a removed child, the child before.
    package let node: Node

    /// Says what became of a child.
    ///
    /// - Parameters:
    ///   - kind: The kind of change.
    ///   - key: The child's key.
    ///   - node: The child now; for a removed child, the child before.
    package init(_ kind: Kind, key: ChildKey, node: Node) {
        self.kind = kind
        self.key = key
        self.node = node
    }
}
