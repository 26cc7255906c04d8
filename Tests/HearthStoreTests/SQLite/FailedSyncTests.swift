import Glibc
import HearthEngine
import HearthFirestore
import HearthModel
import HearthTestSupport
import Testing

@testable import HearthSQLite
@testable import HearthStore

/// A disk that refuses to sync, and shows what it does not have: nobody hears a promise that a crash
/// or a power cut breaks.
@Suite(.serialized)
struct FailedSyncTests {
    private let folder = TemporaryFolder()

    private func configuration(in folder: TemporaryFolder) -> StoreConfiguration {
        var configuration = StoreBench.configuration(in: folder)
        configuration.intakeByteCount = 0  // So that each group is a commit.
        return configuration
    }

    /// A store with the batches 1 to `count`.
    private func filled(_ count: Int64 = 3) throws -> SQLiteStore {
        let store = try SQLiteStore(configuration(in: folder))
        for number in 1...count { try IntakeActs.accept(number, in: store) }
        return store
    }

    private func numbers(in store: SQLiteStore) throws -> [Int64] {
        try IntakeActs.state(of: store).batches.map(\.rawValue)
    }

    /// What a crash at this moment would leave.
    private func numbersAfterCrash(in folder: TemporaryFolder) throws -> [Int64] {
        let copy = try folder.crashed()
        defer { withExtendedLifetime(copy) {} }
        return try numbers(in: try SQLiteStore(configuration(in: copy)))
    }

    private func isUnsettled(_ error: StoreError?) -> Bool {
        if case .unsettled = error { true } else { false }
    }

    // MARK: Commits

    @Test(arguments: [false, true])
    func `no crash brings back a group that was refused because its commit was not synced`(
        isFirstCommit: Bool
    ) throws {
        var (store, place) = (try filled(), folder)
        if isFirstCommit {
            place = try folder.crashed()
            store = try SQLiteStore(configuration(in: place))
        }
        let version = store.version
        let wal = try #require(StubbornWAL(store.connection))
        let error = #expect(throws: StoreError.self) { try IntakeActs.accept(4, in: store) }
        guard case .io = error else {
            Issue.record("it was \(String(describing: error))")
            return
        }
        #expect(try numbersAfterCrash(in: place) == [1, 2, 3])
        wal.relent()
        #expect(store.version == version)
        try IntakeActs.accept(4, in: store)
        #expect(try numbers(in: store) == [1, 2, 3, 4])
        #expect(try numbersAfterCrash(in: place) == [1, 2, 3, 4])
        #expect(try store.problems().isEmpty)
    }

    @Test func `a group that cannot be taken back is not told as undone, and no other begins`()
        throws
    {
        let store = try filled()
        let wal = try #require(StubbornWAL(store.connection, refusesCuts: true))
        let error = #expect(throws: StoreError.self) { try IntakeActs.accept(4, in: store) }
        #expect(isUnsettled(error), "\(String(describing: error))")
        #expect(try numbersAfterCrash(in: folder) == [1, 2, 3, 4])  // So nobody may deny it.
        let other = #expect(throws: StoreError.self) { try IntakeActs.accept(5, in: store) }
        #expect(isUnsettled(other), "\(String(describing: other))")
        #expect(throws: StoreError.self) { try store.probe() }
        #expect(throws: StoreError.self) { try store.maintain { _ in } }
        wal.relent()
        try store.probe()
        #expect(try numbers(in: store) == [1, 2, 3])
        #expect(try numbersAfterCrash(in: folder) == [1, 2, 3])
        try IntakeActs.accept(4, in: store)
        #expect(try numbersAfterCrash(in: folder) == [1, 2, 3, 4])
    }

