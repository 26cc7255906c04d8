package import HearthEngine
package import HearthFirestore
package import HearthModel
import HearthProtocol
package import HearthSQLite

/// How the queues of a store of documents are saved.
extension FirestoreContent: SalvagedContent {
    /// A batch of a queue.
    package typealias Batch = QueuedBatch
    /// A rejected batch.
    package typealias Letter = DeadLetter

    /// The size, then base_writes and writes.
    package static var writesShape: [StoredRecord.Column] { [.number, .bytes, .bytes] }

    /// A row from before the later columns has none of these columns.
    package static func isCounters(_ kinds: [Int64]) -> Bool {
        let columns: [StoredRecord.Column] = [
            .null, .text, .number, .number, .number, .time, .number,
        ]
        let later = kinds.count - columns.count
        guard later >= 0 else { return false }
        let numbers = [StoredRecord.Column](
            repeating: .number, count: min(later, laterCounterCount))
        let name: [StoredRecord.Column] = later > laterCounterCount ? [.text] : []
        let promise: [StoredRecord.Column] = later > laterCounterCount + 1 ? [.number] : []
        return StoredRecord.kinds(kinds, fit: columns + numbers + name + promise)
    }

    /// How many number columns `store` has got since its first version; the columns of the name and
    /// of the last promise follow.
    private static let laterCounterCount = 9

    package func counters(_ record: StoredRecord) -> SalvagedCounters? {
        func number(_ column: Int) -> Int64? {
            column < record.kinds.count ? record.number(column) : nil
        }
        guard Self.isCounters(record.kinds),
            var counters = SalvagedCounters(record, of: database.name, version: 2, lastBatch: 6)
        else { return nil }
        counters.createsIndexes = number(7) == 1
        counters.documentCount = number(8).map(SalvagedCounters.count)
        counters.batchCount = number(11).map(SalvagedCounters.count)
        counters.letterCount = number(14).map(SalvagedCounters.count)
        counters.salt = number(15).flatMap { $0 == 0 ? nil : UInt64(bitPattern: $0) }
        if record.kinds.count > 16, let name = record.text(16), !name.isEmpty {
            counters.daemon = name
        }
        counters.lastPromisedAt = number(17).flatMap { Timestamp(storedPromise: $0) }
        return counters
    }

    package func batch(_ head: QueuedHead, _ record: StoredRecord, at column: Int)
        throws(StoreError) -> QueuedBatch
    {
        let (bases, writes) = (record.data(column + 1) ?? [], record.data(column + 2) ?? [])
        guard record.number(column) == Int64(bases.count + writes.count) else {
            throw .damaged("the size of batch \(head.id)")
        }
        let codec = FirestoreCodec(database: database, mode: .local)
        let read: ([UInt8]) throws(StoreError) -> [Mutation] = { bytes throws(StoreError) in
            try bytes.lend { bytes throws(StoreError) in
                try BatchBytes.mutations(from: bytes, codec)
            }
        }
        let batch = MutationBatch(
            id: head.id, writtenAt: head.writtenAt, promisedAt: head.promisedAt,
            baseMutations: try read(bases), mutations: try read(writes))
        return QueuedBatch(batch: batch, user: head.user, state: head.state, writer: head.writer)
    }

    package func salvagedEntries(from bytes: [UInt8]) throws(StoreError)
        -> [SalvagedEntry<FirestoreContent>]
    {
        let codec = FirestoreCodec(database: database, mode: .local)
        return try IntakeEntry.entries(from: bytes, codec).compactMap { entry in
            switch entry {
            case .batch(let batch, isEffect: _): .batch(batch)
            case .batchRemoved(let id, _, _): .left(id)
            case .queue(let entry): .queue(entry)
            case .deadLetter(let letter): .letter(letter)
            case .terms(let terms, let id): .terms(terms, id)
            case .overlay, .overlaysRemoved, .document, .documentRemoved, .used, .keysAdded,
                .keysRemoved, .target, .targetDropped, .keysReleased, .backfilled, .globals,
                .promise, .history, .historyRemoved:
                nil  // Can be had again; of a lost promise its client is told that it is forgotten.
            }
        }
    }

    /// Computes the batches' effects anew, so that readers see the writes.
    ///
    /// - Throws: `StoreError` if the new store's disk fails.
    package func restore(
        _ salvage: Salvage<FirestoreContent>, in transaction: SQLiteTransaction
    ) throws(StoreError) {
        let promises = salvage.batches.map(\.batch.promisedAt) + [salvage.lastPromisedAt]
        var clock = PromisedClock()
        clock.resume(after: promises.compactMap { $0 }.max() ?? clock.last)
        for batch in salvage.batches {
            try transaction.append(batch.promised { clock.promise(after: .zero) })
        }
        for batch in salvage.batches {
            let id = batch.batch.id
            if let terms = salvage.terms[id] { try transaction.setTerms(terms, of: id) }
        }
        for letter in salvage.deadLetters { try transaction.appendDeadLetter(letter) }
        for user in Set(salvage.batches.map(\.user)) {
            try LocalStore.restoreOverlays(of: user, transaction)
        }
        for (user, eras) in salvage.markerEras { try transaction.setMarkerEras(eras, of: user) }
        if let daemon = salvage.daemon { try transaction.restoreName(daemon) }
        var globals = try transaction.globals()
        globals.lastBatchID = salvage.lastBatchID  // No number may be used twice.
        globals.createsIndexes = salvage.createsIndexes
        globals.lastPromisedAt = max(clock.last, globals.lastPromisedAt)
        try transaction.setGlobals(globals)
    }
}

extension QueuedBatch: SalvagedBatch {
    /// What the batch has beside its writes.
    package var head: QueuedHead {
        QueuedHead(
            id: batch.id, user: user, state: state, writtenAt: batch.writtenAt, writer: writer,
            promisedAt: batch.promisedAt)
    }

    /// The same batch in a user's queue, in a state.
    package func moved(to user: UserID, _ state: BatchState) -> QueuedBatch {
        QueuedBatch(batch: batch, user: user, state: state, writer: writer)
    }

    /// The same with a promise, if the batch has none: it was accepted by an earlier program.
    func promised(_ promise: () -> Timestamp) -> QueuedBatch {
        if batch.promisedAt != nil { return self }
        return QueuedBatch(
            batch: batch.promised(at: promise()), user: user, state: state, writer: writer)
    }
}

extension DeadLetter: SalvagedLetter {
    /// The batch as it was in the queue.
    package var salvagedBatch: QueuedBatch { batch }

    /// Buries a batch.
    ///
    /// - Parameters:
    ///   - batch: The batch as it was in the queue.
    ///   - error: Why the batch was rejected, or why its outcome is in doubt.
    ///   - rejectedAt: When the backend rejected the writes; for writes in doubt, when they were
    ///     written.
    ///   - mayHaveBeenApplied: Whether the backend may have applied the batch.
    package init(
        salvaged batch: QueuedBatch, error: HearthError, rejectedAt: Timestamp,
        mayHaveBeenApplied: Bool
    ) {
        self.init(
            batch: batch, error: error, rejectedAt: rejectedAt,
            mayHaveBeenApplied: mayHaveBeenApplied)
    }
}
