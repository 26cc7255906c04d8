import Glibc
import HearthBackend
import HearthEngine
import HearthModel
import HearthProtocol
import HearthTestSupport
import Testing

@testable import HearthEmulator

struct ForkedFolderTests {
    private let database = DatabaseID(project: "kept", database: "other")
    private let folder = TemporaryFolder()

    private func version(_ second: Int64, nanoseconds: Int32 = 0) -> SnapshotVersion {
        SnapshotVersion(Timestamp(seconds: 1_700_000_000 + second, nanoseconds: nanoseconds))
    }

    private func reopened() throws -> Backend {
        let keeper = try Keeper(folder: folder.path)
        var backend = Backend(identity: keeper.identity, run: 2, clock: keeper.clock)
        try keeper.restore(into: &backend)
        return backend
    }

    @Test func `documents keep their times, and writes to them come behind`() throws {
        let key = try DocumentKey(parsing: "c/a")
        let forked = try ForkedFolder(path: folder.path, of: database)
        try forked.append([
            .found(
                key, at: version(5, nanoseconds: 1_999), ["n": .integer(1)], createdAt: version(2))
        ])
        try forked.finish()
        var backend = try reopened()
        let found = backend.documents(of: database).document(key)
        #expect(found.fields == ["n": .integer(1)])
        #expect(found.version == version(5, nanoseconds: 1_000))
        #expect(found.createdAt == version(2))
        // Nobody can resume from before the fork.
        #expect(backend.historyStart(of: database) == found.version)
        // The clock of the desk may be behind: no version is used twice.
        _ = try backend.commit(
            [Mutation(key: key, kind: .set([:]), precondition: .updateTime(found.version))],
            in: database, at: Timestamp(seconds: 1_000, nanoseconds: 0))
        #expect(backend.documents(of: database).document(key).version > found.version)
    }

