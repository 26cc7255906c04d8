import Glibc
import HearthEngine
import HearthFirestore
import HearthModel
import HearthTestSupport
import Synchronization
import Testing

@testable import HearthSQLite
@testable import HearthStore

/// How the log is kept short beside a writer, whatever it writes, who reads and what the disk does.
@Suite(.serialized)
struct CheckpointTests {
    private let folder = TemporaryFolder()

    /// So that each group is a commit.
    private var configuration: StoreConfiguration {
        var configuration = StoreBench.configuration(in: folder)
        configuration.intakeByteCount = 0
        return configuration
    }

    /// Commits documents of about so many pages in all.
    private func write(_ number: Int, pageCount: Int, in store: SQLiteStore) throws {
        // One of these takes 49 pages.
        let bytes = Value.bytes([UInt8](repeating: UInt8(number & 0xFF), count: 200_000))
        try store.transaction { transaction throws(StoreError) in
            for part in 0..<(pageCount / 49) {
                try transaction.setRemoteDocument(
                    found("a/\(part)", ["n": .integer(Int64(number)), "b": bytes]))
            }
        }
    }

    /// Writes until the log begins anew.
    ///
    /// - Returns: How many groups it took, and of how many pages the longest log was; `nil` if it never did.
    private func writeUntilAnew(pageCount: Int, groupCountMax: Int, in store: SQLiteStore) throws
        -> (groupCount: Int, longest: Int)?
    {
        var longest = 0
        for number in 1...groupCountMax {
            try write(number, pageCount: pageCount, in: store)
            let count = store.connection.walPageCount
            if count < longest { return (number, longest) }
            longest = count
        }
        return nil
    }

    @Test func `a log that is written to all the time begins anew, and nothing is lost`() throws {
        let commitCount = 3_000
        do {
            let store = try SQLiteStore(configuration)
            for number in 1...commitCount {
                try store.transaction { transaction throws(StoreError) in
                    try transaction.append(batch(Int64(number), set("a/\(number)")))
                }
            }
            let limit = 2 * StoreLimits.walRestartPageCount * 4_120
            var status = stat()
            try #require(stat(configuration.path + "-wal", &status) == 0)
            #expect(status.st_size < limit)
            #expect(try store.problems().isEmpty)
        }
        let again = try SQLiteStore(configuration)
        let counts = try again.readers.read { reader throws(StoreError) in try reader.counts() }
        #expect(counts.value.batchCount == commitCount)
    }

