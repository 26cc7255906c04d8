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

    /// The first held batch of each queue that has one. O(batches) if any is held, else O(1).
    func firstHeldBatches() throws(StoreError) -> [UserID: BatchID] {
        guard try tallies().heldBatchCount > 0 else { return [:] }
        let statement = try connection.statement(
            """
            SELECT q.user, min(m.batch)
            FROM mutations m JOIN mutation_queues q ON q.id = m.queue
            WHERE m.state = 1 GROUP BY m.queue
            """)
        var batches: [UserID: BatchID] = [:]
        try statement.forEach { row throws(StoreError) in
            batches[UserID(row.text(0) ?? "")] = BatchID(row.int(1))
        }
        return batches
    }

    /// The size of a dead letter's writes; 0 if there is none of the number.
    func deadLetterByteCount(_ batch: BatchID) throws(StoreError) -> Int {
        let statement = try connection.statement(
            "SELECT byte_count FROM dead_letters WHERE batch = ?")
        return try statement.bind(batch.rawValue).first { Int($0.int(0)) } ?? 0
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
