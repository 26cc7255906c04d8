package import HearthEngine
package import HearthFirestore
import HearthModel
import HearthSQLite

/// The single row of the table `store`. It is read once and written by commits.
extension SQLiteTransaction {
    package func globals() throws(StoreError) -> StoreGlobals {
        if let globals = memory.globals { return globals }
        let statement = try connection.statement(
            """
            SELECT highest_target, sequence, last_remote_version, last_batch, creates_indexes, daemon,
                last_promised
            FROM store
            """)
        let stored = try statement.first { row throws(StoreError) in
            guard (0...Self.targetMax).contains(row.int(0)),
                (0...Self.tallyMax).contains(row.int(1)),
                (0..<BatchRow.numberMax).contains(row.int(3))
            else { throw Self.wrongCounters }
            var globals = StoreGlobals()
            globals.highestTargetID = TargetID(Int32(row.int(0)))
            globals.sequenceNumber = row.int(1)
            globals.lastRemoteVersion = try row.version(2)
            globals.lastBatchID = BatchID(row.int(3))
            globals.createsIndexes = row.bool(4)
            globals.daemon = row.text(5) ?? ""
            if let promise = row.promise(6) { globals.lastPromisedAt = promise }
            return globals
        }
        guard let stored else { throw .damaged("its row of counters is gone") }
        memory.globals = stored
        return stored
    }

    /// The counters of a damaged file must not lead beyond what can be counted.
    static var wrongCounters: StoreError {
        .damaged("its row of counters has numbers that no store reaches")
    }
    /// More than any disk holds, and little enough to add to.
    static var tallyMax: Int64 { 1 << 60 }
    /// Every number for a target but the last, of which there are more than any store draws.
    private static var targetMax: Int64 { Int64(Int32.max) - 1_000 }

    package func setGlobals(_ globals: StoreGlobals) throws(StoreError) {
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
            UPDATE store SET version = ?, highest_target = ?, sequence = ?,
                last_remote_version = ?, last_batch = ?, creates_indexes = ?,
                documents = ?, orphans = ?, targets = ?, batches = ?, held_batches = ?,
                batch_bytes = ?, dead_letters = ?, last_promised = ?
            """)
        try statement.bind(
            version.rawValue, Int64(globals.highestTargetID.rawValue), globals.sequenceNumber,
            TimeBytes.bytes(of: globals.lastRemoteVersion), globals.lastBatchID.rawValue,
            globals.createsIndexes, tallies.documentCount, tallies.orphanCount,
            tallies.targetCount, tallies.queue.batchCount, tallies.queue.heldBatchCount,
            tallies.queue.batchByteCount, tallies.queue.deadLetterCount,
            globals.lastPromisedAt.microseconds
        ).run()
    }
}
