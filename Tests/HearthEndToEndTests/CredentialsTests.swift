import Hearth
import HearthTestSupport
import Testing

/// Daemons without a usable key: they stay up, say what would help, and recover by themselves.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct CredentialsTests {
    @Test func `a key that is missing or broken is told, and used as soon as it is mended`()
        async throws
    {
        let world = try World()
        let path = "\(world.folder.path)/key.json"
        let machine = try world.machine(
            "machine", ["--credentials.source", "keyFile", "--credentials.file", path])
        let client = machine.client()
        let missing = try await eventually {
            try await client.daemonStatus()
        } is: {
            !$0.degradedReasons.isEmpty
        }
        #expect(missing.degradedReasons.count == 1)
        #expect(missing.degradedReasons.first?.contains(path) == true)
        #expect(missing.degradedReasons.first?.contains("Put it there") == true)
        let hall = client.document("rooms/hall")
        try await hall.setData(["lights": 1], until: .accepted)

        try world.folder.write("broken", to: "key.json")
        _ = try await eventually {
            try await client.daemonStatus()
        } is: {
            $0.degradedReasons.first?.contains("JSON") == true
        }
        let key = try ServiceKey.json()
        try world.folder.write(key, to: "key.json")
        // The emulator verifies no signature and takes no signed token, so the write goes on waiting.
        let well = try await eventually {
            try await client.daemonStatus()
        } is: {
            $0.degradedReasons.isEmpty
        }
        #expect(well.queueBatchCount == 1)
        #expect(well.deadLetterCount == 0)
        #expect(machine.stopDaemon() == 0)
        let log = world.log("machine")
        #expect(log.contains("credential missing, refused or expired"))
        #expect(log.contains("upstream well"))
        #expect(!log.contains(key.suffix(200).prefix(60)))
    }

    @Test func `a key is found in the folder by the project's name`()
        async throws
    {
        let world = try World()
        let keys = TemporaryFolder()
        try keys.write(try ServiceKey.json(), to: "demo.json")
        let machine = try world.machine(
            "machine", ["--credentials.source", "keyFile", "--credentials.folder", keys.path])
        let elsewhere = "\(keys.path)/none"
        let other = try world.machine(
            "other", ["--credentials.source", "keyFile", "--credentials.folder", elsewhere])
        let client = other.client()
        _ = try await eventually {
            try await client.daemonStatus()
        } is: {
            $0.degradedReasons.first?.contains("\(elsewhere)/demo.json") == true
        }
        #expect(try await machine.client().daemonStatus().degradedReasons == [])
        keys.remove()
    }
}
