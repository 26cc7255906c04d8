import HearthModel

/// The orders of all programs to keep places, as a file has them: a list of objects.
struct KeptOrders: Hashable, Sendable {
    /// The orders, in the order of coming.
    var list: [KeptOrder] = []
    /// Entries of the file that say nothing to this daemon. They count for nothing, and stay.
    private(set) var unread: [JSONValue] = []

    /// No orders.
    init() {}

    /// Reads a file; `nil` if it is none.
    init?(_ bytes: [UInt8]) {
        guard let elements = (try? JSONReader.read(bytes))?.elements else { return nil }
        for element in elements {
            if let order = KeptOrder(element) {
                list.append(order)
            } else {
                unread.append(element)
            }
        }
    }

    /// The bytes of a file.
    var bytes: [UInt8] {
        JSONWriter.bytes(of: .array(list.map(\.value) + unread)) + [UInt8(ascii: "\n")]
    }

    /// How many instances a Unix user keeps places of, with one more.
    func instanceCount(of uid: UInt32, with instance: InstanceID) -> Int {
        Set(list.filter { $0.peer.orderPayer == uid }.map(\.instance)).union([instance]).count
    }
}
