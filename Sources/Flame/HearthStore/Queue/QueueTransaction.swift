package import HearthEngine
package import HearthModel
package import HearthSQLite

/// A transaction of a store with queues, whatever database the queues are for.
///
/// The extensions work on the tables that every such store has: `mutations`, `mutation_queues`,
/// `write_records`, `forgotten_writes`, `dead_letters`, and the row of counters in `store`. Beside
/// the columns that are named here, a table may have columns of its content's own.
///
/// Each call throws `StoreError` if the disk fails or a row is damaged; the transaction is then void.
package protocol QueueTransaction: StoreTransaction where Memory: QueueTransactionMemory {
    /// What becomes of a write.
    associatedtype Outcome: StoredOutcome

    /// The connection that the transaction works on.
    var connection: Connection { get }
    /// How far the forgetting of answered writes has come.
    ///
    /// Not undone: the next step looks for rows anew.
    var forgetting: Forgetting { get set }

    /// Forgets a rejected batch.
    func removeDeadLetter(_ batch: BatchID) throws(StoreError)
    /// Forgets what the content alone keeps of batches that have left the queues, a few rows at a time.
    ///
    /// - Returns: Whether there are more.
    func forgetMore(_ bounds: RecordBounds) throws(StoreError) -> Bool

    /// How much there is in the queues, as the turns so far have left it.
    func queueTallies() throws(StoreError) -> QueueTallies
    /// Changes how much there is in the queues; the commit stores the tallies.
    func tallyQueue(_ change: (inout QueueTallies) -> Void) throws(StoreError)
}

extension QueueTransaction {
    /// Most contents keep nothing more.
    package func forgetMore(_ bounds: RecordBounds) throws(StoreError) -> Bool { false }
}

/// What a transaction with queues knows without reading.
package protocol QueueTransactionMemory: TransactionMemory {
    /// What is known of the queues.
    var queues: QueueMemory { get set }
    /// What each Unix user has in the queues.
    var loads: QueueLoadMemory { get set }
    /// What is known of the batches that came last.
    var batches: BatchMemory { get set }
    /// What is known of clients that wrote lately.
    var records: RecordMemory { get set }
}

/// What is known of the batches that came last.
package struct BatchMemory {
    /// The batch that was appended last to each queue.
    var last: [Int64: BatchID] = [:]
    /// When the last batch was written, which is the time we know.
    var lastWrittenAt: Timestamp?

    /// Knows nothing.
    package init() {}
}

/// How much there is in the queues, kept by whoever adds or takes away.
package struct QueueTallies: Hashable, Sendable {
    /// Batches of all queues.
    var batchCount = 0
    /// How many of the batches an administrator keeps back.
    var heldBatchCount = 0
    /// The size of all batches' writes.
    var batchByteCount = 0
    /// Rejected batches.
    var deadLetterCount = 0
}
