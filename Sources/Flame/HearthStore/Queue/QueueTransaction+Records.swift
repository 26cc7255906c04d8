import HashTreeCollections
package import HearthEngine
package import HearthModel
import HearthSQLite

/// What is known of clients that wrote lately. Trees, because each turn keeps a copy.
package struct RecordMemory {
    /// The number below which a client needs no record, and answered writes have no record.
    var forgottenBelow: TreeDictionary<WriteClient, UInt64> = [:]
    /// What `forgotten_writes` says.
    var prunedBelow: TreeDictionary<WriteClient, UInt64> = [:]
    /// The number above which a client has no record.
    var highest: TreeDictionary<WriteClient, UInt64> = [:]

    /// Knows nothing.
    package init() {}
}

/// The table `write_records`, which lets the store recognise a resend.
extension QueueTransaction {
    package func record(of write: WriteIdentity) throws(StoreError) -> WriteRecord<Outcome>? {
        // The numbers of new writes rise, so a new write is known without a look.
        let client = WriteClient(uid: write.uid, client: write.client)
        guard try write.sequence <= highestSequence(of: client) else { return nil }
        let statement = try connection.statement(
            """
            SELECT batch, outcome, committed_at, code, message FROM write_records
            WHERE uid = ? AND client_high = ? AND client_low = ? AND sequence = ?
            """)
        statement.bind(
            Int64(write.uid), Int64(bitPattern: write.client.high),
            Int64(bitPattern: write.client.low), Self.ordered(write.sequence))
        return try statement.first { row throws(StoreError) in
            WriteRecord(batch: BatchID(row.int(0)), outcome: try Self.outcome(from: row))
        }
    }

    /// The highest number of a client's records, or a higher number.
    private func highestSequence(of client: WriteClient) throws(StoreError) -> UInt64 {
        if let highest = memory.records.highest[client] { return highest }
        let statement = try connection.statement(
            """
            SELECT max(sequence) FROM write_records
            WHERE uid = ? AND client_high = ? AND client_low = ?
            """)
        let found = try statement.bind(
            Int64(client.uid), Int64(bitPattern: client.client.high),
            Int64(bitPattern: client.client.low)
        ).first { row in row.isNull(0) ? nil : Self.sequence(row.int(0)) }
        if memory.records.highest.count >= StoreLimits.clientCountMax {
            memory.records.highest = [:]
        }
        let highest = (found ?? nil) ?? 0
        memory.records.highest[client] = highest
        return highest
    }

    package func identity(of batch: BatchID) throws(StoreError) -> WriteIdentity? {
        let statement = try connection.statement(
            """
            SELECT uid, client_high, client_low, sequence FROM write_records WHERE batch = ?
            """)
        return try statement.bind(batch.rawValue).first { row in
            WriteIdentity(
                uid: UInt32(truncatingIfNeeded: row.int(0)),
                client: ClientID(
                    high: UInt64(bitPattern: row.int(1)), low: UInt64(bitPattern: row.int(2))),
                sequence: Self.sequence(row.int(3)))
        }
    }

    /// What is known of a batch by its number.
    ///
    /// - Returns: `nil` if no record names the batch.
    /// - Complexity: O(log n) in the records.
    package func fate(of batch: BatchID) throws(StoreError) -> BatchFate? {
        let statement = try connection.statement(
            """
            SELECT batch, outcome, committed_at, code, message, noted_at FROM write_records
            WHERE batch = ?
            """)
        return try statement.bind(batch.rawValue).first { row throws(StoreError) -> BatchFate in
            let columns = WriteOutcomeColumns(
                outcome: row.int(1), committedAt: nil, code: row.int(3), message: row.text(4))
            let notedAt = try row.time(5)
            switch try columns.meaning() {
            case .pending: return BatchFate(.pending, notedAt: notedAt)
            case .committed: return BatchFate(.committed, notedAt: notedAt)
            case .rejected(let error, let mayHaveBeenApplied):
                return BatchFate(
                    .rejected(error, mayHaveBeenApplied: mayHaveBeenApplied), notedAt: notedAt)
            }
        }
    }

