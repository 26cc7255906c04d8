package import HearthEngine
import HearthFirestore
package import HearthModel
import HearthProtocol
import HearthSQLite

/// The rows that must not be lost, as far as a store's file and SQLite's log still have them.
struct SalvagedTables<Content: SalvagedContent> {
    /// A batch, before the salvage knows the user of the batch's queue.
    struct Batch {
        let batch: Content.Batch
        let queue: Int64
        let isHeld: Bool
        /// Whether the batch's own row tells that the batch was sent.
        let isSent: Bool
    }

    /// The user of a queue, and how far the queue was sent; `nil` if lost.
    struct Queue: Hashable {
        let user: UserID
        let sent: BatchID?
    }

    private(set) var counters: SalvagedCounters?
    private(set) var batches: [BatchID: Batch] = [:]
    /// What is said of each queue, in several places.
    private(set) var queues: [Int64: [Queue]] = [:]
    /// Where the markers of each queue's batches lie.
    private(set) var markerEras: [Int64: [MarkerEra]] = [:]
    private(set) var letters: [BatchID: Content.Letter] = [:]
    private(set) var records: [WriteIdentity: SalvagedRecord<Content.Outcome>] = [:]
    private(set) var forgotten: [ForgottenWrites] = []
    private(set) var terms: [BatchID: SendingTerms] = [:]
    private(set) var problems: [String] = []

    private let content: Content

    init(_ pages: StoredPages, _ content: Content) {
        self.content = content
        let found = SalvagedRows(pages, of: Content.self)
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
        case .terms: try takeTerms(record)
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
        var head = try head(id, UserID(""), isHeld ? .held : .queued, record, writtenAt: column)
        let last = column + 6 + Content.writesShape.count
        if last < record.kinds.count {
            head.promisedAt = Timestamp(storedPromise: record.number(last))
        }
        batches[id] = Batch(
            batch: try content.batch(head, record, at: column + 6), queue: queue, isHeld: isHeld,
            isSent: isSent)
    }

    /// Reads what all batches have: written_at, and behind it the writer.
    private func head(
        _ id: BatchID, _ user: UserID, _ state: BatchState, _ record: StoredRecord,
        writtenAt column: Int
    ) throws(StoreError) -> QueuedHead {
        QueuedHead(
            id: id, user: user, state: state, writtenAt: try time(record, column),
            writer: writer(record, at: column + 1))
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
        let refusal = 9 + Content.writesShape.count
        guard id > .none, id.rawValue < BatchRow.numberMax, let user = record.text(1),
            let state = BatchState(stored: record.number(2)),
            let code = StatusCode(rawValue: Int32(truncatingIfNeeded: record.number(refusal)))
        else { throw .damaged("dead letter \(id)") }
        let head = try head(id, UserID(user), state, record, writtenAt: 3)
        letters[id] = Content.Letter(
            salvaged: try content.batch(head, record, at: 9),
            error: HearthError(code: code, message: record.text(refusal + 1) ?? ""),
            rejectedAt: try time(record, refusal + 2),
            mayHaveBeenApplied: record.number(refusal + 3) != 0)
    }

    // MARK: Queues and counters

    private mutating func takeQueue(_ id: Int64?, _ user: String?, _ sent: BatchID?) {
        guard let id, id > 0, let user else { return }
        queues[id, default: []].append(Queue(user: UserID(user), sent: sent))
    }

    private mutating func takeCounters(_ record: StoredRecord) throws(StoreError) {
        guard let counters = content.counters(record) else {
            throw .damaged("the row of counters")
        }
        self.counters = counters
    }

    // MARK: Resends

    private mutating func takeRecord(_ record: StoredRecord) throws(StoreError) {
        let write = WriteIdentity(
            uid: UInt32(truncatingIfNeeded: record.number(0)),
            client: client(record), sequence: UInt64(bitPattern: record.number(3)) ^ (1 << 63))
        let outcome = try Content.Outcome(
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

    private mutating func takeTerms(_ record: StoredRecord) throws(StoreError) {
        let id = BatchID(record.row ?? 0)
        guard id > .none, id.rawValue < BatchRow.numberMax else {
            throw .damaged("the terms of a batch")
        }
        let hasExpiry = record.kinds[1] != 0
        terms[id] = try SendingTerms(
            storedExpiry: hasExpiry ? record.number(1) : nil, only: record.text(2))
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
