import HearthEngine

/// How the store keeps the WAL: short, and without commits that failed.
///
/// SQLite writes a commit's pages with the commit's mark, and then syncs. If the sync fails, SQLite
/// forgets the commit, but the pages stay in the WAL. A program that opens the file after a crash
/// finds them whole, and takes them for a commit.
extension GroupStore {
    // MARK: Commits that failed

    /// Commits the open transaction.
    ///
    /// - Throws: `StoreError` if the commit fails. `voidFailures` must have succeeded before anybody
    ///   hears that nothing happened.
    func commitTransaction() throws(StoreError) {
        mustVoid = true
        try connection.statement("COMMIT").run()
        mustVoid = false
    }

    /// What to tell of a group or a slice that was undone after an error, once it is void on the
    /// disk too. Needs the gate, and no open transaction.
    ///
    /// - Returns: The error; or `unsettled` if a crash may bring back what was undone.
    @discardableResult
    func refusal(after error: StoreError) -> StoreError {
        let isFull = if case .full = error { true } else { false }
        if isFull { mustVoid = true }  // Pages of an unfinished commit take room, too.
        do throws(StoreError) {
            try voidFailures()
        } catch {
            return error
        }
        if isFull { makeRoom() }
        return error
    }

    /// Takes a commit that failed out of the WAL, and a record that failed out of the intake log, so
    /// that no crash brings them back. Needs the gate, and no open transaction if anything failed.
    ///
    /// - Throws: `StoreError.unsettled` if the disk refuses. The call may be made again.
    func voidFailures() throws(StoreError) {
        guard mustVoid || intake.failedLog != nil else { return }
        precondition(!connection.isInTransaction, "A failed commit left its transaction open")
        do throws(StoreError) {
            if let log = intake.failedLog { try void(log) }
            intake.failedLog = nil
            if mustVoid { try connection.cutWAL() }
            mustVoid = false
        } catch {
            throw .unsettled("a commit that failed cannot be taken back (\(error))")
        }
    }

    /// Voids the record behind the present version, if any of it is on the disk.
    private func void(_ log: IntakeLog) throws(StoreError) {
        do throws(StoreError) {
            try log.void()
        } catch {
            let contents = try log.read(behind: version)
            guard contents.records.isEmpty, contents.stragglers.isEmpty else { throw error }
        }
    }

    // MARK: Syncs that failed

    /// Adopts the WAL of the process before.
    ///
    /// A file system that copies on write may have no room for the WAL again. Reads go on then, if
    /// the tables need no change, and a later group adopts the WAL.
    ///
    /// - Returns: The error of a full disk behind which reads go on.
    static func adoptWAL(
        of connection: Connection, _ doubt: SyncDoubt, before migrations: Migrations<Content>
    ) throws(StoreError) -> StoreError? {
        do throws(StoreError) {
            try connection.adoptWAL()
            return nil
        } catch {
            guard case .full = error, doubt.isOnWAL, try !migrations.isUnfinished(on: connection)
            else { throw error }
            return error
        }
    }

    /// Mends the WAL, if it must be mended. If the disk still refuses, a commit tells why, and reads
    /// go on.
    ///
    /// - Throws: `StoreError` if the WAL is damaged: nothing more is accepted on top of it.
    func mendBeforeGroup() throws(StoreError) {
        do throws(StoreError) {
            try mendFailedSync()
        } catch {
            guard error.damage == nil else { throw error }
        }
    }

    /// Writes the WAL anew after a sync has failed, without the open transaction, whose records are
    /// applied anew: pages that SQLite has written before their commit are lost with the rest. Needs
    /// the gate.
    ///
    /// - Throws: `StoreError` if the disk still refuses; the transaction is gone all the same.
    func mendFailedSync() throws(StoreError) {
        let copyFailureCount = doubt.copyFailureCount
        if copyFailureCount != seenCopyFailureCount {
            if connection.isInTransaction { abandonTransaction() }
            try connection.dropPagesInMemory()
            seenCopyFailureCount = copyFailureCount
        }
        guard connection.hasFailedSync else {
            mendError = nil
            return
        }
        if connection.isInTransaction { abandonTransaction() }
        do throws(StoreError) {
            try connection.mendWAL()
        } catch {
            mendError = error
            throw error
        }
        mendError = nil
        checkpointer.mended()
    }

    // MARK: The length of the WAL

    /// Has the WAL copied when the WAL is long.
    ///
    /// The commit is durable already, so an error here cannot fail the commit. Needs the gate.
    func keepWALShort() {
        // Groups that wait for a commit are durable in the log, but not in the file yet.
        guard !connection.isInTransaction, !intake.hasPending else { return }
        intake.log?.synced(checkpointer.syncedVersion)
        let mustFinish = checkpointer.committed(
            version, walPageCount: connection.walPageCount, of: connection.walNumber,
            mustSync: intake.log?.waitsForSync(of: version) ?? false)
        guard mustFinish || isWALCramped else { return }
        let progress = try? connection.copyWAL()
        if progress != nil { isWALCramped = false }
        checkpointer.copied(progress)
    }

    /// Makes room in the WAL after a commit that found no room; the pages of the commit are cut off.
    ///
    /// Copies the pages of earlier commits, as far as the file need not grow for the copy. After a
    /// complete copy the WAL begins anew, and the next commit has the whole WAL: a WAL that may not
    /// grow is enough to collect with. If the file has to grow, the file grows with the next commit
    /// that finds room, before the WAL takes the room. Needs the gate.
    private func makeRoom() {
        isWALCramped = true
        guard let progress = try? connection.copyWAL() else { return }
        isWALCramped = false
        checkpointer.copied(progress)
    }
}
