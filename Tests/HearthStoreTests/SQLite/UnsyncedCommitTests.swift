import Glibc
import HearthEngine
import HearthFirestore
import HearthModel
import HearthTestSupport
import Testing

@testable import HearthSQLite
@testable import HearthStore

/// Commits of the database that were not synced, because the intake log has all of them.
@Suite(.serialized)
struct UnsyncedCommitTests {
    private let folder = TemporaryFolder()

    private var configuration: StoreConfiguration { StoreBench.configuration(in: folder) }
    private var logPath: String { configuration.path + "-wal" }

    @Test(arguments: UInt64(1)...4)
    func `a power cut that takes commits away takes nothing that was accepted`(seed: UInt64) throws
    {
        var random = SeededRandom(seed: seed)
        var small = configuration
        small.intakeByteCount = 16 * IntakePages.byteCount
        let store = try SQLiteStore(small)
        var lengths: [(version: StoreVersion, byteCount: Int)] = []
        var (lostCount, freedCount) = (0, 0)
        for number in Int64(1)...400 {
            try IntakeActs.accept(number, in: store)
            guard Int.random(in: 0..<8, using: &random) == 0 else { continue }
            try store.settle()
            lengths.append((store.version, 32 + store.connection.walPageCount * 4_120))
            let synced = store.checkpointer.syncedVersion
            lengths.removeAll { $0.version < synced }
            if synced > StoreVersion(2) { freedCount += 1 }
            guard let left = lengths.randomElement(using: &random), number % 3 == 0 else {
                continue
            }
            // The disk has the log's beginning, and of the next commit a part.
            let copy = TemporaryFolder()
            for name in ["hearth.db", "hearth.db-wal", "hearth.db-intake"] {
                try folder.copy(name, to: copy)
            }
            let cut = left.byteCount + Int.random(in: 0..<4_000, using: &random)
            var status = stat()
            try #require(stat("\(copy.path)/hearth.db-wal", &status) == 0)
            if cut < Int(status.st_size) {
                try #require(truncate("\(copy.path)/hearth.db-wal", off_t(cut)) == 0)
                lostCount += 1
            }
            let again = try SQLiteStore(StoreBench.configuration(in: copy))
            #expect(again.version == store.version)
            #expect(try IntakeActs.state(of: again).batches.map(\.rawValue) == Array(1...number))
            #expect(try again.problems().isEmpty)
            try IntakeActs.accept(number + 1, in: again)
            let (third, _) = try StoreBench.crashed(copy)
            #expect(try IntakeActs.state(of: third).batches.count == Int(number) + 1)
        }
        #expect(lostCount > 3)
        #expect(freedCount > 0)
    }

    @Test func `what was collected stays away, after a crash and after a group that fails`() throws
    {
        let store = try SQLiteStore(configuration)
        for number in Int64(1)...3 { try IntakeActs.accept(number, in: store) }
        try store.transaction { transaction throws(StoreError) in
            for number in 1...20 {
                try transaction.setRemoteDocument(found("b/\(number)", [:], at: 3))
            }
        }
        try store.settle()
        let collected = try store.transaction { transaction throws(StoreError) in
            var place = CollectionPlace()
            return try transaction.removeOrphans(
                usedUpTo: .max, from: &place, limit: 100, isPinned: { _ in false })
        }
        #expect(collected == 20)
        #expect(store.intake.pendingCount == 0)
        let (early, first) = try StoreBench.crashed(folder)
        #expect(try documentCount(of: early) == 20)  // Nobody had to know of it yet.
        try IntakeActs.accept(4, in: store)
        #expect(store.intake.pendingCount == 1)
        let (again, copy) = try StoreBench.crashed(folder)
        #expect(again.version == store.version)
        #expect(try IntakeActs.state(of: again).batches.map(\.rawValue) == [1, 2, 3, 4])
        #expect(try documentCount(of: again) == 0)
        #expect(throws: StoreError.self) {
            try store.transaction { _ throws(StoreError) in throw .io("planted") }
        }
        let count = try store.transaction { transaction throws(StoreError) in
            try transaction.remoteDocuments((1...20).map { key("b/\($0)") }).count {
                $0.value.isFound
            }
        }
        #expect(count == 0)
        _ = (copy, first)
    }

    @Test func `after a sync that failed the log is written anew`() throws {
        let connection = try Connection(path: configuration.path, isReadOnly: false)
        try connection.execute(
            "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE t (n)")
        connection.watchWAL()
        try connection.takeWAL()
        connection.leavesSync = true
        try connection.execute("INSERT INTO t VALUES (1)")
        #expect(!connection.hasFailedSync)
        connection.leavesSync = false
        let unsyncable = try #require(
            SwappedFile(Descriptors.of(logPath).first, for: "/dev/null"))
        #expect(throws: StoreError.self) { try connection.syncWAL() }
        unsyncable.putBack()
        #expect(connection.hasFailedSync)
        try connection.syncWAL()
        #expect(connection.hasFailedSync)
        let before = try contents()
        try connection.mendWAL()
        #expect(!connection.hasFailedSync)
        #expect(try contents() == before)
        try connection.execute("INSERT INTO t VALUES (2)")
        #expect(try connection.number("SELECT sum(n) FROM t") == 3)
    }

    private func documentCount(of store: SQLiteStore) throws -> Int {
        try store.readers.read { reader throws(StoreError) in try reader.counts() }.value
            .documentCount
    }

    private func contents() throws -> [UInt8] {
        let file = open(logPath, O_RDONLY)
        try #require(file >= 0)
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 1 << 20)
        let count = pread(file, &bytes, bytes.count, 0)
        return Array(bytes.prefix(count))
    }
}