    @Test(arguments: [500, 700])
    func `a log begins anew however much each commit writes`(pageCount: Int) throws {
        let store = try SQLiteStore(configuration)
        let end = try #require(
            try writeUntilAnew(pageCount: pageCount, groupCountMax: 300, in: store))
        #expect(end.longest >= StoreLimits.walRestartPageCount)
        #expect(try store.problems().isEmpty)
    }

    @Test func `a writer that outruns the copies lets them go first`() throws {
        let store = try SQLiteStore(configuration)
        let checkpointer = store.checkpointer
        var pauseCount = 0
        for number in 1...200 where pauseCount == 0 {
            try write(number, pageCount: 3_200, in: store)
            checkpointer.worked(for: .seconds(1))
            if checkpointer.pause() { pauseCount += 1 }
        }
        #expect(pauseCount == 1)
        checkpointer.waitForCopy()
        checkpointer.worked(for: .seconds(1))
        #expect(!checkpointer.pause())  // Nothing is being copied.
    }

    @Test func `nobody waits while a reader holds the log back, and it begins anew after it`()
        throws
    {
        let store = try SQLiteStore(configuration)
        let checkpointer = store.checkpointer
        try write(0, pageCount: 49, in: store)
        let reader = try Connection(path: configuration.path, isReadOnly: true)
        try reader.execute("BEGIN; SELECT version FROM store")
        var number = 0
        while store.connection.walPageCount < 3 * StoreLimits.walRestartPageCount {
            number += 1
            try write(number, pageCount: 3_200, in: store)
            // The first of them finds out that a reader is there.
            if number == 1 { checkpointer.waitForCopy() }
            checkpointer.worked(for: .seconds(1))
            #expect(!checkpointer.pause())
        }
        try reader.execute("COMMIT")
        let end = try writeUntilAnew(pageCount: 500, groupCountMax: 300, in: store)
        #expect(end != nil)
        #expect(try store.problems().isEmpty)
    }

    @Test func `a copy that the disk refuses is made again, and nobody waits for it`() throws {
        let store = try SQLiteStore(configuration)
        let checkpointer = store.checkpointer
        let before = Set(Descriptors.of(configuration.path))
        try write(1, pageCount: 3_200, in: store)
        checkpointer.waitForCopy()
        let its = try #require(
            Descriptors.of(configuration.path).first { !before.contains($0) })
        let full = try #require(SwappedFile(its, for: "/dev/full"))
        try write(2, pageCount: 3_500, in: store)
        checkpointer.waitForCopy()
        #expect(checkpointer.failureCount == 1)
        checkpointer.worked(for: .seconds(1))
        #expect(!checkpointer.pause())
        full.putBack()  // SQLite keeps the descriptor for the next connection.
        #expect(try writeUntilAnew(pageCount: 500, groupCountMax: 300, in: store) != nil)
        checkpointer.waitForCopy()
        #expect(checkpointer.failureCount == 0)
        #expect(try store.problems().isEmpty)
    }

    @Test func `after a sync beside the writer that failed, the next commit mends the log`() throws
    {
        let store = try SQLiteStore(configuration)
        let checkpointer = store.checkpointer
        let logPath = configuration.path + "-wal"
        let before = Set(Descriptors.of(logPath))
        try write(1, pageCount: 3_200, in: store)
        checkpointer.waitForCopy()
        let its = try #require(Descriptors.of(logPath).first { !before.contains($0) })
        let unsyncable = try #require(SwappedFile(its, for: "/dev/null"))
        try write(2, pageCount: 3_500, in: store)
        checkpointer.waitForCopy()
        #expect(checkpointer.hasFailed)
        checkpointer.worked(for: .seconds(1))
        #expect(!checkpointer.pause())
        unsyncable.forget()
        try write(3, pageCount: 50, in: store)
        #expect(!checkpointer.hasFailed)
        #expect(try writeUntilAnew(pageCount: 500, groupCountMax: 300, in: store) != nil)
        #expect(try store.problems().isEmpty)
    }

    @Test func `a log that waits for a commit gets it before the next group, not with it`() throws {
        let store = try SQLiteStore(StoreBench.configuration(in: folder))
        for number in Int64(1)...3 { try IntakeActs.accept(number, in: store) }
        try #require(store.intake.pendingCount == 2)
        store.checkpointer.awaitsCommit.store(true, ordering: .relaxed)
        try IntakeActs.accept(4, in: store)
        #expect(store.intake.pendingCount == 1)
        let stillWaits = store.checkpointer.awaitsCommit.load(ordering: .relaxed)
        #expect(!stillWaits)
        let (again, _) = try StoreBench.crashed(folder)
        #expect(try IntakeActs.state(of: again).batches.map(\.rawValue) == [1, 2, 3, 4])
    }

    @Test func `only a log that nobody else can copy is copied by the writer`() {
        let checkpointer = Checkpointer(path: folder.path + "/none/store", version: version(1))
        let count = StoreLimits.walPageCountMax
        for number in 1...StoreLimits.copyFailureCountMax {
            #expect(
                !checkpointer.committed(
                    version(number + 1), walPageCount: count, of: 0, mustSync: false))
            checkpointer.waitForCopy()
            #expect(checkpointer.failureCount == number)
        }
        #expect(
            !checkpointer.committed(version(5), walPageCount: count - 1, of: 0, mustSync: false))
        checkpointer.waitForCopy()
        #expect(checkpointer.committed(version(6), walPageCount: count, of: 0, mustSync: false))
        checkpointer.copied(nil)
        // If that fails too, it is not tried again with each commit.
        #expect(
            !checkpointer.committed(version(7), walPageCount: count + 9, of: 0, mustSync: false))
        let later = count + StoreLimits.checkpointPageCount
        #expect(checkpointer.committed(version(8), walPageCount: later, of: 0, mustSync: false))
    }

    private func version(_ number: Int) -> StoreVersion { StoreVersion(Int64(number)) }
}
