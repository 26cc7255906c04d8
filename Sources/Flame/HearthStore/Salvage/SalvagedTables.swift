package import HearthEngine
import HearthFirestore
package import HearthModel
import HearthProtocol
import HearthSQLite

/// The rows that must not be lost, as far as a store's file and SQLite's log still have them.
struct SalvagedTables {
    /// The row of counters.
    struct Counters: Hashable {
        let version: StoreVersion
        let lastBatch: BatchID
        var createsIndexes = false
        /// The number that the intake log's records bear; `nil` if there never was a log.
        var salt: UInt64?
        /// How many queued batches and dead letters the last commit has counted.
        var batchCount: Int?
        var letterCount: Int?
        /// The store's name among all daemons'; `nil` if it had none.
        var daemon: String?
    }

    /// A batch, before the salvage knows the user of the batch's queue.
    struct Batch {
        let batch: MutationBatch
        let queue: Int64
        let isHeld: Bool
        /// Whether the batch's own row tells that the batch was sent.
        let isSent: Bool
        let writer: Writer
    }

    /// The user of a queue, and how far the queue was sent; `nil` if lost.
    struct Queue: Hashable {
        let user: UserID
        let sent: BatchID?
    }

    private(set) var counters: Counters?
    private(set) var batches: [BatchID: Batch] = [:]
    /// What is said of each queue, in several places.
    private(set) var queues: [Int64: [Queue]] = [:]
    /// Where the markers of each queue's batches lie.
    private(set) var markerEras: [Int64: [MarkerEra]] = [:]
    private(set) var letters: [BatchID: DeadLetter] = [:]
    private(set) var records: [WriteIdentity: SalvagedRecord<WriteOutcome>] = [:]
    private(set) var forgotten: [ForgottenWrites] = []
    private(set) var problems: [String] = []

    private let codec: FirestoreCodec

    init(_ pages: StoredPages, _ database: DatabaseID) {
        codec = FirestoreCodec(database: database, mode: .local)
        let found = SalvagedRows(pages)
        for row in found.rows {
            do throws(StoreError) {
                try take(row)
            } catch {
                problems.append("a row that was damaged (\(error))")
            }
        }
        for (page, count) in found.brokenCounts.sorted(by: { $0.key < $1.key }) {
            problems.append("\(count) rows of page \(page)")
        }
    }

    private mutating func take(_ row: SalvagedRow) throws(StoreError) {
        let record = row.record
        switch row.table {
        case .batches: try takeBatch(record)
        case .oldBatches: try takeOldBatch(record)
        case .deadLetters: try takeLetter(record)
        case .queues:
            takeQueue(record.row, record.text(1), BatchID(record.number(2)))
            if let row = record.row, record.kinds.count > 3, let text = record.text(3) {
                guard let eras = MarkerEra.read(text) else {
                    throw .damaged("where the markers of a queue lie")
                }
                markerEras[row] = eras
            }
        case .oldQueues: takeQueue(record.row, record.text(1), BatchID.none)
        case .queuesBySent:
            takeQueue(record.number(2), record.text(1), BatchID(record.number(0)))
        case .queuesByUser: takeQueue(record.number(1), record.text(0), nil)
        case .counters: try takeCounters(record)
        case .records: try takeRecord(record)
        case .forgotten: try takeForgotten(record)
        }
    }

    // MARK: Batches

    private mutating func takeBatch(_ record: StoredRecord) throws(StoreError) {
        let row = record.row ?? 0
        let id = BatchRow.batch(row)
        let state = record.number(1)
        guard state == 0 || state == 1 else { throw .damaged("the state of batch \(id)") }
        try keep(
            id, in: BatchRow.queue(row), isHeld: state == 1, isSent: false, record, writtenAt: 2)
    }

    /// Takes a batch from the file of an earlier program, damaged before a migration.
    private mutating func takeOldBatch(_ record: StoredRecord) throws(StoreError) {
        let id = BatchID(record.row ?? 0)
        guard let state = BatchState(stored: record.number(2)) else {
            throw .damaged("the state of batch \(id)")
        }
        try keep(
            id, in: record.number(1), isHeld: state == .held, isSent: state == .sentUnanswered,
            record, writtenAt: 3)
    }

    private mutating func keep(
        _ id: BatchID, in queue: Int64, isHeld: Bool, isSent: Bool, _ record: StoredRecord,
        writtenAt column: Int
    ) throws(StoreError) {
        guard id > .none, id.rawValue < BatchRow.numberMax, queue > 0 else {
            throw .damaged("a batch of the number \(id)")
        }
        guard batches[id] == nil else { throw .damaged("batch \(id) is there twice") }
        batches[id] = Batch(
            batch: try batch(id, record, writtenAt: column), queue: queue, isHeld: isHeld,
            isSent: isSent, writer: writer(record, at: column + 1))
    }

    /// Reads what all batches have: written_at, then behind the writer their size, base_writes and writes.
    private func batch(_ id: BatchID, _ record: StoredRecord, writtenAt column: Int)
        throws(StoreError) -> MutationBatch
    {
        let (bases, writes) = (record.data(column + 7) ?? [], record.data(column + 8) ?? [])
        guard record.number(column + 6) == Int64(bases.count + writes.count) else {
            throw .damaged("the size of batch \(id)")
        }
        let codec = codec
        let read: ([UInt8]) throws(StoreError) -> [Mutation] = { bytes throws(StoreError) in
            try bytes.lend { bytes throws(StoreError) in
                try BatchBytes.mutations(from: bytes, codec)
            }
        }
        return MutationBatch(
            id: id, writtenAt: try time(record, column), baseMutations: try read(bases),
            mutations: try read(writes))
    }

