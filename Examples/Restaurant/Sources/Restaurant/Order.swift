import Hearth

/// What a table has ordered: one document of the collection `orders`.
public struct Order: Codable, Sendable {
    /// How far the kitchen is.
    public enum State: String, Codable, Sendable {
        case ordered
        case ready
    }

    /// The document's name, which is filled in when the order is read.
    @DocumentID public var id: String?
    /// Whose order it is.
    public var table: Int
    /// A name for each plate.
    public var dishes: [String]
    /// Whether the kitchen still has to cook it.
    public var state = State.ordered
    /// When Firestore took it; `nil` as long as it waits on this machine.
    @ServerTimestamp public var orderedAt: Timestamp?

    /// Takes down an order.
    public init(table: Int, dishes: [String]) {
        self.table = table
        self.dishes = dishes
    }
}
