import HearthEngine
import HearthModel

/// The orders of all programs of one kind, as a file has them: a list of objects.
struct OrderList<Order: StoredOrder>: Hashable, Sendable {
    /// The orders, in the order of coming.
    var list: [Order] = []
    /// Entries of the file that say nothing to this daemon. They count for nothing, and stay.
    private(set) var unread: [JSONValue] = []

    /// No orders.
    init() {}

    /// Reads a file; `nil` if it is none.
    init?(_ bytes: [UInt8]) {
        guard let elements = (try? JSONReader.read(bytes))?.elements else { return nil }
        for element in elements {
            if let order = Order(element) {
                list.append(order)
            } else {
                unread.append(element)
            }
        }
    }

    /// The bytes of a file.
    var bytes: [UInt8] {
        JSONWriter.bytes(of: .array(list.compactMap(\.value) + unread)) + [UInt8(ascii: "\n")]
    }

    /// How many orders a Unix user pays for.
    func count(of uid: UInt32) -> Int { list.count { $0.peer.orderPayer == uid } }

    /// How many engines a Unix user has orders for, with one more.
    func engineCount(of uid: UInt32, with key: EngineKey) -> Int {
        Set(list.filter { $0.peer.orderPayer == uid }.map(\.key)).union([key]).count
    }
}
