package import HearthEngine
package import HearthModel
package import HearthRealtime
package import HearthSQLite

/// How the queues of a Realtime Database's store are saved. The server has the tree.
extension RealtimeContent: SalvagedContent {
    /// A batch of a queue.
    package typealias Batch = QueuedWrite
    /// A rejected batch.
    package typealias Letter = RealtimeDeadLetter

    /// The size, then the change.
    package static var writesShape: [StoredRecord.Column] { [.number, .bytes] }

    /// All versions have the same columns.
    package static func isCounters(_ kinds: [Int64]) -> Bool {
        let numbers = [StoredRecord.Column](repeating: .number, count: 9)
        return StoredRecord.kinds(kinds, fit: [.null, .text] + numbers + [.text])
    }

    package func counters(_ record: StoredRecord) -> SalvagedCounters? {
        guard Self.isCounters(record.kinds),
            var counters = SalvagedCounters(
                record, of: instance.description, version: 2, lastBatch: 3)
        else { return nil }
        counters.batchCount = SalvagedCounters.count(record.number(5))
        counters.letterCount = SalvagedCounters.count(record.number(8))
        let salt = UInt64(bitPattern: record.number(10))
        counters.salt = salt == 0 ? nil : salt
        counters.daemon = record.text(11).flatMap { $0.isEmpty ? nil : $0 }
        return counters
    }

    package func batch(_ head: QueuedHead, _ record: StoredRecord, at column: Int)
        throws(StoreError) -> QueuedWrite
    {
        let change = record.data(column + 1) ?? []
        guard record.number(column) == Int64(change.count) else {
            throw .damaged("the size of write \(head.id)")
        }
        return QueuedWrite(head, try ChangeBytes.change(from: change))
    }

    package func salvagedEntries(from bytes: [UInt8]) throws(StoreError)
        -> [SalvagedEntry<RealtimeContent>]
    {
        try RealtimeIntakeEntry.entries(from: bytes).compactMap { entry in
            switch entry {
            case .write(let write): .batch(write)
            case .writeLeft(let id, _): .left(id)
            case .queue(let entry): .queue(entry)
            case .deadLetter(let letter): .letter(letter)
            case .globals, .serverNode, .serverPruned, .trackedQuery, .trackedQueryRemoved,
                .trackedQueriesDeactivated, .trackedKeys, .trackedKeysRemoved:
                nil  // Can be had again.
            }
        }
    }

    package func restore(
        _ salvage: Salvage<RealtimeContent>, in transaction: RealtimeSQLiteTransaction
    ) throws(StoreError) {
        for write in salvage.batches { try transaction.append(write) }
        for letter in salvage.deadLetters { try transaction.appendDeadLetter(letter) }
        if let daemon = salvage.daemon { try transaction.restoreName(daemon) }
        var globals = try transaction.globals()
        globals.lastWriteID = salvage.lastBatchID  // No number may be used twice.
        try transaction.setGlobals(globals)
    }
}

extension QueuedWrite: SalvagedBatch {
    /// What the write has beside its change.
    package var head: QueuedHead {
        QueuedHead(id: id, user: user, state: state, writtenAt: writtenAt, writer: writer)
    }

    /// The same write in a user's queue, in a state.
    package func moved(to user: UserID, _ state: BatchState) -> QueuedWrite {
        QueuedWrite(
            id: id, change: change, writtenAt: writtenAt, user: user, state: state, writer: writer)
    }

    /// Joins both parts of a write.
    init(_ head: QueuedHead, _ change: RealtimeChange) {
        self.init(
            id: head.id, change: change, writtenAt: head.writtenAt, user: head.user,
            state: head.state, writer: head.writer)
    }
}

extension RealtimeDeadLetter: SalvagedLetter {
    /// The write as it was in the queue.
    package var salvagedBatch: QueuedWrite { write }

    /// Buries a write.
    ///
    /// - Parameters:
    ///   - batch: The write as it was in the queue.
    ///   - error: Why the write was rejected, or why its outcome is in doubt.
    ///   - rejectedAt: When the backend rejected the writes; for writes in doubt, when they were
    ///     written.
    ///   - mayHaveBeenApplied: Whether the backend may have applied the write.
    package init(
        salvaged batch: QueuedWrite, error: HearthError, rejectedAt: Timestamp,
        mayHaveBeenApplied: Bool
    ) {
        self.init(
            write: batch, error: error, rejectedAt: rejectedAt,
            mayHaveBeenApplied: mayHaveBeenApplied)
    }
}
