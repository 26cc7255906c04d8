package import HearthEngine
import HearthModel
import HearthSQLite

/// Lists and counts for people; no engine asks these.
extension QueueTransaction {
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
        guard try queueTallies().heldBatchCount > 0 else { return [:] }
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

    /// When the oldest batch of all queues was accepted; `nil` without one.
    func oldestWrittenAt() throws(StoreError) -> Timestamp? {
        let statement = try connection.statement(
            """
            SELECT m.written_at FROM mutation_queues q CROSS JOIN mutations m
                ON m.id = (SELECT min(id) FROM mutations
                    WHERE id > q.id << 44 AND id < (q.id + 1) << 44)
            ORDER BY m.id - (q.id << 44) LIMIT 1
            """)
        return try statement.first { row throws(StoreError) in try row.time(0) }
    }

    /// The bytes of the file in use.
    package func cacheByteCount() throws(StoreError) -> Int {
        let statement = try connection.statement(
            """
            SELECT (page_count - freelist_count) * page_size
            FROM pragma_page_count, pragma_freelist_count, pragma_page_size
            """)
        return Int(try statement.first { $0.int(0) } ?? 0)
    }
}
