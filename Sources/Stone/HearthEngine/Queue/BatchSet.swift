import HashTreeCollections
package import HearthModel

/// A set of batches, whose numbers lie close together: sixty-four to a word.
///
/// Persistent: a copy is cheap.
package struct BatchSet: Sendable {
    private var words: TreeDictionary<Int64, UInt64> = [:]

    /// The empty set.
    package init() {}

    /// Whether there are none.
    package var isEmpty: Bool { words.isEmpty }

    /// Whether a batch is in the set.
    package func contains(_ batch: BatchID) -> Bool {
        words[batch.rawValue >> 6].map { $0 & Self.bit(of: batch) != 0 } ?? false
    }

    /// Adds a batch.
    package mutating func insert(_ batch: BatchID) {
        words[batch.rawValue >> 6, default: 0] |= Self.bit(of: batch)
    }

    /// Takes a batch away, if it is there.
    package mutating func remove(_ batch: BatchID) {
        let place = batch.rawValue >> 6
        guard let word = words[place] else { return }
        let rest = word & ~Self.bit(of: batch)
        words[place] = rest == 0 ? nil : rest
    }

    /// Visits all, in no order.
    package func visit(_ body: (BatchID) -> Void) {
        for (place, word) in words {
            var rest = word
            while rest != 0 {
                body(BatchID(place << 6 | Int64(rest.trailingZeroBitCount)))
                rest &= rest - 1
            }
        }
    }

    private static func bit(of batch: BatchID) -> UInt64 { 1 << UInt64(batch.rawValue & 63) }
}
