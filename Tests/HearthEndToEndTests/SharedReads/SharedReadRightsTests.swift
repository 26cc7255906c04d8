import Foundation
import Glibc
import HearthTestSupport
import Synchronization
import Testing

@testable import Hearth

private let canRunPython = access("/usr/bin/python3", X_OK) == 0

/// Who gets the memory file of hot documents, and how it is taken back, before a process of another user.
@Suite(.serialized, .timeLimit(.minutes(2)), .enabled(if: OtherUser.isPossible && canRunPython))
struct SharedReadRightsTests {
    private static let script = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "shared_reader.py").path

    private let world: World

    init() throws {
        world = try World(isOnline: false)
        chmod(world.folder.path, 0o755)
    }

    private func configure(_ rules: String) -> String {
        world.write("[sockets]\nclientMode = \"0666\"\n[access]\n\(rules)\n", to: "hearthd.toml")
    }

    /// A process of a user whom the rules alone give rights.
    private func reader(_ machine: Machine, uid: Int) throws -> ChildProcess {
        try ChildProcess(
            "/usr/bin/python3", [Self.script],
            log: "\(world.folder.path)/reader-\(uid)-errors.log",
            output: "\(world.folder.path)/reader-\(uid).log",
            launcher: [
                "/usr/bin/setpriv", "--reuid=\(uid)", "--regid=60009", "--clear-groups",
            ], environment: ["HEARTH_SOCKET=\(machine.socketPath)"])
    }

    private func lines(_ uid: Int, _ count: Int) async throws -> [String] {
        try await eventually {
            world.log("reader-\(uid)").split(separator: "\n").map(String.init)
        } is: {
            $0.count >= count
        }
    }

    private func reload(_ machine: Machine) throws {
        #expect(try CommandRun(world, machine, ["reload"]).status == 0)
    }

    @Test
    func `a reader of everything can only read, and a rule that hides a part takes the file back`()
        async throws
    {
        let path = configure("all = \"allow everyone read\"")
        let machine = try world.machine("machine", ["--config", path])
        let client = machine.client()
        let hall = client.document("rooms/hall")
        try await hall.setData(["n": 1], until: .accepted)
        let reader = try reader(machine, uid: 60_003)
        #expect(try await lines(60_003, 1) == ["file []"])
        _ = try await eventually {
            _ = try await hall.getDocument(source: .cache)
            return client.client.sharedSnapshot(of: hall) != nil
        } is: {
            $0
        }
        let old = try #require(client.client.shared.withLock { $0 })
        #expect(old.answer(hall.key) != nil)
        _ = configure(
            "all = \"allow everyone read\"\npay = \"deny everyone read below staff/pay\"")
        try reload(machine)
        // The file that the other user has mapped says nothing from the answer on.
        #expect(old.answer(hall.key) == nil)
        #expect(try await lines(60_003, 2)[1] == "none ended blank")
        // Who still may has another file.
        _ = try await eventually {
            _ = try await hall.getDocument(source: .cache)
            return client.client.sharedSnapshot(of: hall) != nil
        } is: {
            $0
        }
        #expect(client.client.shared.withLock { $0 } !== old)
        #expect(old.answer(hall.key) == nil)
        _ = configure("all = \"allow everyone read\"")
        try reload(machine)
        #expect(try await lines(60_003, 3)[2] == "file []")
        withExtendedLifetime(reader) {}
    }

    @Test(arguments: [
        "part = \"allow uid 60004 read below rooms\"",
        "all = \"allow everyone read\"\npay = \"deny uid 60004 read below staff/pay\"",
        "write = \"allow everyone write\"",
        "other = \"allow uid 60005 read\"",
    ])
    func `a reader from whom a rule hides any part gets no file`(rules: String) async throws {
        let machine = try world.machine("machine", ["--config", configure(rules)])
        _ = try await machine.client().daemonStatus()  // It listens.
        let reader = try reader(machine, uid: 60_004)
        #expect(try await lines(60_004, 1) == ["none"])
        withExtendedLifetime(reader) {}
    }
}
