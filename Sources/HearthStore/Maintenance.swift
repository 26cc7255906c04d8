import HashTreeCollections
package import HearthFirestore
package import HearthModel

/// What keeps a store small and quick. Call between groups, when nobody waits.
extension SQLiteStore {
    /// Copies the log into the file as far as no reader needs it. Blocks on the disk.
    package func checkpoint() throws(StoreError) {
        try maintain("PRAGMA wal_checkpoint(PASSIVE)")
    }

    /// Gives free pages back to the file system, a slice at a time, which ends after some milliseconds.
    ///
    /// SQLite looks for each page through its list of free ones, so the longer that is, the fewer.
    ///
    /// - Returns: Whether there are more.
    @discardableResult
    package func shrink(pageCountMax: Int) throws(StoreError) -> Bool {
        let freeCount = try setting("PRAGMA freelist_count").flatMap(Int.init) ?? 0
        guard freeCount > 0 else { return false }
        let count = try maintain(
            "PRAGMA incremental_vacuum(\(pageCountMax))",
            until: ContinuousClock.now + MaintenanceLimits.sliceDuration)
        return freeCount > count
    }

    /// Forgets answered writes, the oldest first, beyond a count or noted before a time.
    ///
    /// Below which number its writes were forgotten is kept for each client, so that a resend of one
    /// is not taken for a new write.
    package func pruneRecords(keeping countMax: Int, notedBefore time: Timestamp)
        throws(StoreError)
    {
        try transaction { transaction throws(StoreError) in
            guard let transaction = transaction as? SQLiteTransaction else { return }
            try transaction.pruneRecords(keeping: countMax, notedBefore: time)
        }
    }

    /// What SQLite finds wrong with the file; empty if nothing. O(size of the file).
    package func problems() throws(StoreError) -> [String] {
        try findProblems()
    }
}

extension SQLiteTransaction {
    fileprivate func pruneRecords(keeping countMax: Int, notedBefore time: Timestamp)
        throws(StoreError)
    {
        let before = TimeBytes.bytes(of: time)
        try connection.statement(
            """
            INSERT INTO forgotten_writes
            SELECT uid, client_high, client_low, max(sequence) + 1, max(noted_at)
            FROM write_records WHERE outcome <> 0 AND noted_at < ?
            GROUP BY uid, client_high, client_low
            ON CONFLICT (uid, client_high, client_low) DO UPDATE SET
                below = max(below, excluded.below), noted_at = excluded.noted_at
            """
        ).bind(before).run()
        try connection.statement("DELETE FROM write_records WHERE outcome <> 0 AND noted_at < ?")
            .bind(before).run()
        try connection.statement(
            """
            INSERT INTO forgotten_writes
            SELECT uid, client_high, client_low, max(sequence) + 1, max(noted_at)
            FROM write_records
            WHERE (uid, client_high, client_low, sequence) IN (
                SELECT uid, client_high, client_low, sequence FROM write_records
                WHERE outcome <> 0 ORDER BY noted_at DESC, batch DESC LIMIT -1 OFFSET ?)
            GROUP BY uid, client_high, client_low
            ON CONFLICT (uid, client_high, client_low) DO UPDATE SET
                below = max(below, excluded.below), noted_at = excluded.noted_at
            """
        ).bind(countMax).run()
        let statement = try connection.statement(
            """
            DELETE FROM write_records
            WHERE (uid, client_high, client_low, sequence) IN (
                SELECT uid, client_high, client_low, sequence FROM write_records
                WHERE outcome <> 0 ORDER BY noted_at DESC, batch DESC LIMIT -1 OFFSET ?)
            """)
        try statement.bind(countMax).run()
        try connection.statement(
            """
            DELETE FROM forgotten_writes WHERE (uid, client_high, client_low) IN (
                SELECT uid, client_high, client_low FROM forgotten_writes
                ORDER BY noted_at DESC LIMIT -1 OFFSET ?)
            """
        ).bind(MaintenanceLimits.forgottenClientCountMax).run()
        memory.prunedBelow = [:]
    }
}

/// What maintenance takes, and leaves.
enum MaintenanceLimits {
    /// How long a slice goes on; its commit comes on top of it.
    static let sliceDuration = Duration.milliseconds(4)
    /// Documents of no target that a slice looks at before it looks at the clock.
    static let orphanCount = 32
    /// Clients of which it is kept which of their writes were forgotten. About 10 MB.
    static let forgottenClientCountMax = 100_000
}
