package import HearthEngine
package import HearthModel
import HearthSQLite

/// What each Unix user who pays has in the queues.
package struct QueueLoadMemory {
    /// Who pays for whom, as somebody has asked last.
    var owners = SubordinateRanges()
    /// `nil` until somebody asks.
    var byPayer: [UInt32: QueueLoad]?

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

    package func queueLoad(
        of payer: UInt32?, by owners: SubordinateRanges
    ) throws(StoreError) -> QueueLoad {
        guard let payer else {
            let tallies = try queueTallies()
            return QueueLoad(batchCount: tallies.batchCount, byteCount: tallies.batchByteCount)
        }
        if let loads = memory.loads.byPayer, memory.loads.owners == owners {
            return loads[payer] ?? QueueLoad()
        }
        let statement = try connection.statement(
            "SELECT uid, count(*), sum(byte_count) FROM mutations GROUP BY uid")
        var loads: [UInt32: QueueLoad] = [:]
        try statement.forEach { row in
            let payer = owners.owner(of: UInt32(truncatingIfNeeded: row.int(0)))
            loads[payer, default: QueueLoad()].add(Int(row.int(1)), byteCount: Int(row.int(2)))
        }
        memory.loads.owners = owners
        memory.loads.byPayer = loads
        return loads[payer] ?? QueueLoad()
    }

    /// Counts a batch that came or went, once somebody has asked.
    func noteLoad(of uid: UInt32, count: Int, byteCount: Int) {
        guard memory.loads.byPayer != nil else { return }
        let payer = memory.loads.owners.owner(of: uid)
        var load = memory.loads.byPayer?[payer] ?? QueueLoad()
        load.add(count, byteCount: byteCount)
        memory.loads.byPayer?[payer] = load.batchCount == 0 ? nil : load
    }
}

extension QueueLoad {
    /// More bytes than any queue has, and few enough to add to.
    private static var byteCountMax: Int { 1 << 60 }

    /// Adds batches, or with negative numbers takes them away. The bytes stay within what can be counted: a
    /// restored file may tell of any.
    fileprivate mutating func add(_ count: Int, byteCount more: Int) {
        batchCount += count
        byteCount += min(max(more, -Self.byteCountMax), Self.byteCountMax)
        byteCount = min(max(byteCount, -Self.byteCountMax), Self.byteCountMax)
    }
}
