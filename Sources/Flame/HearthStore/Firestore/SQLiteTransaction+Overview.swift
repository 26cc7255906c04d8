import HearthEngine
import HearthFirestore
import HearthModel
import HearthSQLite

/// Lists and counts for people; no engine asks these.
extension SQLiteTransaction {
    /// What is queued behind a batch, of all users.
    func queueEntries(after batch: BatchID, count: Int) throws(StoreError) -> [QueueEntry] {
        let queues = try connection.statement("SELECT id, user FROM mutation_queues").map {
            (id: $0.int(0), user: UserID($0.text(1) ?? ""))
        }
        let statement = try connection.statement(
            """
            SELECT id, state, written_at, uid, gid, pid, unit, program, byte_count
            FROM mutations WHERE id > ? AND id < ? ORDER BY id LIMIT ?
            """)
        var entries: [QueueEntry] = []
        for (queue, user) in queues {
            let begin = BatchRow.id(of: batch, in: queue)
            try statement.bind(begin, BatchRow.end(of: queue), count).forEach {
                row throws(StoreError) in
                let id = BatchRow.batch(row.int(0))
                entries.append(
                    QueueEntry(
                        id: id, user: user, state: try state(row.int(1), of: id, in: queue),
                        writtenAt: try row.time(2), writer: writer(from: row, at: 3),
                        byteCount: Int(row.int(8))))
            }
        }
        return Array(entries.sorted { $0.id < $1.id }.prefix(count))
    }

    /// The first held batch of each queue that has one. O(batches) if any is held, else O(1).
    func firstHeldBatches() throws(StoreError) -> [UserID: BatchID] {
        guard try tallies().heldBatchCount > 0 else { return [:] }
        let statement = try connection.statement(
            """
            SELECT q.user, min(m.id) FROM mutations m JOIN mutation_queues q ON q.id = m.id >> 44
            WHERE m.state = 1 GROUP BY q.id
            """)
        var batches: [UserID: BatchID] = [:]
        try statement.forEach { row throws(StoreError) in
            batches[UserID(row.text(0) ?? "")] = BatchRow.batch(row.int(1))
        }
        return batches
    }

    /// The size of a dead letter's writes; 0 if there is none of the number.
    func deadLetterByteCount(_ batch: BatchID) throws(StoreError) -> Int {
        let statement = try connection.statement(
            "SELECT byte_count FROM dead_letters WHERE batch = ?")
        return try statement.bind(batch.rawValue).first { Int($0.int(0)) } ?? 0
    }

    /// Whether no batch ever had a number, and no document, bundle or index is here. Targets may be:
    /// whoever asks again has lost nothing.
    func isBlank() throws(StoreError) -> Bool {
        let globals = try globals()
        guard globals.lastBatchID == .none, globals.createsIndexes == StoreGlobals().createsIndexes,
            try tallies().documentCount == 0
        else { return false }
        let statement = try connection.statement(
            """
            SELECT EXISTS (SELECT 1 FROM write_records) OR EXISTS (SELECT 1 FROM dead_letters)
                OR EXISTS (SELECT 1 FROM bundles) OR EXISTS (SELECT 1 FROM named_queries)
                OR EXISTS (SELECT 1 FROM indexes)
            """)
        return try statement.first { $0.int(0) } == 0
    }

    /// How much of everything there is.
    func counts() throws(StoreError) -> StoreCounts {
        let tallies = try tallies()
        let statement = try connection.statement(
            """
            SELECT m.written_at FROM mutation_queues q CROSS JOIN mutations m
                ON m.id = (SELECT min(id) FROM mutations
                    WHERE id > q.id << 44 AND id < (q.id + 1) << 44)
            ORDER BY m.id - (q.id << 44) LIMIT 1
            """)
        let oldest = try statement.first { row throws(StoreError) in try row.time(0) }
        return StoreCounts(
            batchCount: tallies.batchCount, heldBatchCount: tallies.heldBatchCount,
            batchByteCount: tallies.batchByteCount, oldestWrittenAt: oldest,
            documentCount: tallies.documentCount, targetCount: tallies.targetCount,
            deadLetterCount: tallies.deadLetterCount, cacheByteCount: try cacheByteCount())
    }
}
