import Glibc
import Hearth
import HearthTestSupport
import Testing

/// Reading the configuration again, and what counts at once.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct ReloadTests {
    private let world: World
    private let path: String

    init() throws {
        world = try World(isOnline: false)
        path = world.folder.path + "/hearthd.toml"
    }

    private func configure(_ text: String) { _ = world.write(text, to: "hearthd.toml") }

    private func machine() throws -> Machine { try world.machine("machine", ["--config", path]) }

    @Test func `a reload changes limits for open sessions, and names what needs a restart`()
        async throws
    {
        configure("[queue]\nuidBatchCountMax = 1\n")
        let machine = try machine()
        let client = machine.client()
        try await client.document("rooms/1").setData(["n": 1], until: .accepted)
        do {
            try await client.document("rooms/2").setData(["n": 2], until: .accepted)
            Issue.record("The limit did not hold")
        } catch let error as FirestoreError {
            #expect(error.code == .resourceExhausted)
        }
        configure("[queue]\nuidBatchCountMax = 5\n[server]\nloopCount = 1\n")
        let reload = try CommandRun(world, machine, ["reload", "--wait", "--json"])
        #expect(
            reload.output == [
                #"{"applied":["queue.uidBatchCountMax"],"needsRestart":["server.loopCount"]}"#
            ])
        try await client.document("rooms/2").setData(["n": 2], until: .accepted)
        let again = try CommandRun(world, machine, ["reload"])
        #expect(again.output == ["after a restart: server.loopCount"])
        configure("[queue]\nuidBatchCountMax = 5\n")
        let takenBack = try CommandRun(world, machine, ["reload"])
        #expect(takenBack.output == ["nothing has changed"])
    }

    @Test func `a configuration that is wrong keeps the old one and is told`() async throws {
        configure("[queue]\nuidBatchCountMax = 1\n")
        let machine = try machine()
        let client = machine.client()
        try await client.document("rooms/1").setData(["n": 1], until: .accepted)
        configure("[queue]\nuidBatchCountMax = \"many\"\n")
        let reload = try CommandRun(world, machine, ["reload"])
        #expect(reload.status == 1)
        #expect(reload.complaints.first?.contains("The old configuration goes on") == true)
        let reasons = try await client.daemonStatus().degradedReasons
        #expect(reasons.contains { $0.contains("queue.uidBatchCountMax must be a number") })
        await #expect(throws: FirestoreError.self) {
            try await client.document("rooms/2").setData(["n": 2], until: .accepted)
        }
        // What a rule that cannot be read does at a start, it does not do now.
        configure("[access]\nshop = \"allow nobody\"\n")
        let unreadable = try CommandRun(world, machine, ["reload"])
        #expect(unreadable.status == 1)
        #expect(unreadable.complaints.first?.contains(#"rule "shop" cannot be read"#) == true)
        #expect(unreadable.complaints.first?.contains("may do anything") == false)
        configure("# nothing\n")
        #expect(try CommandRun(world, machine, ["reload"]).status == 0)
        #expect(try await client.daemonStatus().degradedReasons.isEmpty)
        try await client.document("rooms/2").setData(["n": 2], until: .accepted)
    }

    @Test func `what a check refuses, a reload refuses, and the old configuration counts`()
        async throws
    {
        configure("[queue]\nuidBatchCountMax = 7\n")
        let machine = try machine()
        _ = try await machine.client().daemonStatus()
        let key = world.write("no key", to: "key.json")
        for (wrong, told) in [
            ("[realtime]\nemulator = \"unix:\"\n", "realtime.emulator is \"unix:\""),
            ("[credentials]\nsource = \"keyFile\"\nfile = \"\(key)\"\n", key),
        ] {
            configure("[queue]\nuidBatchCountMax = 8\n" + wrong)
            let reload = try CommandRun(world, machine, ["reload"])
            #expect(reload.status == 1, "\(wrong)")
            #expect(reload.complaints.first?.contains(told) == true, "\(reload.complaints)")
        }
        configure("[queue]\nuidBatchCountMax = 7\n")
        #expect(try CommandRun(world, machine, ["reload"]).output == ["nothing has changed"])
    }

    @Test func `a configuration that is gone is refused, and the rules stay`() async throws {
        configure("[access]\nshop = \"allow everyone read\"\n")
        let machine = try machine()
        _ = try await machine.client().daemonStatus()
        try #require(unlink(path) == 0)
        let reload = try CommandRun(world, machine, ["reload"])
        #expect(reload.status == 1)
        #expect(reload.complaints.first?.contains("The file counts, and is gone") == true)
        #expect(reload.complaints.first?.contains("start the daemon without --config") == true)
        configure("")
        let emptied = try CommandRun(world, machine, ["reload"])
        #expect(emptied.status == 1)
        #expect(emptied.complaints.first?.contains("is empty now") == true)
        configure("# nothing\n")
        #expect(try CommandRun(world, machine, ["reload"]).output == ["now: access"])
    }

    @Test func `a pipe in the place of the configuration is refused, and the rules stay`()
        async throws
    {
        configure("[access]\nshop = \"allow everyone read\"\n")
        let machine = try machine()
        _ = try await machine.client().daemonStatus()
        try #require(unlink(path) == 0 && mkfifo(path, 0o600) == 0)
        let reload = try CommandRun(world, machine, ["reload"])
        #expect(reload.status == 1)
        #expect(reload.complaints.first?.contains("The file is a pipe") == true)
        try #require(unlink(path) == 0)
        configure("[access]\nshop = \"allow everyone read\"\n")
        #expect(try CommandRun(world, machine, ["reload"]).output == ["nothing has changed"])
    }
}
