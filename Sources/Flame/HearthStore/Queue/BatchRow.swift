import HearthModel
import HearthSQLite

/// The row of a batch in the table `mutations`: its queue, and below it the number.
///
/// So a queue's batches lie together and in order, and need no index besides.
enum BatchRow {
    /// More batches than a machine accepts in fifty years at ten thousand a second.
    static let numberMax: Int64 = 1 << numberBitCount - 1
    private static let numberBitCount: Int64 = 44

    /// The row of a batch. A number that no batch can have leads to a row that is not there.
    static func id(of batch: BatchID, in queue: Int64) -> Int64 {
        queue << numberBitCount | min(max(batch.rawValue, 0), numberMax)
    }

    /// Behind the last row of a queue.
    static func end(of queue: Int64) -> Int64 { (queue + 1) << numberBitCount }

    /// The queue of a row.
    static func queue(_ id: Int64) -> Int64 { id >> numberBitCount }

    /// The batch of a row.
    static func batch(_ id: Int64) -> BatchID { BatchID(id & numberMax) }
}
