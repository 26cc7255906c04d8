import Glibc
import HearthEngine
import HearthFirestore
import HearthModel
import HearthTestSupport
import Testing

@testable import HearthSQLite
@testable import HearthStore

/// The accepted writes on a disk that refuses the intake log, the database or both.
@Suite(.serialized)
struct IntakeFailureTests {
    private let folder = TemporaryFolder()

    private var configuration: StoreConfiguration { StoreBench.configuration(in: folder) }

    /// A store whose log has the batches 2 and 3.
    private func filled() throws -> SQLiteStore {
        let store = try SQLiteStore(configuration)
        for number in Int64(1)...3 { try IntakeActs.accept(number, in: store) }
        try #require(store.intake.pendingCount == 2)
        return store
    }

    /// Has the log's writes meet a device that is always full, until the value returned is put back.
    private func breakLog() throws -> SwappedFile {
        let path = configuration.path + "-intake"
        return try #require(SwappedFile(Descriptors.of(path).first, for: "/dev/full"))
    }

    @Test func `a log that fails costs nothing but a commit, and rests`() throws {
        let store = try filled()
        let broken = try breakLog()
        for number in Int64(4)...6 { try IntakeActs.accept(number, in: store) }
        #expect(store.intake.log == nil)
        #expect(store.intake.pendingCount == 0)
        broken.putBack()
        #expect(try IntakeActs.state(of: store).batches.map(\.rawValue) == [1, 2, 3, 4, 5, 6])
        let (again, _) = try StoreBench.crashed(folder)
        #expect(try IntakeActs.state(of: again).batches.map(\.rawValue) == [1, 2, 3, 4, 5, 6])
        #expect(again.version == store.version)
    }

    @Test func `a group that neither log nor database takes has not happened`() throws {
        let store = try filled()
        let before = try IntakeActs.state(of: store)
        try store.maintain("PRAGMA query_only = 0")  // Settles; the log begins anew.
        try IntakeActs.accept(4, in: store)
        try #require(store.intake.pendingCount == 1)
        let broken = try breakLog()
        let pages = try store.setting("PRAGMA page_count") ?? "0"
        _ = try store.setting("PRAGMA max_page_count = \(pages)")
        var refused: Int64?
        for number in Int64(5)...400 where refused == nil {
            // With the log broken, each group is a commit, until the file may not grow.
            do { try IntakeActs.accept(number, in: store) } catch { refused = number }
        }
        broken.putBack()
        let count = Int(try #require(refused)) - 1
        #expect(try IntakeActs.state(of: store).batches.count == count)
        let (again, _) = try StoreBench.crashed(folder)
        #expect(try IntakeActs.state(of: again).batches.count == count)
        #expect(before.batches.count == 3)
        _ = try store.setting("PRAGMA max_page_count = 1000000")
        try IntakeActs.accept(Int64(count) + 1, in: store)
        #expect(try IntakeActs.state(of: store).batches.count == count + 1)
    }

    @Test
    func `after a commit that failed, what was accepted is there, and is committed first`()
        throws
    {
        let store = try filled()
        let before = try IntakeActs.state(of: store)
        try store.begin()
        try store.turn { transaction throws(StoreError) in
            try transaction.setRemoteDocument(found("a/1", ["n": .integer(9)], at: 9))
        }
        store.abandonTransaction()  // As a COMMIT that fails does.
        store.rollback()
        #expect(store.intake.mustCommit)
        #expect(try IntakeActs.state(of: store) == before)
        // What had been accepted was committed first, so that no record bears a version twice.
        #expect(!store.intake.mustCommit)
        #expect(store.intake.pendingCount == 0)
        try IntakeActs.accept(4, in: store)
        let (again, _) = try StoreBench.crashed(folder)
        #expect(try IntakeActs.state(of: again).batches.map(\.rawValue) == [1, 2, 3, 4])
    }

    @Test func `a store that finds its disk full has the log tell nothing of room`() throws {
        let store = try filled()
        let version = store.version
        try store.probe()
        #expect(store.intake.pendingCount == 0)
        #expect(store.version == version.next)
    }

    @Test func `a log that cannot be made is done without`() throws {
        try folder.write("", to: "target")
        try #require(symlink("\(folder.path)/target", configuration.path + "-intake") == 0)
        let store = try SQLiteStore(configuration)
        for number in Int64(1)...3 { try IntakeActs.accept(number, in: store) }
        #expect(store.intake.log == nil)
        #expect(store.intake.restCount > 0)
        #expect(try IntakeActs.state(of: store).batches.count == 3)
    }
}
