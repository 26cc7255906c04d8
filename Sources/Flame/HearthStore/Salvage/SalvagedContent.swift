package import HearthEngine
package import HearthModel
package import HearthSQLite

/// A content whose queues are saved from a damaged file.
package protocol SalvagedContent: EngineContent where Transaction: QueueTransaction {
    /// A batch of a queue.
    associatedtype Batch: SalvagedBatch
    /// A rejected batch.
    associatedtype Letter: SalvagedLetter where Letter.Batch == Batch

    /// What becomes of a write.
    typealias Outcome = Transaction.Outcome

    /// What a row of `mutations` and of `dead_letters` has behind the writer: the size, then the writes.
    static var writesShape: [StoredRecord.Column] { get }
    /// Whether SQLite's kinds of columns fit a row of `store`, in the form of any version.
    static func isCounters(_ kinds: [Int64]) -> Bool
    /// Reads the row of counters; `nil` if the row cannot be from this store.
    func counters(_ record: StoredRecord) -> SalvagedCounters?
    /// Reads a batch whose writes, with their size in front, begin at a column.
    ///
    /// - Parameters:
    ///   - head: What the batch has beside its writes.
    ///   - record: The row that the salvage has read.
    ///   - column: The index of the column with the size, from 0.
    /// - Throws: `StoreError.damaged` for columns that no batch has.
    func batch(_ head: QueuedHead, _ record: StoredRecord, at column: Int) throws(StoreError)
        -> Batch
    /// Reads what a record of the intake log tells of queues.
    ///
    /// - Throws: `StoreError.damaged` for bytes that no group leaves.
    func salvagedEntries(from bytes: [UInt8]) throws(StoreError) -> [SalvagedEntry<Self>]
    /// Puts the batches, the dead letters and the counters of a salvage into a new store.
    ///
    /// - Throws: `StoreError` if the disk does not take them.
    func restore(_ salvage: Salvage<Self>, in transaction: Transaction) throws(StoreError)
}

/// A batch of a queue, as a salvage deals with it.
package protocol SalvagedBatch: Sendable {
    /// What the batch has beside its writes.
    var head: QueuedHead { get }
    /// The same batch in a user's queue, in a state.
    func moved(to user: UserID, _ state: BatchState) -> Self
}

/// A rejected batch, as a salvage deals with it.
package protocol SalvagedLetter: Sendable {
    /// The type of the batch.
    associatedtype Batch
    /// The batch as it was in the queue.
    var salvagedBatch: Batch { get }
    /// Why the batch was refused.
    var error: HearthError { get }
    /// Whether an earlier sending got no answer.
    var mayHaveBeenApplied: Bool { get }
    /// Buries a batch.
    ///
    /// - Parameters:
    ///   - batch: The batch as it was in the queue.
    ///   - error: Why the batch was rejected, or why its outcome is in doubt.
    ///   - rejectedAt: When the backend rejected the batch; for a batch in doubt, when the batch
    ///     was written.
    ///   - mayHaveBeenApplied: Whether the backend may have applied the batch.
    init(
        salvaged batch: Batch, error: HearthError, rejectedAt: Timestamp,
        mayHaveBeenApplied: Bool)
}

/// What the intake log tells of queues.
package enum SalvagedEntry<Content: SalvagedContent> {
    /// A batch came to the end of a queue.
    case batch(Content.Batch)
    /// A batch left its queue.
    case left(BatchID)
    /// A batch was rejected.
    case letter(Content.Letter)
    /// A batch got terms, or its terms were forgotten.
    case terms(SendingTerms?, BatchID)
    /// Something else of queues and records.
    case queue(QueueIntakeEntry<Content.Outcome>)
}

/// The row of counters.
package struct SalvagedCounters: Hashable, Sendable {
    let version: StoreVersion
    let lastBatch: BatchID
    var createsIndexes = false
    /// The number that the intake log's records bear; `nil` if there never was a log.
    var salt: UInt64?
    /// How many queued batches and dead letters the last commit has counted.
    var batchCount: Int?
    var letterCount: Int?
    /// How many documents the cache had; `nil` if it has no documents, or that is not known.
    var documentCount: Int?
    /// The store's name among all daemons'; `nil` if it had none.
    var daemon: String?
    /// The last time that a batch has promised; `nil` if none has.
    var lastPromisedAt: Timestamp?

    /// Reads what all rows of counters begin with; `nil` for numbers that no store has.
    init?(_ record: StoredRecord, of name: String, version: Int, lastBatch: Int) {
        guard record.row == 1, record.text(1).map({ utf8Equals($0, name) }) == true,
            (0..<StoreVersion.max).contains(record.number(version)),
            (0..<BatchRow.numberMax).contains(record.number(lastBatch))
        else { return nil }
        self.version = StoreVersion(record.number(version))
        self.lastBatch = BatchID(record.number(lastBatch))
    }

    /// A column's count, within what can be counted.
    static func count(_ number: Int64) -> Int { Int(min(max(0, number), BatchRow.numberMax)) }
}