    package func setRecord(_ record: WriteRecord<Outcome>, of write: WriteIdentity)
        throws(StoreError)
    {
        let client = WriteClient(uid: write.uid, client: write.client)
        if !record.outcome.isPending, write.sequence < memory.records.forgottenBelow[client] ?? 0 {
            try removeRecord(of: write)  // Its client has said that it will not ask.
            return
        }
        if !record.outcome.isPending { forgetting.records.add(1) }
        if let highest = memory.records.highest[client], highest < write.sequence {
            memory.records.highest[client] = write.sequence
        }
        let columns = record.outcome.columns
        let notedAt = try lastWrittenAt()
        try logged { () throws(StoreError) in
            try store(columns, record.batch, of: write, notedAt)
        } as: {
            if columns.isPending {
                $0.record(record.batch, of: write)
            } else {
                $0.outcome(columns, record.batch, of: write, notedAt: notedAt)
            }
        }
    }

    private func store(
        _ columns: WriteOutcomeColumns, _ batch: BatchID, of write: WriteIdentity,
        _ notedAt: Timestamp
    ) throws(StoreError) {
        let (uid, sequence) = (Int64(write.uid), Self.ordered(write.sequence))
        let high = Int64(bitPattern: write.client.high)
        let low = Int64(bitPattern: write.client.low)
        if !columns.isPending {
            // The write waited, mostly; then the index by batch stays as it is.
            let answer = try connection.statement(
                """
                UPDATE write_records
                SET outcome = ?, committed_at = ?, code = ?, message = ?, noted_at = ?
                WHERE uid = ? AND client_high = ? AND client_low = ? AND sequence = ? AND batch = ?
                """)
            try answer.bind(
                columns.outcome, columns.committedAt, columns.code, columns.message,
                TimeBytes.bytes(of: notedAt), uid, high, low, sequence, batch.rawValue
            ).run()
            if connection.changeCount > 0 { return }
        }
        let statement = try connection.statement(
            """
            INSERT INTO write_records VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
            ON CONFLICT DO UPDATE SET batch = ?5, outcome = ?6, committed_at = ?7, code = ?8,
                message = ?9, noted_at = ?10
            """)
        try statement.bind(
            uid, high, low, sequence,
            batch.rawValue, columns.outcome, columns.committedAt, columns.code, columns.message,
            TimeBytes.bytes(of: notedAt)
        ).run()
    }

    package func removeRecords(of client: ClientID, uid: UInt32, below sequence: UInt64)
        throws(StoreError)
    {
        // Below the number said before, only pending records are left. A pending record goes with
        // the answer.
        let known = WriteClient(uid: uid, client: client)
        let begin = memory.records.forgottenBelow[known] ?? 0
        guard sequence > begin else { return }
        try logged { () throws(StoreError) in
            let statement = try connection.statement(
                """
                DELETE FROM write_records
                WHERE uid = ? AND client_high = ? AND client_low = ? AND sequence >= ?
                    AND sequence < ? AND outcome <> 0
                """)
            try statement.bind(
                Int64(uid), Int64(bitPattern: client.high), Int64(bitPattern: client.low),
                Self.ordered(begin), Self.ordered(sequence)
            ).run()
        } as: {
            $0.answered(client, uid: uid, below: sequence)
        }
        if memory.records.forgottenBelow.count >= StoreLimits.clientCountMax {
            memory.records.forgottenBelow = [:]
        }
        memory.records.forgottenBelow[known] = sequence
    }

    package func forgottenBelow(of client: ClientID, uid: UInt32) throws(StoreError) -> UInt64 {
        let known = WriteClient(uid: uid, client: client)
        if let below = memory.records.prunedBelow[known] { return below }
        let statement = try connection.statement(
            """
            SELECT below FROM forgotten_writes
            WHERE uid = ? AND client_high = ? AND client_low = ?
            """)
        let below =
            try statement.bind(
                Int64(uid), Int64(bitPattern: client.high), Int64(bitPattern: client.low)
            ).first { row in Self.sequence(row.int(0)) } ?? 0
        if memory.records.prunedBelow.count >= StoreLimits.clientCountMax {
            memory.records.prunedBelow = [:]
        }
        memory.records.prunedBelow[known] = below
        return below
    }

