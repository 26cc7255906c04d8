import Hearth
import HearthTestSupport
import Testing

/// Daemons whose configuration names no project: the key or the machine does.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct ProjectTests {
    @Test func `the key of a service account names the project`() async throws {
        let world = try World(isOnline: false)
        let path = world.write(try ServiceKey.json(project: "of-the-key"), to: "key.json")
        let client = try world.machine(
            "machine", ["--credentials.source", "keyFile", "--credentials.file", path],
            project: nil
        ).client()
        let status = try await client.daemonStatus()
        #expect(status.projectID == "of-the-key")
        #expect(status.degradedReasons == [])
        try await client.document("rooms/hall").setData(["n": 1], until: .accepted)
    }

    @Test func `a machine of Google's names its project`() async throws {
        let server = try StubAuth()
        defer { server.close() }
        let world = try World(isOnline: false)
        let client = try world.machine(
            "machine",
            ["--credentials.source", "metadataServer", "--database.name", "second"],
            environment: ["GCE_METADATA_HOST=\(server.address)"], project: nil
        ).client()
        let status = try await client.daemonStatus()
        #expect(status.projectID == StubAuth.project)
        #expect(status.databaseID == "second")
    }

    @Test(arguments: [
        (["--credentials.source", "metadataServer"], "no machine of Google's"),
        (["--credentials.source", "none"], "service account"),
        (
            ["--credentials.source", "keyFile", "--credentials.file", "KEY"],
            "key.json names no project"
        ),
    ])
    func `where nothing names the project, the daemon says what would help`(
        flags: [String], cause: String
    ) async throws {
        let world = try World(isOnline: false)
        let path = world.write(try ServiceKey.json(), to: "key.json")
        let machine = try world.machine(
            "machine", flags.map { $0 == "KEY" ? path : $0 },
            environment: ["GCE_METADATA_HOST=127.0.0.1:1"], project: nil)
        // Programs that name a project are served all the same.
        let client = Firestore(
            settings: FirestoreSettings(socketPath: machine.socketPath, projectID: "named"))
        let status = try await client.daemonStatus()
        let reason = status.degradedReasons.first { $0.contains("Set database.project.") }
        #expect(reason?.contains(cause) == true, "\(status.degradedReasons)")
        #expect(machine.stopDaemon() == 0)
        #expect(world.log("machine").contains("Set database.project."))
    }
}
