/// An event of a query, for loops.
public struct DatabaseEvent: Sendable {
    /// What happened.
    public let type: DataEventType
    /// The child, or the whole value.
    public let snapshot: DataSnapshot
    /// The key of the child before in the query's order; `nil` for the first child, for a child
    /// that was removed, and for values.
    public let previousSiblingKey: String?
}
