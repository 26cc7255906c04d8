package import HearthEngine
package import HearthModel
import HearthSQLite

/// What all tables `mutations` have: a row for each batch, with its state, writer and size.
extension QueueTransaction {
    /// The queue of a user, made if need be, to whose end a batch comes.
    ///
    /// - Throws: `StoreError.damaged` for a number that is not higher than every number before, as the counters
    ///   of a damaged file may lead to.
    func placeAtEnd(_ id: BatchID, of user: UserID) throws(StoreError) -> Int64 {
        let queue = try makeQueueID(user)
        var last = memory.batches.last[queue]
        if last == nil { last = try highestBatchID(of: user) }
        guard id > last ?? .none, id.rawValue < BatchRow.numberMax else {
            throw .damaged("the batch \(id) would come behind the batch \(last ?? .none)")
        }
        memory.batches.last[queue] = id
        return queue
    }

    /// Counts a batch whose row has come.
    func noteArrival(_ stored: StoredBatch) throws(StoreError) {
        try tallyQueue {
            $0.batchCount += 1
            $0.heldBatchCount += stored.isHeld ? 1 : 0
            $0.batchByteCount += stored.byteCount
        }
        noteLoad(of: stored.uid, count: 1, byteCount: stored.byteCount)
    }

    // MARK: Reading

    /// The last batch of a queue before a number.
    package func previousBatchID(before id: BatchID, of user: UserID) throws(StoreError)
        -> BatchID?
    {
        guard let queue = try queueID(user) else { return nil }
        return try lastBatchID(in: queue, before: BatchRow.id(of: id, in: queue))
    }

    /// The last batch of a queue.
    package func highestBatchID(of user: UserID) throws(StoreError) -> BatchID? {
        guard let queue = try queueID(user) else { return nil }
        return try lastBatchID(in: queue, before: BatchRow.end(of: queue))
    }

    private func lastBatchID(in queue: Int64, before end: Int64) throws(StoreError) -> BatchID? {
        let statement = try connection.statement(
            "SELECT id FROM mutations WHERE id > ? AND id < ? ORDER BY id DESC LIMIT 1")
        return try statement.bind(BatchRow.id(of: .none, in: queue), end).first {
            BatchRow.batch($0.int(0))
        }
    }

    /// Reads uid, gid, pid, unit and program.
    func writer(from row: borrowing Row, at column: Int32) -> Writer {
        Writer(
            uid: UInt32(truncatingIfNeeded: row.int(column)),
            gid: UInt32(truncatingIfNeeded: row.int(column + 1)),
            pid: Int32(truncatingIfNeeded: row.int(column + 2)), unit: row.text(column + 3),
            program: row.text(column + 4))
    }

    // MARK: Holding and leaving

    /// Holds a batch that was not sent, or lets go of it.
    ///
    /// - Parameters:
    ///   - isHeld: Whether the queue shall hold the batch.
    ///   - id: The batch's number. An unknown number changes nothing.
    ///   - user: The Firebase user whose queue has the batch.
    /// - Throws: `StoreError` if the store cannot be written.
    package func setHeld(_ isHeld: Bool, _ id: BatchID, of user: UserID) throws(StoreError) {
        try logged { () throws(StoreError) in
            guard let queue = try queueID(user) else { return }
            try connection.statement(
                "UPDATE mutations SET state = ?1 WHERE id = ?2 AND state <> ?1"
            )
            .bind(isHeld, BatchRow.id(of: id, in: queue)).run()
            guard connection.changeCount > 0 else { return }
            try tallyQueue { $0.heldBatchCount += isHeld ? 1 : -1 }
        } as: {
            $0.state(isHeld ? .held : .queued, of: id, user: user)
        }
    }

    /// Deletes the row of a batch.
    ///
    /// - Returns: Whether there was one.
    @discardableResult
    func delete(_ known: StoredBatch?, _ id: BatchID, _ queue: Int64) throws(StoreError)
        -> Bool
    {
        let row = BatchRow.id(of: id, in: queue)
        var stored = known
        // Who held or released a batch may have read it before.
        let areHeld = try queueTallies().heldBatchCount > 0
        if stored == nil || areHeld { stored = try storedBatch(row) }
        guard let stored else { return false }
        try connection.statement("DELETE FROM mutations WHERE id = ?").bind(row).run()
        guard connection.changeCount > 0 else { return false }
        try tallyQueue {
            $0.batchCount -= 1
            $0.heldBatchCount -= stored.isHeld ? 1 : 0
            $0.batchByteCount -= stored.byteCount
        }
        noteLoad(of: stored.uid, count: -1, byteCount: -stored.byteCount)
        return true
    }

    private func storedBatch(_ row: Int64) throws(StoreError) -> StoredBatch? {
        // Apart from the deletion, because RETURNING makes a table of its own each time.
        let statement = try connection.statement(
            "SELECT uid, byte_count, state FROM mutations WHERE id = ?")
        return try statement.bind(row).first {
            StoredBatch(
                uid: UInt32(truncatingIfNeeded: $0.int(0)), byteCount: Int($0.int(1)),
                isHeld: $0.bool(2))
        }
    }

    /// The users whose queues have batches.
    func usersWithBatches() throws(StoreError) -> [UserID] {
        try connection.statement(
            """
            SELECT user FROM mutation_queues q WHERE EXISTS (
                SELECT 1 FROM mutations m WHERE m.id > q.id << 44 AND m.id < (q.id + 1) << 44)
            ORDER BY user
            """
        ).map { UserID($0.text(0) ?? "") }
    }
}

/// What the tallies have counted of a batch's row.
struct StoredBatch: Hashable {
    let uid: UInt32
    let byteCount: Int
    let isHeld: Bool
}

extension BatchState {
    /// The number that stands for the state in the intake log and among dead letters.
    var stored: Int64 {
        switch self {
        case .queued: 0
        case .held: 1
        case .sentUnanswered: 2
        }
    }

    /// The state of a number.
    init?(stored: Int64) {
        guard let state = Self.allCases.first(where: { $0.stored == stored }) else { return nil }
        self = state
    }
}
