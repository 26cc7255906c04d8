import HearthEngine
package import HearthModel

/// What is pinned, and how much users may pin.
package struct PinConfiguration: Hashable, Sendable {
    /// Bytes of a query that is pinned: each pin's query stays in memory, in the file of orders and in the
    /// store, and every list of pins has it.
    package static let queryByteCountMax = 64 << 10

    /// Documents and collections of the default database that are pinned without an order.
    package var keep: [ResourcePath] = []
    /// Pins that one Unix user may have.
    package var uidCountMax = 50
    /// Bytes of results that the pins of one Unix user may have in a database.
    package var uidByteCountMax = 64 << 20
    /// Pins that are watched at a time in a database, all users together.
    package var watchedCountMax = 100

    /// The defaults.
    package init() {}

    /// The pins of the default database that need no order.
    var pins: [Pin] {
        keep.map { path in
            Pin(id: Pin.ID(uid: nil, name: path.string), query: Query(path: path))
        }
    }
}