    @Test func `pending times are settled, and documents without known fields are counted`() throws
    {
        let written = Timestamp(seconds: 1_700_000_009, nanoseconds: 7_000)
        let pending = Value.serverTimestamp(
            PendingServerTimestamp(localWriteTime: written, previousValue: nil))
        let key = try DocumentKey(parsing: "c/a")
        var document = Document.found(
            key, at: version(1), ["at": pending, "in": .map(["at": pending])])
        document.markLocalMutations()
        document.promisedAt = written
        let forked = try ForkedFolder(path: folder.path, of: database)
        try forked.append([document, .unknown(try DocumentKey(parsing: "c/b"), at: version(3))])
        try forked.finish()
        #expect(forked.documentCount == 1 && forked.unknownCount == 1)
        let found = try reopened().documents(of: database).document(key)
        #expect(
            found.fields == ["at": .timestamp(written), "in": .map(["at": .timestamp(written)])])
        #expect(found.version == SnapshotVersion(written))
    }

    private func lines(_ name: String) throws -> [JSONValue] {
        let file = try #require(fopen(folder.path + "/" + name, "re"))
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        bytes.removeSubrange(fread(&bytes, 1, bytes.count, file)...)
        return try bytes.split(separator: UInt8(ascii: "\n")).map {
            try JSONReader.read(Array($0))
        }
    }

    @Test func `a step of the history is a line, and without a history there is no file`() throws {
        let key = try DocumentKey(parsing: "c/a")
        let written = Timestamp(seconds: 1_700_000_009, nanoseconds: 7_000)
        let pending = Value.serverTimestamp(
            PendingServerTimestamp(localWriteTime: written, previousValue: nil))
        var local = Document.found(key, at: version(1), ["at": pending])
        local.markLocalMutations()
        let write = HistoryWrite(
            batch: BatchID(7), user: UserID("ada"),
            writer: Writer(uid: 7, gid: 8, pid: 9, program: "till"))
        let error = HearthError(code: .aborted, message: "Taken\nback.")
        let events: [(HistoryEvent, Document, Document?)] = [
            (.known, .missing(key, at: version(1)), nil),
            (.heard, local, .found(key, at: version(2), ["n": .integer(1)])),
            (.withdrawn(write, error), .unknown(key, at: version(3)), nil),
        ]
        let forked = try ForkedFolder(path: folder.path, of: database)
        #expect(!folder.files.contains(ForkedFolder.historyFileName))
        for (number, (event, local, remote)) in events.enumerated() {
            var step = HistoryEntry(
                notedAt: written, event: event, local: local, remote: remote)
            step.number = Int64(number) + 1
            try forked.append(step)
        }
        try forked.finish()
        #expect(forked.stepCount == 3)
        let lines = try lines(ForkedFolder.historyFileName)
        #expect(lines.map { $0["number"] } == [.integer(1), .integer(2), .integer(3)])
        #expect(lines.map { $0["event"]?.string } == ["known", "heard", "withdrawn"])
        #expect(lines.map { $0["state"]?.string } == ["missing", "found", "fieldsUnknown"])
        #expect(lines.allSatisfy { $0["path"]?.string == "c/a" })
        #expect(lines[0]["document"] == .null && lines[0]["batch"] == nil)
        #expect(lines[1]["hasPendingWrites"] == .boolean(true))
        let field = lines[1]["document"]?["fields"]?["at"]?["timestampValue"]?.string
        #expect(field?.hasPrefix("2023-11-14T22:13:29.000007") == true)
        #expect(
            lines[1]["remoteDocument"]?["fields"]?["n"]?["integerValue"]?.string == "1")
        #expect(lines[2]["batch"] == .integer(7) && lines[2]["program"]?.string == "till")
        #expect(lines[2]["error"]?.string == "ABORTED: Taken\nback.")
        // The emulator leaves the file alone.
        _ = try reopened()
        #expect(folder.files.contains(ForkedFolder.historyFileName))
    }

    @Test func `a tree is served under its instance's name, and its writes stand beside`() throws {
        let instance = try #require(InstanceID(host: "demo.firebaseio.com", name: "demo"))
        let twin = try #require(InstanceID(host: "localhost:9000", name: "demo"))
        let name = try #require(RealtimeNamespace("demo"))
        let tree = try Node(json: #"{"rooms":{"a":{".value":1,".priority":7},"b":true}}"#)
        let rooms = RealtimePath([ChildKey(unchecked: "rooms")])
        let parts = [
            RealtimeChange.Part(
                WritePath(RealtimePath([ChildKey(unchecked: "a")])),
                UnresolvedNode(Node(.integer(2)))),
            RealtimeChange.Part(
                WritePath(RealtimePath([ChildKey(unchecked: "b")])), UnresolvedNode(Node.empty)),
        ]
        let forked = try ForkedFolder(path: folder.path, of: database)
        #expect(!folder.files.contains(RealtimeKeeper.fileName))
        try forked.append(tree, of: instance)
        // The emulator serves one tree of a name; the folder has the rest, and tells.
        try forked.append(Node.empty, of: twin)
        #expect(forked.leftOutTrees.map(\.instance) == [twin])
        try forked.append(
            ForkedFolder.TreeWrite(
                to: instance, id: BatchID(7), user: UserID("ada"), state: .held,
                writtenAt: Timestamp(seconds: 0, nanoseconds: 0),
                writer: Writer(uid: 7, gid: 8, pid: 9, program: "till"),
                change: .update(rooms, parts)))
        try forked.finish()
        #expect(forked.treeCount == 1 && forked.treeWriteCount == 1)
        let keeper = try RealtimeKeeper(folder: folder.path)
        let kept = try keeper.namespaces()
        keeper.close()
        #expect(kept.map(\.namespace) == [name])
        #expect(kept.first?.root == tree)
        let lines = try lines(ForkedFolder.treeQueueFileName)
        #expect(lines.count == 1)
        #expect(lines[0]["instance"]?.string == instance.description)
        #expect(lines[0]["batch"] == .integer(7) && lines[0]["state"]?.string == "held")
        #expect(lines[0]["user"]?.string == "ada" && lines[0]["program"]?.string == "till")
        let writes = try #require(lines[0]["writes"]?.elements)
        #expect(writes.map { $0["path"]?.string } == ["/rooms/a", "/rooms/b"])
        #expect(writes.map { $0["value"] } == [.integer(2), .null])
    }

    @Test func `a batch is a line that a request to commit takes`() throws {
        let forked = try ForkedFolder(path: folder.path, of: database)
        let mutations = [
            Mutation(
                key: try DocumentKey(parsing: "c/é\n"), kind: .set(["n": .double(.nan)]),
                precondition: .exists(false)),
            Mutation(key: try DocumentKey(parsing: "c/b"), kind: .delete),
        ]
        try forked.append(
            ForkedFolder.Batch(
                id: BatchID(7), user: UserID("ada"), state: .held,
                writtenAt: Timestamp(seconds: 0, nanoseconds: 0),
                writer: Writer(uid: 7, gid: 8, pid: 9, program: "till"), mutations: mutations))
        try forked.finish()
        let file = try #require(fopen(folder.path + "/" + ForkedFolder.queueFileName, "re"))
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        bytes.removeSubrange(fread(&bytes, 1, bytes.count, file)...)
        #expect(bytes.filter { $0 == UInt8(ascii: "\n") }.count == 1)
        let json = try JSONReader.read(bytes)
        #expect(json["batch"] == .integer(7) && json["user"]?.string == "ada")
        #expect(json["state"]?.string == "held" && json["unit"] == .null)
        let writes = try #require(json["writes"]?.elements)
        let commit = try writes.map { try JSONToProto.bytes(of: $0, as: "Write") }
        let codec = FirestoreCodec(database: database)
        #expect(try commit.map { try codec.mutation(fromBytes: $0) } == mutations)
    }
}
