import Dispatch
package import HearthEngine
import Synchronization

/// A store on disk: a single SQLite file that only this class writes.
///
/// A group is a transaction, each turn in a group is a savepoint, and `commit` makes the group
/// durable with one sync. Undoing a savepoint also undoes what the turn kept in memory (counters,
/// row ids).
///
/// If the intake log can tell every change of a group, the log makes the group durable instead. The
/// transaction then stays open for the groups that follow. The store commits the transaction when
/// many groups wait, or when a group, a reader or maintenance needs the commit. `GroupStore+Intake`
/// implements this path, `IntakeLog` the log.
///
/// What holds, whatever fails:
///
/// 1. One process writes (`FileLock`), through one connection. Only the holder of the gate uses the
///    connection.
/// 2. The transaction's memory matches SQLite's open transaction: a rollback undoes both together.
/// 3. When `commit` returns, the group is durable: in the synced WAL, or in the intake log.
/// 4. When `commit` throws, nothing of the group has happened, not even after a crash, and every
///    earlier group still has. The failed commit is out of the WAL, and the failed record out of the
///    intake log, before anybody hears of the failure (`voidFailures`). The only exception is the
///    error `unsettled`: till the disk lets the store void the group, nobody knows whether a crash
///    brings the group back, and no other group begins.
/// 5. `version` is the database's version plus the number of waiting records: no number is left out
///    or used twice. After a failed commit the database may have the next number already, so the
///    next group is committed and bears the same number again.
/// 6. A group is in the intake log only if its entries account for every changed row.
/// 7. A commit goes without a sync only if the intake log keeps the commit's groups until a later
///    sync (`IntakeHalves`).
/// 8. Readers see commits only, and a reader that begins after a group was accepted sees the group.
/// 9. After a sync of the WAL that failed, nothing counts as durable, and nothing is committed or
///    copied, before the WAL was written anew. Bytes that are read for this are checked against
///    SQLite's sums in memory, because the system may show what the disk does not have (`SyncDoubt`).
/// 10. After a copy of the WAL into the file that failed, no frame counts as copied. So the WAL does
///    not begin anew before every frame was copied again and the file synced (`WALIndex`).
/// 11. A new process trusts no sync of the process before: the opening writes the WAL anew, and
///    counts none of the frames as copied.
/// 12. Nothing is accepted into a file that was removed or replaced meanwhile (`NamedFile`).
package final class GroupStore<Content: StoreContent>: @unchecked Sendable {  // Behind its gate.
    /// Where the store lies.
    package let configuration: GroupStoreConfiguration<Content>
    /// The file's schema version before the opening; `nil` if the file was new or up to date.
    package let migratedFrom: Int?
    /// Connections that read beside the writer.
    package let readers: ReaderPool<Content>

    let connection: Connection
    /// The transaction of the open group.
    ///
    /// Only a turn, or the holder of the gate, may use the transaction.
    package let open: Content.Transaction
    /// What the database does not have yet.
    var intake = Intake()
    /// Held by the open group, or by whoever has its transaction committed: one at a time.
    let gate = DispatchSemaphore(value: 1)
    let checkpointer: Checkpointer
    /// What is known of syncs that failed.
    let doubt = SyncDoubt()
    /// Whether the WAL may have a commit that failed, which a crash would bring back.
    var mustVoid = false
    /// Whether the WAL found no room, and has not been copied since.
    var isWALCramped = false
    /// Why the WAL could not be written anew after a sync that failed, at the last try.
    var mendError: StoreError?
    /// The failed copies behind which the connection has read its pages.
    var seenCopyFailureCount = 0
    /// Whether there are accepted writes that readers cannot see yet. May be read without the gate.
    let hidesWrites = Atomic<Bool>(false)

    private let lock: FileLock
    let file: NamedFile
    private var hasGroup = false
    private var hasTurns = false
    private var groupBegan = ContinuousClock.now
    private var changeCountBefore: Int64 = 0

    /// Opens the file, or makes it, and brings it to the present schema.
    ///
    /// - Throws: `StoreError.locked` if another process has it open; `damaged` if it is no database;
    ///   `foreign` if it is a later program's or another database's.
    package init(_ configuration: GroupStoreConfiguration<Content>) throws(StoreError) {
        self.configuration = configuration
        lock = try FileLock(path: configuration.path + "-lock")
        try SystemErrors.makePrivateFile(at: configuration.path)
        try SystemErrors.expectOneName(of: configuration.path)
        connection = try Connection(path: configuration.path, isReadOnly: false)
        try Self.prepare(connection, configuration)
        // Only now: on a file system of layers, the opening may make another file of the file.
        file = try NamedFile(at: configuration.path)
        try connection.takeWAL(doubt)
        connection.leaveWALOnClose()  // Should the opening fail.
        let migrations = Migrations(content: configuration.content)
        mendError = try Self.adoptWAL(of: connection, doubt, before: migrations)
        let found = try migrations.begin(on: connection)
        migratedFrom = found > 0 && found < Content.steps.count ? found : nil
        open = configuration.content.transaction(on: connection)
        readers = ReaderPool(configuration)
        let stored = try open.soundVersion()
        version = stored
        checkpointer = Checkpointer(
            path: configuration.path, version: stored, doubt: doubt)
        try takeUpIntake(before: migrations)
        connection.takeWALOnClose()
        readers.setSettler { [weak self] in self?.showWrites() ?? true }
    }

    deinit {
        rollback()
        try? settle()
        checkpointer.finish()
        // SQLite would copy what it takes for the WAL, and remove the WAL.
        if doubt.isThere { connection.leaveWALOnClose() }
    }

    /// The version that the last commit led to.
    package internal(set) var version = StoreVersion(0)

    /// Whether the last commit had anything to make durable.
    package private(set) var hasWritten = false

    /// Whether a group is open and the group's changes still stand.
    package var isGroupOpen: Bool { hasGroup && connection.isInTransaction }

    /// Opens a group. None may be open.
    ///
    /// - Throws: `StoreError` if SQLite cannot open the transaction; no group is open then. The error
    ///   is `unsettled` as long as an earlier group cannot be voided.
    package func begin() throws(StoreError) {
        precondition(!isGroupOpen, "A group is already open")
        if hasGroup { rollback() }  // The disk ended it, and nobody has said so.
        checkpointer.pause()
        groupBegan = ContinuousClock.now
        gate.wait()
        do throws(StoreError) {
            try voidFailures()
            try mendBeforeGroup()
            // Everything but the open transaction is copied: the smaller the transaction, the less
            // is left to copy.
            if checkpointer.awaitsCommit.load(ordering: .relaxed), mendError == nil {
                try? settle()
            }
            try beginGroup()
        } catch {
            gate.signal()
            throw error
        }
        open.beginGroup()
        changeCountBefore = connection.totalChangeCount
        hasTurns = false
        hasGroup = true
    }

    /// Runs one turn inside the open group; if `body` throws, the turn's changes are undone.
    ///
    /// After an error, ask `isGroupOpen`: some failures of the disk end the whole group.
    ///
    /// - Throws: `StoreError` from SQLite or from `body`.
    package func run<Result>(
        _ body: (Content.Transaction) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        precondition(isGroupOpen, "A turn outside a group")
        // The first turn needs no savepoint: to undo it, the whole group is begun anew.
        if hasTurns { try connection.statement("SAVEPOINT turn").run() }
        // While a copy lives, the first change of each table copies the whole table.
        let before = hasTurns ? open.memory : nil
        do throws(StoreError) {
            let result = try body(open)
            if hasTurns { try connection.statement("RELEASE turn").run() }
            hasTurns = true
            return result
        } catch {
            undoTurn(before)
            throw error
        }
    }

    /// Makes the group durable. If this throws, nothing of the group has happened.
    ///
    /// - Throws: `StoreError` if the disk does not take the group; `unsettled` if a crash may bring
    ///   the group back all the same.
    package func commit() throws(StoreError) {
        precondition(isGroupOpen, "A commit outside a group")
        let changeCount = connection.totalChangeCount - changeCountBefore
        let isChanged = open.memory.group.hasChanges || changeCount > 0
        do throws(StoreError) {
            if isChanged {
                try commitGroup(changeCount: changeCount)
            } else {
                try endUnchangedGroup()
            }
        } catch {
            // Nobody knows how much of the group is on the disk: the store undoes all, and applies
            // the accepted groups anew.
            abandonTransaction()
            let refusal = refusal(after: error)
            endGroup()
            throw refusal
        }
        hasWritten = isChanged
        keepWALShort()  // Before a reader may have the connection.
        if isChanged { checkpointer.worked(for: groupBegan.duration(to: .now)) }
        endGroup()
    }

    private func endGroup() {
        hasGroup = false
        gate.signal()
    }

    /// Undoes the open group, if there is one.
    package func rollback() {
        guard hasGroup else { return }
        undoGroup()
        endGroup()
    }

    /// Writes and syncs a commit without meaning, to find out whether the disk takes the commit.
    ///
    /// - Throws: The error that a write would meet. Nothing has happened then.
    package func probe() throws(StoreError) {
        try begin()
        open.memory.group.hasChanges = true
        intake.mustCommit = true
        try commit()
    }

    /// Undoes a turn that failed.
    ///
    /// - Parameter before: The memory before the turn; `nil` for the group's first turn.
    private func undoTurn(_ before: Content.Transaction.Memory?) {
        do throws(StoreError) {
            guard connection.isInTransaction else {
                open.forget()
                return
            }
            if let before {
                try connection.statement("ROLLBACK TO turn").run()
                try connection.statement("RELEASE turn").run()
                open.memory = before
            } else {
                try beginGroupAnew()
            }
        } catch {
            rollback()
        }
    }

    private static func prepare(
        _ connection: Connection, _ configuration: GroupStoreConfiguration<Content>
    ) throws(StoreError) {
        // Only an empty file takes these two.
        try connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
        let mode = try connection.text("PRAGMA journal_mode = WAL")
        guard mode == "wal" else {
            throw .io("the file system refuses a shared log: journal_mode is \(mode ?? "unknown")")
        }
        try connection.execute(
            """
            PRAGMA synchronous = FULL;
            PRAGMA secure_delete = FAST;
            PRAGMA temp_store = MEMORY;
            PRAGMA cache_size = -\(configuration.pageCacheByteCount >> 10);
            PRAGMA journal_size_limit = \(StoreLimits.walByteCountMax);
            """)
        connection.watchWAL()
        let synchronous = try connection.number("PRAGMA synchronous")
        guard synchronous == 2 else {
            throw .io("synchronous is \(synchronous ?? -1), not FULL: a write could be lost")
        }
    }
}