    @Test func `a record that the intake log surely has not needs no taking back`() throws {
        let store = try SQLiteStore(StoreBench.configuration(in: folder))
        for number in Int64(1)...3 { try IntakeActs.accept(number, in: store) }
        let path = store.configuration.path + "-intake"
        let unwritable = try #require(
            SwappedFile(Descriptors.of(path).first, for: path, access: O_RDONLY))
        let wal = try #require(StubbornWAL(store.connection))
        let error = #expect(throws: StoreError.self) { try IntakeActs.accept(4, in: store) }
        #expect(!isUnsettled(error), "\(String(describing: error))")
        wal.relent()
        unwritable.putBack()
        #expect(try numbersAfterCrash(in: folder) == [1, 2, 3])
        #expect(try numbers(in: store) == [1, 2, 3])
    }

    @Test func `a record of the intake log that cannot be blanked keeps other groups out`() throws {
        let store = try SQLiteStore(StoreBench.configuration(in: folder))
        for number in Int64(1)...3 { try IntakeActs.accept(number, in: store) }
        try #require(store.intake.pendingCount == 2)
        // As if the last record had failed, and the commit behind it too.
        store.abandonTransaction()
        store.version = StoreVersion(store.version.rawValue - 1)
        store.intake.failedLog = store.intake.log
        let path = store.configuration.path + "-intake"
        let unwritable = try #require(
            SwappedFile(Descriptors.of(path).first, for: path, access: O_RDONLY))
        let error = #expect(throws: StoreError.self) { try IntakeActs.accept(3, in: store) }
        #expect(isUnsettled(error), "\(String(describing: error))")
        unwritable.putBack()
        #expect(try numbers(in: store) == [1, 2])
        #expect(try numbersAfterCrash(in: folder) == [1, 2])
    }

    @Test func `behind a commit that cannot be taken back nothing begins, though groups wait`()
        throws
    {
        let store = try SQLiteStore(StoreBench.configuration(in: folder))
        for number in Int64(1)...3 { try IntakeActs.accept(number, in: store) }
        try #require(store.intake.hasPending)
        let wal = try #require(
            StubbornWAL(store.connection, refusedSyncCount: 9, refusesCuts: true))
        store.intake.mustCommit = true  // So that the commit is synced.
        #expect(isUnsettled(#expect(throws: StoreError.self) { try store.settle() }))
        for _ in 0..<2 {
            #expect(isUnsettled(#expect(throws: StoreError.self) { try store.begin() }))
        }
        wal.relent()
        try IntakeActs.accept(4, in: store)
        #expect(try numbers(in: store) == [1, 2, 3, 4])
        #expect(try numbersAfterCrash(in: folder) == [1, 2, 3, 4])
    }

    // MARK: The log after a sync that failed

    @Test func `damage that the mending meets is told to the next group`() throws {
        let store = try filled(40)
        let wal = try #require(StubbornWAL(store.connection))
        #expect(throws: StoreError.self) { try store.connection.syncWAL() }
        wal.relent()
        let file = open(store.configuration.path + "-wal", O_RDWR)
        try #require(file >= 0)
        defer { close(file) }
        var older = [UInt8](repeating: 9, count: 512)
        try #require(pwrite(file, &older, older.count, 32 + 5 * 4_120 + 2_000) == older.count)
        let error = #expect(throws: StoreError.self) { try IntakeActs.accept(41, in: store) }
        #expect(error?.damage != nil, "\(String(describing: error))")
    }

    @Test func `an open transaction does not outlive a sync that failed`() throws {
        let store = try SQLiteStore(StoreBench.configuration(in: folder))
        for number in Int64(1)...3 { try IntakeActs.accept(number, in: store) }
        try #require(store.intake.hasPending && store.connection.isInTransaction)
        let wal = try #require(StubbornWAL(store.connection))
        #expect(throws: StoreError.self) { try store.connection.syncWAL() }
        wal.relent()
        // Whatever lies in the transaction, the records tell what it must hold.
        try store.connection.execute("DELETE FROM mutations")
        try IntakeActs.accept(4, in: store)
        #expect(!store.connection.hasFailedSync)
        #expect(try numbers(in: store) == [1, 2, 3, 4])
        #expect(try numbersAfterCrash(in: folder) == [1, 2, 3, 4])
    }

    @Test func `bytes that the disk has lost do not count because they can be read back`() throws {
        let connection = try Connection(path: "\(folder.path)/t.db", isReadOnly: false)
        try connection.execute("PRAGMA journal_mode = WAL; CREATE TABLE t (n)")
        connection.watchWAL()
        try connection.takeWAL()
        for number in 1...40 { try connection.execute("INSERT INTO t VALUES (\(number))") }
        let wal = try #require(StubbornWAL(connection))
        #expect(throws: StoreError.self) { try connection.syncWAL() }
        wal.relent()
        // The system has let go of a page, and reads from the disk what lay there before.
        let file = open("\(folder.path)/t.db-wal", O_RDWR)
        try #require(file >= 0)
        defer { close(file) }
        let place = off_t(32 + 30 * 4_120 + 2_000)
        var (kept, older) = ([UInt8](repeating: 0, count: 512), [UInt8](repeating: 9, count: 512))
        try #require(pread(file, &kept, kept.count, place) == kept.count)
        try #require(pwrite(file, &older, older.count, place) == older.count)
        let error = #expect(throws: StoreError.self) { try connection.mendWAL() }
        #expect(error?.damage != nil, "\(String(describing: error))")
        #expect(connection.hasFailedSync)
        #expect(throws: StoreError.self) { _ = try connection.copyWAL() }
        try #require(pwrite(file, &kept, kept.count, place) == kept.count)
        try connection.mendWAL()
        #expect(!connection.hasFailedSync)
        #expect(try connection.copyWAL().copiedCount == connection.walPageCount)
    }

    @Test func `after a sync that failed nothing counts as synced on any connection`() throws {
        let store = try filled()
        let checkpointer = store.checkpointer
        #expect(checkpointer.syncedVersion == store.version)
        let wal = try #require(StubbornWAL(store.connection, refusedSyncCount: 9))
        #expect(throws: StoreError.self) { try IntakeActs.accept(4, in: store) }
        #expect(checkpointer.hasFailed)
        #expect(checkpointer.syncedVersion == StoreVersion(0))
        #expect(throws: StoreError.self) { try store.checkpoint() }
        wal.relent()
        try IntakeActs.accept(4, in: store)
        #expect(!checkpointer.hasFailed)
        #expect(checkpointer.syncedVersion == store.version)
        try store.checkpoint()
    }

    @Test func `a log in doubt is left to the next opening`() throws {
        do {
            let store = try filled()
            try #require(StubbornWAL(store.connection, refusedSyncCount: 9) != nil)
            #expect(throws: StoreError.self) { try IntakeActs.accept(4, in: store) }
            try #require(store.connection.hasFailedSync)
        }
        #expect(folder.byteCount(of: "hearth.db-wal") > 0)
        #expect(try numbers(in: try SQLiteStore(configuration(in: folder))) == [1, 2, 3])
        #expect(folder.byteCount(of: "hearth.db-wal") <= 0)
    }

    // MARK: Copies of the log

    /// Accepts the batches 31 to 60, and has a part of the log copied to a disk that loses the pages.
    ///
    /// A reader holds the rest back, and SQLite does not sync a part: the next sync would tell.
    private func copyPart(of store: SQLiteStore) throws -> (lossy: SwappedFile, reader: Connection)
    {
        let descriptor = Descriptors.of(store.configuration.path).first
        let reader = try Connection(path: store.configuration.path, isReadOnly: true)
        try reader.execute("BEGIN; SELECT version FROM store")
        for number in Int64(31)...60 { try IntakeActs.accept(number, in: store) }
        let lossy = try #require(SwappedFile(descriptor, for: "/dev/null"))
        try store.checkpoint()
        try reader.execute("COMMIT")
        return (lossy, reader)
    }

    /// The batches in the database's file without its log.
    private func numbersInFile() throws -> [Int64] {
        let alone = TemporaryFolder()
        defer { withExtendedLifetime(alone) {} }
        try folder.copy("hearth.db", to: alone)
        let store = try SQLiteStore(configuration(in: alone))
        #expect(try store.problems().isEmpty)
        return try numbers(in: store)
    }

    @Test func `pages of a copy that failed are copied again before the log begins anew`() throws {
        let store = try filled(30)
        let (lossy, _) = try copyPart(of: store)
        #expect(throws: StoreError.self) { try store.checkpoint() }
        lossy.putBack()
        let beginCount = store.connection.walNumber
        try IntakeActs.accept(61, in: store)
        #expect(store.connection.walNumber == beginCount, "the log has the only copy of pages")
        try store.checkpoint()
        #expect(try numbersInFile() == Array(1...61))
        try IntakeActs.accept(62, in: store)
        #expect(store.connection.walNumber == beginCount + 1)
        #expect(try store.problems().isEmpty)
    }

    @Test func `an opening takes nothing for copied that the process before has copied`() throws {
        // SQLite's index of the log lives as long as anybody has the file open.
        var readers: [Connection] = []
        do {
            let store = try filled(30)
            try store.checkpoint()  // The file has the tables.
            let (lossy, reader) = try copyPart(of: store)
            readers.append(reader)
            lossy.putBack()
            store.connection.leaveWALOnClose()  // As a kill does.
        }
        let store = try SQLiteStore(configuration(in: folder))
        try store.checkpoint()
        #expect(try numbersInFile() == Array(1...60))
        withExtendedLifetime(readers) {}
    }
}
