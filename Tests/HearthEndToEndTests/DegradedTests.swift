import Glibc
import Hearth
import HearthTestSupport
import Testing

/// Daemons in bad surroundings: they stay up, say why, and recover by themselves.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct DegradedTests {
    @Test func `a store that another daemon holds is told, and used when it is free`() async throws
    {
        let world = try World(isOnline: false)
        let first = try world.machine()
        let writer = first.client()
        try await writer.document("rooms/hall").setData(["lights": 1], until: .accepted)
        let second = try world.machine(
            "second",
            ["--store.folder", "\(world.folder.path)/machine", "--engine.openRetrySeconds", "1"])
        let reader = second.client()
        let status = try await reader.daemonStatus()
        #expect(status.degradedReasons.count == 1, "\(status.degradedReasons)")
        let error = await #expect(throws: FirestoreError.self) {
            try await reader.document("rooms/hall").getDocument(source: .cache)
        }
        #expect(error?.code == .unavailable)
        first.killDaemon()
        let recovered = try await eventually {
            try await reader.daemonStatus()
        } is: {
            $0.degradedReasons.isEmpty
        }
        #expect(recovered.queueBatchCount == 1)
        let hall = try await reader.document("rooms/hall").getDocument(source: .cache)
        #expect(hall["lights"] as? Int == 1)
    }

    @Test func `a damaged store is set aside, and the daemon works on with a new one`() async throws
    {
        let world = try World()
        let machine = try world.machine()
        let client = machine.client()
        try await client.document("rooms/hall").setData(["lights": 1])
        machine.killDaemon()
        let folder = "\(world.folder.path)/machine/firestore/demo"
        remove("\(folder)/(default).sqlite-wal")
        try overwrite("\(folder)/(default).sqlite")
        try machine.startDaemon()
        let hall = try await client.document("rooms/hall").getDocument()
        #expect(hall["lights"] as? Int == 1)
        let status = try await client.daemonStatus()
        #expect(status.degradedReasons == [])
        let loss = try #require(status.losses.first)
        #expect(loss.account.contains("queued batches"))
        #expect(machine.stopDaemon() == 0)
        #expect(world.log("machine").contains("is set aside as"))
        try machine.startDaemon()
        _ = try await client.document("rooms/hall").getDocument(source: .cache)
        #expect(try await client.daemonStatus().losses == [loss])
        remove(loss.path)
        #expect(try await client.daemonStatus().losses.isEmpty)
    }

    @Test(arguments: ["firestore", "firestore/demo"])
    func `a folder of databases that was replaced is told, and its databases come back with it`(
        place: String
    ) async throws {
        let world = try World(isOnline: false)
        let machine = try world.machine("machine", ["--engine.openRetrySeconds", "1"])
        let client = machine.client()
        try await client.document("rooms/hall").setData(["lights": 1], until: .accepted)
        #expect(machine.stopDaemon() == 0)
        let path = "\(world.folder.path)/machine/\(place)"
        try #require(rename(path, path + "-away") == 0 && mkfifo(path, 0o600) == 0)
        try #require(rename(path + "-away", world.folder.path + "/away") == 0)
        try machine.startDaemon()
        let status = try await eventually {
            try await client.daemonStatus()
        } is: {
            $0.degradedReasons.contains { $0.contains("\(path) is a named pipe") }
        }
        #expect(status.degradedReasons.contains { $0.hasPrefix("Databases are missing") })
        let error = await #expect(throws: FirestoreError.self) {
            try await client.document("rooms/hall").getDocument(source: .cache)
        }
        #expect(error?.code == .unavailable)
        #expect(world.log("machine").contains("folders of databases missing"))
        try #require(remove(path) == 0 && rename(world.folder.path + "/away", path) == 0)
        let recovered = try await eventually {
            try await client.daemonStatus()
        } is: {
            $0.queueBatchCount == 1
        }
        #expect(!recovered.degradedReasons.contains { $0.contains("cannot be opened") })
    }

    @Test func `a wrong configuration is told, and all that is right in it counts`() async throws {
        let world = try World(isOnline: false)
        let path = world.write(
            """
            [database]
            project = "configured"
            projekt = "typo"
            [server]
            loopCount = "two"
            """, to: "hearthd.toml")
        let check = try ChildProcess(
            "hearthd", ["--check", "--config", path], log: world.folder.path + "/check.log")
        #expect(check.exitStatus() == 78)
        #expect(world.log("check").contains("There is no key \"database.projekt\""))
        #expect(world.log("check").contains("server.loopCount must be a number from 1 to 16"))
        let client = try world.machine("machine", ["--config", path]).client()
        let status = try await client.daemonStatus()
        #expect(status.projectID == "demo", "a flag wins over the file")
        #expect(status.degradedReasons.count == 1)
        #expect(status.degradedReasons.first?.contains("database.projekt") == true)
    }

    @Test func `a check tells what would fail at the start, and starts nothing`() throws {
        let world = try World(isOnline: false)
        func check(_ emulator: String) throws -> Int32 {
            try ChildProcess(
                "hearthd",
                [
                    "--check", "--database.project", "demo", "--upstream.emulator", emulator,
                    "--sockets.client", "\(world.folder.path)/hearth.sock",
                    "--store.folder", "\(world.folder.path)/checked",
                ], log: world.folder.path + "/check.log"
            ).exitStatus()
        }
        #expect(try check("127.0.0.1:8080") == 0, "\(world.log("check"))")
        #expect(access("\(world.folder.path)/checked", F_OK) != 0)
        #expect(try check("foo") == 78)
        #expect(world.log("check").contains("upstream.emulator is \"foo\", which is no address"))
    }

    @Test func `the folder for the store cannot be made, and the daemon says so`() async throws {
        let world = try World(isOnline: false)
        let file = world.write("not a folder", to: "occupied")
        let client = try world.machine("machine", ["--store.folder", file]).client()
        let status = try await client.daemonStatus()
        #expect(status.degradedReasons.count == 1, "\(status.degradedReasons)")
    }

    private func overwrite(_ path: String) throws {
        guard let file = fopen(path, "r+") else {
            throw TooLate(last: "\(path) cannot be opened: \(String(cString: strerror(errno)))")
        }
        fputs(String(repeating: "This is no database. ", count: 400), file)
        fclose(file)
    }
}
