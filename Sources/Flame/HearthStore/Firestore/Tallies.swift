package import HearthEngine
import HearthFirestore
import HearthSQLite

/// The tallies in the table `store`: how much there is of everything, kept by whoever adds or takes away.
struct Tallies: Hashable {
    /// Documents that the store knows something of.
    var documentCount = 0
    /// Rows of documents that no target names.
    var orphanCount = 0
    var targetCount = 0
    /// Of the queues.
    var queue = QueueTallies()
}

extension SQLiteTransaction {
    /// The tallies as the turns so far have left them.
    func tallies() throws(StoreError) -> Tallies {
        if let tallies = memory.tallies { return tallies }
        let tallies = try storedTallies()
        memory.tallies = tallies
        return tallies
    }

    /// Changes the tallies; the commit stores them.
    func tally(_ change: (inout Tallies) -> Void) throws(StoreError) {
        var tallies = try tallies()
        change(&tallies)
        memory.tallies = tallies
    }

    package func queueTallies() throws(StoreError) -> QueueTallies { try tallies().queue }

    package func tallyQueue(_ change: (inout QueueTallies) -> Void) throws(StoreError) {
        try tally { change(&$0.queue) }
    }

    private func storedTallies() throws(StoreError) -> Tallies {
        let statement = try connection.statement(
            """
            SELECT documents, orphans, targets, batches, held_batches, batch_bytes, dead_letters
            FROM store
            """)
        let tallies = try statement.first { row throws(StoreError) in
            guard (0..<7).allSatisfy({ (0...Self.tallyMax).contains(row.int($0)) }) else {
                throw Self.wrongCounters
            }
            return Tallies(
                documentCount: Int(row.int(0)), orphanCount: Int(row.int(1)),
                targetCount: Int(row.int(2)),
                queue: QueueTallies(
                    batchCount: Int(row.int(3)), heldBatchCount: Int(row.int(4)),
                    batchByteCount: Int(row.int(5)), deadLetterCount: Int(row.int(6))))
        }
        guard let tallies else { throw .damaged("its row of counters is gone") }
        return tallies
    }
}
