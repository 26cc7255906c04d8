import Dispatch
import HearthModel
import Synchronization

/// The orders of all programs of one kind, over restarts: in memory, once they were read from a file.
///
/// All changes of the orders run on the book's queue, one change after another.
final class OrderBook<Order: StoredOrder>: Sendable {
    private enum State: Sendable {
        /// The file was not read yet, or could not be: nothing may be written over it.
        case unread(HearthError?)
        case read(OrderList<Order>)
    }

    /// Where the orders change, since each change blocks on the disk.
    let queue: DispatchQueue
    private let state = Mutex(State.unread(nil))
    /// Where orders lie; `nil` if the daemon keeps nothing on disk.
    private let file: OrderListFile<Order>?

    /// A book without orders, until `load`.
    ///
    /// - Parameter label: The name of the book's queue.
    init(folder: String?, label: String) {
        queue = DispatchQueue(label: label)
        file = folder.map { OrderListFile(folder: $0) }
    }

    /// Reads the orders of the daemon's life before, unless that is done. Blocks on the disk.
    ///
    /// If the file cannot be read, `complaint` tells why, and each order tries again.
    func load() { queue.sync { _ = try? loaded() } }

    /// Whether the orders were read.
    var isLoaded: Bool {
        if case .read = state.withLock({ $0 }) { true } else { false }
    }

    /// The orders. Blocks on the disk if they were not read yet. On `queue` only.
    func loaded() throws(HearthError) -> OrderList<Order> {
        if case .read(let orders) = state.withLock({ $0 }) { return orders }
        do throws(HearthError) {
            let orders = try file?.read() ?? OrderList()
            state.withLock { $0 = .read(orders) }
            return orders
        } catch {
            state.withLock { $0 = .unread(error) }
            throw error
        }
    }

    /// Replaces the orders, on the disk first. On `queue` only.
    ///
    /// - Throws: `unavailable` if the disk refuses; the old orders then stay.
    func store(_ orders: OrderList<Order>) throws(HearthError) {
        try file?.write(orders)
        state.withLock { $0 = .read(orders) }
    }

    /// The orders as far as they are known.
    var known: [Order] {
        if case .read(let orders) = state.withLock({ $0 }) { orders.list } else { [] }
    }

    /// Why not all counts that programs ordered; `nil` if all does.
    var complaint: String? {
        switch state.withLock({ $0 }) {
        case .unread(let error): return error?.message
        case .read(let orders):
            guard !orders.unread.isEmpty else { return nil }
            let words = Order.words
            return
                "\(orders.unread.count) of the entries of \(file?.path ?? "the list of \(words.things)") "
                + "are no \(words.entries). They count for nothing; mend or remove them."
        }
    }
}
