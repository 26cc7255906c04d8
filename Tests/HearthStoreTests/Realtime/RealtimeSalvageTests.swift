import Glibc
import HearthEngine
import HearthModel
import HearthRealtime
import HearthTestSupport
import Testing

@testable import HearthSQLite
@testable import HearthStore

struct RealtimeSalvageTests {
    private static let ann = UserID("ann")
    private static let letter = RealtimeDeadLetter(
        write: queuedWrite(400, user: ann), error: HearthError(code: .aborted, message: "No."),
        rejectedAt: Timestamp(seconds: 1, nanoseconds: 0), mayHaveBeenApplied: true)

    /// A store with a queue and a large tree, closed; the state that it had, and the pages of tables.
    private func filled(_ folder: TemporaryFolder) throws -> (
        state: RealtimeActs.State, roots: [String: Int]
    ) {
        let store = try RealtimeSQLiteStore(RealtimeBench.configuration(in: folder))
        for number in Int64(1)...300 {
            try RealtimeActs.accept(queuedWrite(number, user: Self.ann), in: store)
        }
        try store.turnAlone { transaction in
            try transaction.noteSent(through: BatchID(5), of: Self.ann)
            try transaction.setHeld(true, BatchID(9), of: Self.ann)
            try transaction.appendDeadLetter(Self.letter)
            let children = (0..<2_000).map {
                (key: ChildKey(unchecked: "k\($0)"), node: Node(.integer(Int64($0))))
            }
            try transaction.setServerNode(Node(children: children), at: at("tree"))
        }
        var roots: [String: Int] = [:]
        try store.connection.statement("SELECT name, rootpage FROM sqlite_schema").forEach { row in
            roots[row.text(0) ?? ""] = Int(row.int(1))
        }
        return (try RealtimeActs.state(of: store), roots)
    }

    @Test(arguments: ["header", "server_nodes", "mutations", "mutation_queues", "store"])
    func `the queue and its states outlive damage, and go into a new store`(table: String) throws {
        let folder = TemporaryFolder()
        let configuration = RealtimeBench.configuration(in: folder)
        let (state, roots) = try filled(folder)
        let page = table == "header" ? 1 : try #require(roots[table])
        let file = open(configuration.path, O_WRONLY)
        try #require(file >= 0)
        let junk = [UInt8](repeating: 0xA5, count: 64)
        try #require(pwrite(file, junk, junk.count, off_t((page - 1) * 4_096)) == junk.count)
        close(file)

        let salvage = try RealtimeSQLiteStore.setAside(
            configuration, to: "\(folder.path)/aside.db")
        #expect(salvage.batches == state.queued, "\(salvage.problems)")
        #expect(salvage.deadLetters == [Self.letter])
        #expect(folder.files.contains("aside.db"))

        let store = try RealtimeSQLiteStore(configuration)
        try store.restore(salvage)
        let again = try RealtimeActs.state(of: store)
        #expect(again.queued == state.queued)
        #expect(again.pending == state.pending)
        #expect(again.records == state.records)
        #expect(again.load == state.load)
        #expect(again.globals.lastWriteID >= state.globals.lastWriteID)
        #expect(again.tree.isEmpty, "The server has the tree")
    }

    @Test func `a survey finds a file that is gone, and nothing wrong with one that was closed`()
        throws
    {
        let folder = TemporaryFolder()
        let configuration = RealtimeBench.configuration(in: folder)
        _ = try filled(folder)
        let sound = try RealtimeSQLiteStore.survey(configuration)
        #expect(sound.damage == nil)
        #expect(sound.intakeProblem == nil)
        try #require(unlink(configuration.path) == 0)
        #expect(try RealtimeSQLiteStore.survey(configuration).damage != nil)
        let salvage = Salvage(configuration.path, of: configuration.content)
        #expect(!salvage.batches.isEmpty || !salvage.deadLetters.isEmpty)
    }

    @Test func `what only the intake log has is saved too`() throws {
        let folder = TemporaryFolder()
        let store = try RealtimeSQLiteStore(RealtimeBench.configuration(in: folder))
        for number in Int64(1)...6 {
            try RealtimeActs.accept(queuedWrite(number, user: Self.ann), in: store)
        }
        #expect(store.intake.pendingCount > 0)
        let copy = try folder.crashed()
        let configuration = RealtimeBench.configuration(in: copy)
        let salvage = Salvage(configuration.path, of: configuration.content)
        #expect(salvage.batches.map(\.id.rawValue) == Array(1...6))
        #expect(salvage.loss == nil)
    }
}
