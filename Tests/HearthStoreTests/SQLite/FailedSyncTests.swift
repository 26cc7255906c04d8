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

    // MARK: The log after a sync that failed

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
        let wal = try #require(StubbornWAL(store.connection))
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

    // MARK: Copies of the log

    @Test func `pages of a copy that failed are copied again before the log begins anew`() throws {
        let store = try filled(30)
        let descriptor = Descriptors.of(store.configuration.path).first
        // A reader holds the copy back: a part is copied, and SQLite does not sync a part.
        let reader = try Connection(path: store.configuration.path, isReadOnly: true)
        try reader.execute("BEGIN; SELECT version FROM store")
        for number in Int64(31)...60 { try IntakeActs.accept(number, in: store) }
        // A disk that loses what is written tells so with the next sync.
        let lossy = try #require(SwappedFile(descriptor, for: "/dev/null"))
        try store.checkpoint()
        try reader.execute("COMMIT")
        #expect(throws: StoreError.self) { try store.checkpoint() }
        lossy.putBack()
        let beginCount = store.connection.walNumber
        try IntakeActs.accept(61, in: store)
        #expect(store.connection.walNumber == beginCount, "the log has the only copy of pages")
        try store.checkpoint()
        let alone = TemporaryFolder()
        try folder.copy("hearth.db", to: alone)
        let again = try SQLiteStore(configuration(in: alone))
        #expect(try again.problems().isEmpty)
        #expect(try numbers(in: again) == Array(1...61))
        try IntakeActs.accept(62, in: store)
        #expect(store.connection.walNumber == beginCount + 1)
        #expect(try store.problems().isEmpty)
    }
}
