package import HearthFirestore
package import HearthModel

/// What keeps a store small and quick. Call between groups, when nobody waits.
extension SQLiteStore {
    /// Copies the log into the file as far as no reader needs it. Blocks on the disk.
    package func checkpoint() throws(StoreError) {
        try maintain("PRAGMA wal_checkpoint(PASSIVE)")
    }

    /// Gives free pages back to the file system, a slice at a time.
    ///
    /// - Returns: Whether there are more.
    @discardableResult
    package func shrink(pageCountMax: Int) throws(StoreError) -> Bool {
        let freeCount = try setting("PRAGMA freelist_count").flatMap(Int.init) ?? 0
        if freeCount > 0 { try maintain("PRAGMA incremental_vacuum(\(pageCountMax))") }
        return freeCount > pageCountMax
    }

    /// Forgets answered writes, the oldest first, beyond a count or noted before a time.
    ///
    /// A resend of a forgotten write cannot be told from a new one, so its client must be told that
    /// the outcome is unknown.
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
        try connection.statement("DELETE FROM write_records WHERE outcome <> 0 AND noted_at < ?")
            .bind(TimeBytes.bytes(of: time)).run()
        let statement = try connection.statement(
            """
            DELETE FROM write_records
            WHERE (uid, client_high, client_low, sequence) IN (
                SELECT uid, client_high, client_low, sequence FROM write_records
                WHERE outcome <> 0 ORDER BY noted_at DESC, batch DESC LIMIT -1 OFFSET ?)
            """)
        try statement.bind(countMax).run()
    }
}
