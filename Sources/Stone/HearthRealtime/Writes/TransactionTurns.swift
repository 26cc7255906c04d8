import HearthEngine
import HearthModel

/// The turn among the transactions of one session: a program computes one at a time.
///
/// The turns go by the order of coming. A transaction that must run again therefore goes before the
/// transactions that came later.
struct TransactionTurns: Sendable {
    private struct Place: Sendable {
        let number: Int64
        let id: RequestID
    }

    private var all = OrderedTree<Place>()
    private var line = OrderedTree<Place>()
    /// The transaction that the program computes.
    private(set) var running: RequestID?

    var isEmpty: Bool { all.count == 0 }
    var count: Int { all.count }
    /// All transactions of the session, in the order of coming.
    var ids: [RequestID] { all.elements.map(\.id) }

    /// Puts a transaction in the line. O(log n).
    mutating func enqueue(_ transaction: PendingTransaction) {
        let place = Place(number: transaction.number, id: transaction.id)
        all.insert(place, by: Self.order)
        line.insert(place, by: Self.order)
    }

    /// Takes the first of the line, unless the program computes. O(log n).
    mutating func startNext() -> RequestID? {
        guard running == nil, let next = line.first else { return nil }
        line.remove(next, by: Self.order)
        running = next.id
        return next.id
    }

    /// The program has computed.
    mutating func finishRunning() { running = nil }

    /// Forgets a transaction that is over. O(log n).
    mutating func remove(_ transaction: PendingTransaction) {
        let place = Place(number: transaction.number, id: transaction.id)
        all.remove(place, by: Self.order)
        line.remove(place, by: Self.order)
        if running == transaction.id { running = nil }
    }

    private static func order(_ lhs: Place, _ rhs: Place) -> Int {
        lhs.number == rhs.number ? 0 : lhs.number < rhs.number ? -1 : 1
    }
}
