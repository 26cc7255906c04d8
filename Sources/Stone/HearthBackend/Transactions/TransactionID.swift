/// A transaction's name.
///
/// Shape on the wire: run u64 BE | number u64 BE | priority u64 BE.
package struct TransactionID: Hashable, Comparable, Sendable {
    /// The run of the backend that began the transaction.
    package let run: UInt64
    /// Rising within the run, from 1.
    package let number: UInt64
    /// The number of the first try that the transaction repeats; the transaction's own number for a
    /// first try. Of two transactions in each other's way, the lesser goes first.
    package let priority: UInt64

    init(run: UInt64, number: UInt64, priority: UInt64) {
        self.run = run
        self.number = number
        self.priority = priority
    }

    /// Reads what `bytes` gave; `nil` for anything else.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count == 24 else { return nil }
        func word(_ index: Int) -> UInt64 {
            bytes[(index * 8)..<(index * 8 + 8)].reduce(0) { $0 << 8 | UInt64($1) }
        }
        self.init(run: word(0), number: word(1), priority: word(2))
    }

    /// The name as clients hold it.
    package var bytes: [UInt8] {
        [run, number, priority].flatMap { word in
            stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: word >> $0) }
        }
    }

    /// Whether the transaction repeats an aborted transaction.
    var isRetry: Bool { priority < number }

    /// The older try first.
    package static func < (lhs: Self, rhs: Self) -> Bool {
        (lhs.priority, lhs.number) < (rhs.priority, rhs.number)
    }
}