    /// Forgets one write.
    func removeRecord(of write: WriteIdentity) throws(StoreError) {
        try logged { () throws(StoreError) in
            let statement = try connection.statement(
                """
                DELETE FROM write_records
                WHERE uid = ? AND client_high = ? AND client_low = ? AND sequence = ?
                """)
            try statement.bind(
                Int64(write.uid), Int64(bitPattern: write.client.high),
                Int64(bitPattern: write.client.low), Self.ordered(write.sequence)
            ).run()
        } as: {
            $0.recordRemoved(write)
        }
    }

    /// When the last write that we know of was accepted: the only clock here.
    func lastWrittenAt() throws(StoreError) -> Timestamp {
        if let time = memory.batches.lastWrittenAt { return time }
        let statement = try connection.statement(
            """
            SELECT coalesce(
                (SELECT m.written_at FROM mutation_queues q CROSS JOIN mutations m
                    ON m.id = (SELECT max(id) FROM mutations
                        WHERE id > q.id << 44 AND id < (q.id + 1) << 44)
                    ORDER BY m.id - (q.id << 44) DESC LIMIT 1),
                (SELECT max(noted_at) FROM write_records))
            """)
        let unknown = Timestamp(seconds: 0, nanoseconds: 0)
        let found = try statement.first { row throws(StoreError) in
            row.isNull(0) ? unknown : try row.time(0)
        }
        let time = found ?? unknown
        memory.batches.lastWrittenAt = time
        return time
    }

    private static func outcome(from row: borrowing Row) throws(StoreError) -> Outcome {
        try Outcome(
            WriteOutcomeColumns(
                outcome: row.int(1), committedAt: row.bytes(2), code: row.int(3),
                message: row.text(4)))
    }

    /// Notes every write that has a record as forgotten, for whoever then removes the records.
    func noteAllForgotten() throws(StoreError) {
        try connection.execute(
            """
            INSERT INTO forgotten_writes
            SELECT uid, client_high, client_low, max(sequence) + 1, max(noted_at)
            FROM write_records WHERE true GROUP BY uid, client_high, client_low
            ON CONFLICT (uid, client_high, client_low) DO UPDATE SET
                below = max(below, excluded.below), noted_at = excluded.noted_at
            """)
    }

    /// An unsigned number as a signed one, in the same order.
    private static func ordered(_ sequence: UInt64) -> Int64 {
        Int64(bitPattern: sequence ^ (1 << 63))
    }

    /// Notes what was saved of a write, as of when it was noted first.
    func restore(_ saved: SalvagedRecord<Outcome>, of write: WriteIdentity) throws(StoreError) {
        memory.batches.lastWrittenAt = saved.notedAt
        defer { memory.batches.lastWrittenAt = nil }
        try setRecord(saved.record, of: write)
    }

    /// Notes which writes of a client were forgotten in the store that was saved.
    func restore(_ saved: ForgottenWrites) throws(StoreError) {
        try connection.statement("INSERT OR REPLACE INTO forgotten_writes VALUES (?, ?, ?, ?, ?)")
            .bind(
                Int64(saved.uid), Int64(bitPattern: saved.client.high),
                Int64(bitPattern: saved.client.low), Self.ordered(saved.below),
                TimeBytes.bytes(of: saved.notedAt)
            ).run()
        memory.records.prunedBelow[WriteClient(uid: saved.uid, client: saved.client)] = nil
    }

    private static func sequence(_ ordered: Int64) -> UInt64 {
        UInt64(bitPattern: ordered) ^ (1 << 63)
    }
}

/// A client of a Unix user, as write records know it.
struct WriteClient: Hashable, Sendable {
    let uid: UInt32
    let client: ClientID
}