    private func writer(_ record: StoredRecord, at column: Int) -> Writer {
        Writer(
            uid: UInt32(truncatingIfNeeded: record.number(column)),
            gid: UInt32(truncatingIfNeeded: record.number(column + 1)),
            pid: Int32(truncatingIfNeeded: record.number(column + 2)),
            unit: record.text(column + 3), program: record.text(column + 4))
    }

    private func time(_ record: StoredRecord, _ column: Int) throws(StoreError) -> Timestamp {
        try (record.data(column) ?? []).lend { bytes throws(StoreError) in
            try TimeBytes.time(from: bytes)
        }
    }

    private mutating func takeLetter(_ record: StoredRecord) throws(StoreError) {
        let id = BatchID(record.row ?? 0)
        guard id > .none, id.rawValue < BatchRow.numberMax, let user = record.text(1),
            let state = BatchState(stored: record.number(2)),
            let code = StatusCode(rawValue: Int32(truncatingIfNeeded: record.number(12)))
        else { throw .damaged("dead letter \(id)") }
        letters[id] = DeadLetter(
            batch: QueuedBatch(
                batch: try batch(id, record, writtenAt: 3), user: UserID(user), state: state,
                writer: writer(record, at: 4)),
            error: HearthError(code: code, message: record.text(13) ?? ""),
            rejectedAt: try time(record, 14), mayHaveBeenApplied: record.number(15) != 0)
    }

    // MARK: Queues and counters

    private mutating func takeQueue(_ id: Int64?, _ user: String?, _ sent: BatchID?) {
        guard let id, id > 0, let user else { return }
        queues[id, default: []].append(Queue(user: UserID(user), sent: sent))
    }

    private mutating func takeCounters(_ record: StoredRecord) throws(StoreError) {
        guard let counters = Self.counters(record, of: codec.database) else {
            throw .damaged("the row of counters")
        }
        self.counters = counters
    }

    /// Reads the row of counters; `nil` if the row cannot be from this database.
    static func counters(_ record: StoredRecord, of database: DatabaseID) -> Counters? {
        func number(_ column: Int) -> Int64? {
            column < record.kinds.count ? record.number(column) : nil
        }
        guard SalvagedTable(kinds: record.kinds, isOfIndex: false) == .counters, record.row == 1,
            record.text(1).map({ utf8Equals($0, database.name) }) == true,
            (0..<StoreVersion.max).contains(record.number(2)),
            (0..<BatchRow.numberMax).contains(record.number(6))
        else { return nil }
        var counters = Counters(
            version: StoreVersion(record.number(2)), lastBatch: BatchID(record.number(6)))
        counters.createsIndexes = number(7) == 1
        let counts = [number(11), number(14)].map {
            $0.map { Int(min(max(0, $0), BatchRow.numberMax)) }
        }
        (counters.batchCount, counters.letterCount) = (counts[0], counts[1])
        counters.salt = number(15).flatMap { $0 == 0 ? nil : UInt64(bitPattern: $0) }
        if record.kinds.count > 16, let name = record.text(16), !name.isEmpty {
            counters.daemon = name
        }
        return counters
    }

    // MARK: Resends

    private mutating func takeRecord(_ record: StoredRecord) throws(StoreError) {
        let write = WriteIdentity(
            uid: UInt32(truncatingIfNeeded: record.number(0)),
            client: client(record), sequence: UInt64(bitPattern: record.number(3)) ^ (1 << 63))
        let outcome = try WriteOutcome(
            WriteOutcomeColumns(
                outcome: record.number(5), committedAt: record.data(6), code: record.number(7),
                message: record.text(8)))
        let batch = BatchID(record.number(4))
        guard batch > .none, batch.rawValue < BatchRow.numberMax else {
            throw .damaged("the batch of a write")
        }
        records[write] = SalvagedRecord(
            record: WriteRecord(batch: batch, outcome: outcome), notedAt: try time(record, 9))
    }

    private mutating func takeForgotten(_ record: StoredRecord) throws(StoreError) {
        forgotten.append(
            ForgottenWrites(
                uid: UInt32(truncatingIfNeeded: record.number(0)), client: client(record),
                below: UInt64(bitPattern: record.number(3)) ^ (1 << 63),
                notedAt: try time(record, 4)))
    }

    private func client(_ record: StoredRecord) -> ClientID {
        ClientID(
            high: UInt64(bitPattern: record.number(1)), low: UInt64(bitPattern: record.number(2)))
    }
}

/// The outcome of a write, and when the outcome was noted.
package struct SalvagedRecord<Outcome: StoredOutcome>: Hashable, Sendable {
    /// The outcome of the write.
    package let record: WriteRecord<Outcome>
    /// When its answer was noted, or the write.
    package let notedAt: Timestamp
}

/// The sequence number below which a client's answered writes were forgotten.
package struct ForgottenWrites: Hashable, Sendable {
    /// The client's Unix user.
    package let uid: UInt32
    /// The client.
    package let client: ClientID
    /// The number; writes below are not known any more.
    package let below: UInt64
    /// When the last of the forgotten writes was noted.
    package let notedAt: Timestamp
}
