import HearthFirestore
import HearthModel

/// Lists and counts for people; no engine asks these.
extension SQLiteTransaction {
    /// What is queued behind a batch, of all users.
    func queueEntries(after batch: BatchID, count: Int) throws(StoreError) -> [QueueEntry] {
        let statement = try connection.statement(
            """
            SELECT m.batch, q.user, m.state, m.written_at, m.uid, m.gid, m.pid, m.unit,
                m.program, m.byte_count
            FROM mutations m JOIN mutation_queues q ON q.id = m.queue
            WHERE m.batch > ? ORDER BY m.batch LIMIT ?
            """)
        return try statement.bind(batch.rawValue, count).map { row throws(StoreError) in
            guard let state = BatchState(stored: row.int(2)) else {
                throw .damaged("the state of batch \(row.int(0))")
            }
            return QueueEntry(
                id: BatchID(row.int(0)), user: UserID(row.text(1) ?? ""), state: state,
                writtenAt: try row.time(3), writer: writer(from: row, at: 4),
                byteCount: Int(row.int(9)))
        }
    }

    /// Whose queue a batch is in.
    func user(of batch: BatchID) throws(StoreError) -> UserID? {
        let statement = try connection.statement(
            """
            SELECT q.user FROM mutations m JOIN mutation_queues q ON q.id = m.queue
            WHERE m.batch = ?
            """)
        return try statement.bind(batch.rawValue).first { UserID($0.text(0) ?? "") }
    }

    /// How much of everything there is.
    func counts() throws(StoreError) -> StoreCounts {
        let tallies = try tallies()
        let statement = try connection.statement(
            "SELECT written_at FROM mutations ORDER BY batch LIMIT 1")
        let oldest = try statement.first { row throws(StoreError) in try row.time(0) }
        return StoreCounts(
            batchCount: tallies.batchCount, heldBatchCount: tallies.heldBatchCount,
            batchByteCount: tallies.batchByteCount, oldestWrittenAt: oldest,
            documentCount: tallies.documentCount, targetCount: tallies.targetCount,
            deadLetterCount: tallies.deadLetterCount, cacheByteCount: try cacheByteCount())
    }
}
