import HearthModel

/// The file of the orders of one kind, beside the databases. Blocks on the disk.
struct OrderListFile<Order: StoredOrder>: Sendable {
    private let file: OrderFile

    /// Where it lies.
    var path: String { file.path }

    /// The file in the folder of the databases.
    init(folder: String) {
        file = OrderFile(Order.words.fileName, of: Order.words.subject, in: folder)
    }

    /// The orders; none if there is no file.
    ///
    /// - Throws: `dataLoss` for a file that holds no orders, `unavailable` if the disk refuses.
    func read() throws(HearthError) -> OrderList<Order> {
        guard let bytes = try file.read() else { return OrderList() }
        guard let orders = OrderList<Order>(bytes) else {
            let words = Order.words
            throw HearthError(
                code: .dataLoss,
                message: "\(path) holds no list of \(words.things), so only those of "
                    + "\(words.configurationKey) are kept. Mend or remove it; then the orders that "
                    + "it holds count again.")
        }
        return orders
    }

    /// Replaces the orders: after a power cut the file holds the old or the new orders, whole.
    ///
    /// - Throws: `unavailable` if the disk refuses; the old orders then stay.
    func write(_ orders: OrderList<Order>) throws(HearthError) { try file.write(orders.bytes) }
}
