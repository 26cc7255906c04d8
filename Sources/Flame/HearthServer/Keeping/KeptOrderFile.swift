import HearthModel

/// The file of the orders to keep places, beside the databases. Blocks on the disk.
struct KeptOrderFile: Sendable {
    private let file: OrderFile

    /// Where it lies.
    var path: String { file.path }

    /// The file in the folder of the databases.
    init(folder: String) {
        file = OrderFile("kept-places.json", of: "The places to keep", in: folder)
    }

    /// The orders; none if there is no file.
    ///
    /// - Throws: `dataLoss` for a file that holds no orders, `unavailable` if the disk refuses.
    func read() throws(HearthError) -> KeptOrders {
        guard let bytes = try file.read() else { return KeptOrders() }
        guard let orders = KeptOrders(bytes) else {
            throw HearthError(
                code: .dataLoss,
                message:
                    "\(path) holds no list of places, so only those of realtime.keep are kept. "
                    + "Mend or remove it; then the orders that it holds count again.")
        }
        return orders
    }

    /// Replaces the orders: after a power cut the file holds the old or the new orders, whole.
    ///
    /// - Throws: `unavailable` if the disk refuses; the old orders then stay.
    func write(_ orders: KeptOrders) throws(HearthError) { try file.write(orders.bytes) }
}
