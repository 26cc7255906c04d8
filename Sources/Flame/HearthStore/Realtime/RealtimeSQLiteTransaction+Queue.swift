package import HearthEngine
package import HearthModel
package import HearthRealtime
import HearthSQLite

/// The table `mutations`: a row for each write that waits.
extension RealtimeSQLiteTransaction {
    package func append(_ write: QueuedWrite) throws(StoreError) {
        let change = ChangeBytes.bytes(of: write.change)
        try logged { () throws(StoreError) in
            try insert(write, try placeAtEnd(write.id, of: write.user), change)
        } as: {
            $0.queuedWrite(write, change: change)
        }
        if write.state == .sentUnanswered { try noteSent(through: write.id, of: write.user) }
        memory.batches.lastWrittenAt = write.writtenAt
    }

    package func replaceWrite(_ write: QueuedWrite) throws(StoreError) {
        // The intake log does not tell it, so the group is committed and synced.
        let queue = try makeQueueID(write.user)
        guard try delete(nil, write.id, queue) else { return }
        try insert(write, queue, ChangeBytes.bytes(of: write.change))
    }

    package func removeWrite(_ id: BatchID, of user: UserID) throws(StoreError) {
        try logged { () throws(StoreError) in
            guard let queue = try queueID(user) else { return }
            try delete(nil, id, queue)
        } as: {
            $0.writeLeft(id, of: user)
        }
    }

    private func insert(_ write: QueuedWrite, _ queue: Int64, _ change: [UInt8])
        throws(StoreError)
    {
        let isHeld = write.state == .held
        let statement = try connection.statement(
            "INSERT INTO mutations VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
        try statement.bind(
            BatchRow.id(of: write.id, in: queue), isHeld, TimeBytes.bytes(of: write.writtenAt),
            Int64(write.writer.uid), Int64(write.writer.gid), Int64(write.writer.pid),
            write.writer.unit, write.writer.program, change.count, change
        ).run()
        try noteArrival(
            StoredBatch(uid: write.writer.uid, byteCount: change.count, isHeld: isHeld))
    }

    // MARK: Reading

    package func write(_ id: BatchID, of user: UserID) throws(StoreError) -> QueuedWrite? {
        guard let queue = try queueID(user) else { return nil }
        let statement = try connection.statement(
            """
            SELECT id, state, written_at, uid, gid, pid, unit, program, change FROM mutations
            WHERE id = ?
            """)
        return try statement.bind(BatchRow.id(of: id, in: queue)).first { row throws(StoreError) in
            try queuedWrite(from: row, in: queue, of: user)
        }
    }

    package func nextWrite(after id: BatchID, of user: UserID) throws(StoreError) -> QueuedWrite? {
        try next(after: id, of: user) { _ in true }
    }

    package func nextWriteToSend(after id: BatchID, of user: UserID) throws(StoreError)
        -> QueuedWrite?
    {
        try next(after: id, of: user) { $0 != .held }
    }

    package func nextMayBeSent(after id: BatchID, of user: UserID) throws(StoreError) -> Bool {
        var mayBeSent = false
        _ = try next(after: id, of: user) { state in
            mayBeSent = state != .held
            return false
        }
        return mayBeSent
    }

    /// The first write behind `id`, if the write's state is wanted.
    private func next(
        after id: BatchID, of user: UserID, isWanted: (BatchState) -> Bool
    ) throws(StoreError) -> QueuedWrite? {
        guard let queue = try queueID(user) else { return nil }
        let statement = try connection.statement(
            """
            SELECT id, state, written_at, uid, gid, pid, unit, program, change FROM mutations
            WHERE id > ? AND id < ? ORDER BY id LIMIT 1
            """)
        let next = try statement.bind(BatchRow.id(of: id, in: queue), BatchRow.end(of: queue))
            .first { row throws(StoreError) -> QueuedWrite? in
                let state = try state(row.int(1), of: BatchRow.batch(row.int(0)), in: queue)
                return isWanted(state) ? try queuedWrite(from: row, in: queue, of: user) : nil
            }
        return next ?? nil
    }

    package func highestWriteID(of user: UserID) throws(StoreError) -> BatchID? {
        try highestBatchID(of: user)
    }

    package func previousWriteID(before id: BatchID, of user: UserID) throws(StoreError)
        -> BatchID?
    {
        try previousBatchID(before: id, of: user)
    }

    private func queuedWrite(from row: borrowing Row, in queue: Int64, of user: UserID)
        throws(StoreError) -> QueuedWrite
    {
        let id = BatchRow.batch(row.int(0))
        return QueuedWrite(
            id: id, change: try Self.change(from: row, at: 8), writtenAt: try row.time(2),
            user: user, state: try state(row.int(1), of: id, in: queue),
            writer: writer(from: row, at: 3))
    }

    /// Reads a column's change.
    static func change(from row: borrowing Row, at column: Int32) throws(StoreError)
        -> RealtimeChange
    {
        try ChangeBytes.change(from: row.bytes(column))
    }

    // MARK: Resends

    package func pendingWrites(of client: ClientID, uid: UInt32) throws(StoreError) -> [BatchID] {
        let statement = try connection.statement(
            """
            SELECT batch FROM write_records
            WHERE uid = ? AND client_high = ? AND client_low = ? AND outcome = 0 ORDER BY batch
            """)
        return try statement.bind(
            Int64(uid), Int64(bitPattern: client.high), Int64(bitPattern: client.low)
        ).map { BatchID($0.int(0)) }
    }
}

/// What became of a write to the tree: the outcome is all there is.
extension RealtimeOutcome: StoredOutcome {
    package var columns: WriteOutcomeColumns {
        switch self {
        case .pending: .pending
        case .committed: WriteOutcomeColumns(committedAt: nil)
        case .rejected(let error, let mayHaveBeenApplied):
            WriteOutcomeColumns(rejected: error, mayHaveBeenApplied: mayHaveBeenApplied)
        }
    }

    /// Reads what a row says of the write.
    ///
    /// - Throws: `StoreError.damaged` for a row that no store has written.
    package init(_ columns: WriteOutcomeColumns) throws(StoreError) {
        switch try columns.meaning() {
        case .pending: self = .pending
        case .committed: self = .committed
        case .rejected(let error, let mayHaveBeenApplied):
            self = .rejected(error, mayHaveBeenApplied: mayHaveBeenApplied)
        }
    }
}
