import Glibc
import HearthEngine
import HearthModel
import HearthTestSupport
import Logging
import Testing

@testable import HearthSQLite
@testable import HearthServer
@testable import HearthStore

/// What a start tells of the number of a folder's stores, and what an administrator's note makes of it.
struct StoreGenerationTests {
    private let bench = BackupBench()

    private var folder: String { bench.folder.path }
    private var path: String { StoreGeneration.path(in: folder) }

    private func known() -> StoreGeneration.Known { StoreGeneration.known(in: folder) }

    /// Makes an empty store as a program of a schema's version has it.
    private func makeStore(_ key: EngineKey, version: Int) throws {
        let path = StoreFolder.path(of: key, in: folder)
        try StoreFolder.makeFolders(aboveStore: path)
        let connection = try Connection(path: path, isReadOnly: false)
        switch key {
        case .firestore(let database):
            let content = FirestoreContent(database: database)
            try Migrations(content: content).run(on: connection, to: version)
        case .realtime(let instance):
            let content = RealtimeContent(instance: instance)
            try Migrations(content: content).run(on: connection, to: version)
        }
    }

    @Test func `a number that is gone beside stores is told once, and the stores have another one`()
        throws
    {
        let before = known()
        #expect(before.problem == nil)
        try bench.fill()
        #expect(known().number == before.number)
        try #require(unlink(path) == 0)
        let found = known()
        guard case .replaced(let flaw) = found.problem else {
            Issue.record("\(String(describing: found.problem))")
            return
        }
        #expect(flaw.contains("\(path) is gone") && flaw.contains(bench.path))
        #expect(found.number != before.number)
        let next = known()
        #expect(next.number == found.number && next.problem == nil)
    }

    @Test(arguments: [(15, false), (16, true), (Schema.version, true)])
    func `only a store of a time when folders had a number tells that the number is gone`(
        version: Int, isTold: Bool
    ) throws {
        try makeStore(.firestore(BackupBench.database), version: version)
        #expect((known().problem != nil) == isTold)
    }

    @Test(arguments: [(1, false), (2, true)])
    func `so does the store of an instance`(version: Int, isTold: Bool) throws {
        try makeStore(.realtime(try #require(BackupBench.instance)), version: version)
        #expect((known().problem != nil) == isTold)
    }

    @Test func `files that are no stores tell nothing of the number`() throws {
        let place = StoreFolder.path(of: .firestore(BackupBench.database), in: folder)
        try StoreFolder.makeFolders(aboveStore: place)
        try #require(mkfifo(place, 0o600) == 0)
        #expect(known().problem == nil)
        try #require(unlink(place) == 0 && unlink(path) == 0)
        try RestoredFile.write(Array("no database".utf8), to: place)
        #expect(known().problem == nil)
    }

    @Test func `a restore gives the stores another number, of which no start tells`() throws {
        let source = BackupBench()
        try source.fill()
        let before = known().number
        try bench.restore(try source.backup())
        let after = known()
        #expect(after.number != before && after.problem == nil)
    }

    @Test func `a restore for whose number there is no room leaves none`() throws {
        _ = known()
        try #require(mkdir(path + ".new", 0o700) == 0)
        try StoreGeneration.renew(in: folder)
        #expect(access(path, F_OK) != 0)
    }

    @Test func `a number that could not be written is kept once it can be`() throws {
        try #require(mkdir(path + ".new", 0o700) == 0)
        let run = known()
        guard case .unwritable? = StoreGeneration.keep(run.number, in: folder) else {
            Issue.record("The number was kept")
            return
        }
        try #require(rmdir(path + ".new") == 0)
        #expect(StoreGeneration.keep(run.number, in: folder) == nil)
        let next = known()
        #expect(next.number == run.number && next.problem == nil)
    }

    @Test func `a folder that cannot be made is told in whole sentences`() throws {
        let file = folder + "/occupied"
        try RestoredFile.write(Array("x".utf8), to: file)
        let problem = StoreGeneration.known(in: file + "/below").problem
        guard case .unwritable? = problem else {
            Issue.record("\(String(describing: problem))")
            return
        }
        #expect(problem?.text.contains("cannot be made") == true)
        #expect(problem?.text.contains("..") == false)
    }

    @Test func `a number that could not be read stays when it can be`() throws {
        try #require(mkdir(path, 0o700) == 0)
        let run = known()
        guard case .unreadable? = StoreGeneration.keep(run.number, in: folder) else {
            Issue.record("The number was read")
            return
        }
        try #require(rmdir(path) == 0)
        try RestoredFile.write(Array("12\n".utf8), to: path)
        #expect(StoreGeneration.keep(run.number, in: folder) == nil)
        #expect(known().number == 12)
    }

    @Test func `no run keeps its number for stores that were restored under it`() throws {
        let run = known()
        try #require(unlink(path) == 0)
        try RestoreMark(note: "note", moves: []).write(in: folder)
        #expect(StoreGeneration.keep(run.number, in: folder) == nil)
        #expect(access(path, F_OK) != 0)
    }

    @Test func `a reload takes note of a damaged number`() async throws {
        try RestoredFile.write(Array("x".utf8), to: path)
        var configuration = ServerConfiguration()
        configuration.clientSocket = .init(path: folder + "/hearth.sock", mode: 0o600)
        configuration.controlSocket = .init(path: folder + "/control.sock", mode: 0o600)
        configuration.storeFolder = folder
        let server = HearthServer(
            configuration: configuration,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            makers: .firestore { ServerBench(openFailures: []).make($0, $1) })
        await server.start()
        func told() -> [String] { server.reporter.generalReasons.filter { $0.contains(path) } }
        #expect(told().map { $0.contains("\"hearth reload\" takes note") } == [true])
        server.enableReload { [configuration] in (configuration, []) }
        server.reporter.reloadLater()
        let left = try await eventually {
            told()
        } is: {
            $0.isEmpty
        }
        #expect(left.isEmpty)
        await server.stop()
    }
}
