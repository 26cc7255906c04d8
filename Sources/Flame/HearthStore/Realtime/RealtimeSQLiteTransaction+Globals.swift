package import HearthEngine
import HearthModel
package import HearthRealtime
import HearthSQLite

/// The tallies in the table `store`: how much there is, kept by whoever adds or takes away.
struct RealtimeTallies: Hashable {
    /// Of the queues.
    var queue = QueueTallies()
    /// Of the rows of the server's tree.
    var cacheByteCount = 0
}

/// The single row of the table `store`. It is read once and written by commits.
extension RealtimeSQLiteTransaction {
    package func globals() throws(StoreError) -> RealtimeGlobals {
        if let globals = memory.globals { return globals }
        let statement = try connection.statement(
            "SELECT last_write, last_query, daemon FROM store")
        let stored = try statement.first { row in
            var globals = RealtimeGlobals()
            globals.lastWriteID = BatchID(row.int(0))
            globals.lastQueryID = TrackedQueryID(row.int(1))
            globals.daemon = row.text(2) ?? ""
            return globals
        }
        guard let stored else { throw Self.noCounters }
        let numbers = [stored.lastWriteID.rawValue, stored.lastQueryID.rawValue]
        guard numbers.allSatisfy({ 0..<BatchRow.numberMax ~= $0 }) else { throw Self.wrongCounters }
        memory.globals = stored
        return stored
    }

    package func setGlobals(_ globals: RealtimeGlobals) throws(StoreError) {
        let stored = try self.globals()
        var globals = globals
        globals.daemon = stored.daemon  // The file's own, which nobody changes.
        guard stored != globals else { return }
        memory.globals = globals
        memory.group.hasChanges = true
    }

    /// Gives a new store the name of the store that the new store replaces.
    func restoreName(_ name: String) throws(StoreError) {
        try connection.statement("UPDATE store SET daemon = ?").bind(name).run()
        memory.globals?.daemon = name
        memory.group.hasChanges = true
    }

    /// Writes the row with the version that this commit leads to.
    func storeGlobals(version: StoreVersion) throws(StoreError) {
        let globals = try self.globals()
        let tallies = try self.tallies()
        let statement = try connection.statement(
            """
            UPDATE store SET version = ?, last_write = ?, last_query = ?, batches = ?,
                held_batches = ?, batch_bytes = ?, dead_letters = ?, cache_bytes = ?
            """)
        try statement.bind(
            version.rawValue, globals.lastWriteID.rawValue, globals.lastQueryID.rawValue,
            tallies.queue.batchCount, tallies.queue.heldBatchCount, tallies.queue.batchByteCount,
            tallies.queue.deadLetterCount, tallies.cacheByteCount
        ).run()
    }

    // MARK: Tallies

    /// The tallies as the turns so far have left them.
    func tallies() throws(StoreError) -> RealtimeTallies {
        if let tallies = memory.tallies { return tallies }
        let statement = try connection.statement(
            "SELECT batches, held_batches, batch_bytes, dead_letters, cache_bytes FROM store")
        let stored = try statement.first { row in
            RealtimeTallies(
                queue: QueueTallies(
                    batchCount: Int(row.int(0)), heldBatchCount: Int(row.int(1)),
                    batchByteCount: Int(row.int(2)), deadLetterCount: Int(row.int(3))),
                cacheByteCount: Int(row.int(4)))
        }
        guard let stored else { throw Self.noCounters }
        let queue = stored.queue
        let counts = [
            queue.batchCount, queue.heldBatchCount, queue.batchByteCount, queue.deadLetterCount,
            stored.cacheByteCount,
        ]
        guard counts.allSatisfy({ 0...Self.tallyMax ~= $0 }) else { throw Self.wrongCounters }
        memory.tallies = stored
        return stored
    }

    /// Changes the tallies; the commit stores them.
    func tally(_ change: (inout RealtimeTallies) -> Void) throws(StoreError) {
        var tallies = try tallies()
        change(&tallies)
        memory.tallies = tallies
    }

    package func queueTallies() throws(StoreError) -> QueueTallies { try tallies().queue }

    package func tallyQueue(_ change: (inout QueueTallies) -> Void) throws(StoreError) {
        try tally { change(&$0.queue) }
    }

    // MARK: Clearing

    package func removeAll() throws(StoreError) {
        let globals = try globals()
        try noteAllForgotten()
        try connection.execute(
            """
            DELETE FROM server_nodes;
            DELETE FROM tracked_queries;
            DELETE FROM tracked_keys;
            DELETE FROM mutation_queues;
            DELETE FROM mutations;
            DELETE FROM write_records;
            DELETE FROM dead_letters;
            """)
        memory = Memory()
        try tally { $0 = RealtimeTallies() }
        try setGlobals(globals)
        memory.group.hasChanges = true
    }

    private static var noCounters: StoreError { .damaged("its row of counters is gone") }
    private static var wrongCounters: StoreError {
        .damaged("its row of counters has numbers that no store reaches")
    }
    /// More than any disk holds, and little enough to add to.
    private static var tallyMax: Int { 1 << 60 }
}
