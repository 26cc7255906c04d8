import CSQLite
import HearthEngine
import Synchronization

/// What a connection does with the WAL beside SQLite.
extension Connection {
    /// How many pages the WAL had after the last commit, once `watchWAL` was called.
    var walPageCount: Int { gauge.pageCount }

    /// How often the WAL has begun anew by a commit of this connection, once `takeWAL` was called.
    var walNumber: Int { walFile?.beginCount ?? 0 }

    /// Whether commits are not synced, because their content is durable elsewhere.
    var leavesSync: Bool {
        get { walFile?.leavesSync ?? false }
        set { walFile?.leavesSync = newValue }
    }

    /// Whether the WAL may hold what will never reach the disk.
    var hasFailedSync: Bool { walFile?.doubt.isOnWAL ?? false }

    /// Steps between SQLite and the WAL.
    ///
    /// - Parameter doubt: What the store's other connections know of syncs that failed.
    func takeWAL(_ doubt: SyncDoubt = SyncDoubt()) throws(StoreError) {
        // Reading makes the connection find the WAL.
        try execute("PRAGMA checkpoint_fullfsync = 1; SELECT count(*) FROM sqlite_schema")
        walFile = WALFile(of: handle, doubt)
        guard walFile != nil else { throw .io("SQLite has no log open") }
    }

    /// Makes durable what an earlier process has left in the WAL, and has nothing of it count as
    /// copied into the file.
    ///
    /// The process may have ended behind a sync that failed, and the system still shows what the
    /// disk does not have.
    func adoptWAL() throws(StoreError) {
        try forgetCopies()
        try mendWAL()
    }

    /// Makes durable whatever any connection has committed.
    func syncWAL() throws(StoreError) {
        try expectDone(walFile?.sync(), "synced")
    }

    /// Makes durable whatever was committed, also after a sync has failed.
    ///
    /// Only the writer may call this, between transactions or in its own.
    ///
    /// - Throws: `StoreError.damaged` if the WAL has lost what was committed.
    func mendWAL() throws(StoreError) {
        try expectDone(walFile?.mend(try walIndex()), "written anew")
    }

    /// Cuts off the WAL behind the last commit, where a failed commit may have left pages.
    ///
    /// The cut is on the disk when the call returns. Only the writer may call this, and only
    /// between transactions: a transaction may have pages there.
    func cutWAL() throws(StoreError) {
        let index = try walIndex()
        let known = index.byteCount(ofFrames: walPageCount)
        try expectDone(walFile?.cut(behind: index, keeping: known), "cut back")
    }

    private func walIndex() throws(StoreError) -> WALIndex {
        guard let index = WALIndex(of: handle) else { throw .io("the index of the log is gone") }
        return index
    }

    private func expectDone(_ code: Int32?, _ deed: String) throws(StoreError) {
        let code = code ?? SQLITE_IOERR
        let detail = "the log cannot be \(deed) (SQLite \(code))"
        switch code & 0xFF {
        case SQLITE_OK: return
        case SQLITE_FULL: throw .full(detail)
        case SQLITE_CORRUPT: throw .damaged("committed bytes of its log are gone, and \(detail)")
        default: throw .io(detail)
        }
    }

    /// Counts the WAL's pages with each commit, and ends SQLite's own copying of the WAL.
    func watchWAL() {
        // The gauge lives as long as the connection, and `deinit` closes the handle before the
        // gauge goes.
        let gauge = Unmanaged.passUnretained(self.gauge).toOpaque()
        sqlite3_wal_hook(
            handle,
            { gauge, _, _, pageCount in
                if let gauge {
                    Unmanaged<Gauge>.fromOpaque(gauge).takeUnretainedValue().pageCount =
                        Int(pageCount)
                }
                return SQLITE_OK
            }, gauge)
    }

    /// Copies the WAL into the file, except the pages whose replacement a reader would notice.
    ///
    /// After a copy that failed, the next one begins with the WAL's first frame: the sync that
    /// failed may have lost the pages of every copy before. A WAL in doubt is not copied.
    ///
    /// - Throws: `StoreError.locked` if another connection is copying the WAL.
    func copyWAL() throws(StoreError) -> WALProgress {
        guard !hasFailedSync else { throw .io("the log must be written anew before it is copied") }
        try settleCopies()
        var pageCount: Int32 = 0
        var copiedCount: Int32 = 0
        let code = sqlite3_wal_checkpoint_v2(
            handle, nil, SQLITE_CHECKPOINT_PASSIVE, &pageCount, &copiedCount)
        guard code == SQLITE_OK else {
            let error = StoreError(sqlite: code, in: handle)
            if code & 0xFF == SQLITE_IOERR {
                walFile?.doubt.copyFailed()
                try? settleCopies()  // At once, for the readers; else the next copy does it.
            }
            throw error
        }
        return WALProgress(pageCount: Int(pageCount), copiedCount: Int(copiedCount))
    }

    /// Has nothing count as copied if a copy has failed.
    private func settleCopies() throws(StoreError) {
        guard let doubt = walFile?.doubt else { return }
        guard doubt.isOnCopies.exchange(false, ordering: .acquiringAndReleasing) else { return }
        do throws(StoreError) {
            try forgetCopies()
        } catch {
            doubt.isOnCopies.store(true, ordering: .releasing)
            throw error
        }
    }

    private func forgetCopies() throws(StoreError) {
        let code = WALIndex.forgetCopies(of: handle)
        guard code == SQLITE_OK else {
            let detail = "the copies of the log cannot be forgotten (SQLite \(code))"
            throw code & 0xFF == SQLITE_BUSY ? .locked(detail) : .io(detail)
        }
        try dropPagesInMemory()
    }

    /// Has SQLite read pages anew that may be those of the file, which lacks what was lost. Needs a
    /// connection without a transaction.
    func dropPagesInMemory() throws(StoreError) { try execute("PRAGMA shrink_memory") }

    /// Leaves the WAL to the next opening, which copies all of it, when the connection closes.
    func leaveWALOnClose() { csqlite_leave_log_on_close(handle, 1) }

    /// Has SQLite copy the WAL and remove the WAL when the connection closes.
    func takeWALOnClose() { csqlite_leave_log_on_close(handle, 0) }
}
