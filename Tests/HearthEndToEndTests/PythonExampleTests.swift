import Foundation
import Hearth
import HearthTestSupport
import Testing

/// The client in plain Python, which knows only the daemon's page.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct PythonExampleTests {
    private static let python = ["/usr/bin/python3", "/usr/local/bin/python3"].first {
        FileManager.default.isExecutableFile(atPath: $0)
    }
    static var isThere: Bool { python != nil }

    private static let script = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Examples/hearth_client.py").path

    private func start(
        _ world: World, _ machine: Machine, _ name: String, _ arguments: String...
    ) throws -> ChildProcess {
        try ChildProcess(
            try #require(Self.python), [Self.script] + arguments,
            log: "\(world.folder.path)/\(name)-errors.log",
            output: "\(world.folder.path)/\(name).log",
            environment: ["HEARTH_SOCKET=\(machine.socketPath)"])
    }

    /// Runs a command to its end; returns what it printed.
    private func run(
        _ world: World, _ machine: Machine, _ name: String, _ arguments: String...
    ) throws -> String {
        let process = try ChildProcess(
            try #require(Self.python), [Self.script] + arguments,
            log: "\(world.folder.path)/\(name)-errors.log",
            output: "\(world.folder.path)/\(name).log",
            environment: ["HEARTH_SOCKET=\(machine.socketPath)"])
        let status = process.exitStatus()
        #expect(status == 0, "\(world.log("\(name)-errors"))")
        return world.log(name)
    }

    @Test(.enabled(if: isThere)) func `it sets, gets and queries through a real daemon`()
        async throws
    {
        let world = try World()
        let machine = try world.machine()
        let client = machine.client()
        _ = try await client.daemonStatus()
        let set = try run(
            world, machine, "set", "set", "rooms/hall", #"{"lights": 3, "tags": ["a", null]}"#)
        #expect(set.contains(#""stage": "committed""#))
        let hall = try await client.document("rooms/hall").getDocument(source: .server)
        #expect(hall["lights"] as? Int == 3)
        try await client.document("rooms/attic").setData(["lights": 1])
        let get = try run(world, machine, "get", "get", "rooms/hall", "--source", "cache")
        #expect(get.contains(#""path": "rooms/hall", "data": {"lights": 3, "tags": ["a", null]}"#))
        let query = try run(
            world, machine, "query", "query", "rooms", "--where", "lights", ">", "0", "--order-by",
            "lights", "--limit", "1")
        #expect(query.contains("rooms/attic"))
        #expect(!query.contains("rooms/hall"))
    }

    @Test(.enabled(if: isThere)) func `it listens on over the death of the daemon`() async throws {
        let world = try World()
        let machine = try world.machine()
        let client = machine.client()
        try await client.document("rooms/attic").setData(["lights": 1])
        let listener = try start(world, machine, "listen", "listen", "rooms")
        _ = try await eventually({ world.log("listen") }, is: { $0.contains("rooms/attic") })
        machine.killDaemon()
        try machine.startDaemon()
        try await client.document("rooms/hall").setData(["lights": 2])
        let lines = try await eventually(
            { world.log("listen") }, is: { $0.contains(#""count": 2"#) })
        // What it knew before is not told again.
        #expect(lines.components(separatedBy: #""path": "rooms/attic""#).count == 2, "\(lines)")
        listener.kill9()
    }

    @Test(.enabled(if: isThere)) func `it writes once though the daemon dies before it answers`()
        async throws
    {
        let world = try World(isOnline: false)
        let machine = try world.machine()
        let client = machine.client()
        _ = try await client.daemonStatus()
        // Offline the last answer never comes, so the daemon dies while the client awaits the
        // answer.
        let writer = try start(world, machine, "write", "set", "rooms/hall", #"{"lights": 3}"#)
        _ = try await eventually(
            { try await client.pendingBatches().batches.count }, is: { $0 == 1 })
        machine.killDaemon()
        try machine.startDaemon()
        try world.startEmulator()
        #expect(writer.exitStatus() == 0, "\(world.log("write-errors"))")
        #expect(world.log("write").contains(#""stage": "committed""#))
        #expect(try await client.pendingBatches().batches.isEmpty)
    }
}
