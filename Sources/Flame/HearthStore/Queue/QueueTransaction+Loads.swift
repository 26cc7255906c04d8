package import HearthEngine
package import HearthModel
import HearthSQLite

/// What each Unix user has in the queues.
package struct QueueLoadMemory {
    /// `nil` until somebody asks.
    var byUser: [UInt32: QueueLoad]?

    /// Knows nothing.
    package init() {}
}

/// The users of the queued batches: the Firebase user of a batch, and the Unix user who wrote it.
extension QueueTransaction {
    package func user(of batch: BatchID) throws(StoreError) -> UserID? {
        let statement = try connection.statement(
            """
            SELECT q.user FROM mutation_queues q
            CROSS JOIN mutations m ON m.id = (q.id << 44 | ?)
            """)
        guard (1...BatchRow.numberMax).contains(batch.rawValue) else { return nil }
        return try statement.bind(batch.rawValue).first { UserID($0.text(0) ?? "") }
    }

    package func queueLoad(of uid: UInt32?) throws(StoreError) -> QueueLoad {
        guard let uid else {
            let tallies = try queueTallies()
            return QueueLoad(batchCount: tallies.batchCount, byteCount: tallies.batchByteCount)
        }
        if let loads = memory.loads.byUser { return loads[uid] ?? QueueLoad() }
        let statement = try connection.statement(
            "SELECT uid, count(*), sum(byte_count) FROM mutations GROUP BY uid")
        var loads: [UInt32: QueueLoad] = [:]
        try statement.forEach { row in
            loads[UInt32(truncatingIfNeeded: row.int(0))] = QueueLoad(
                batchCount: Int(row.int(1)), byteCount: Int(row.int(2)))
        }
        memory.loads.byUser = loads
        return loads[uid] ?? QueueLoad()
    }

    /// Counts a batch that came or went, once somebody has asked.
    func noteLoad(of uid: UInt32, count: Int, byteCount: Int) {
        guard var load = memory.loads.byUser.map({ $0[uid] ?? QueueLoad() }) else { return }
        load.batchCount += count
        load.byteCount += byteCount
        memory.loads.byUser?[uid] = load.batchCount == 0 ? nil : load
    }
}
