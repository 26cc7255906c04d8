import Glibc
import Hearth
import HearthTestSupport
import Testing

/// The access rules before real processes of other users, whom the kernel names.
@Suite(.serialized, .timeLimit(.minutes(2)), .enabled(if: OtherUser.isPossible))
struct AccessTests {
    private let world: World
    private let machine: Machine

    /// A machine without a backend, whose socket everybody may connect to.
    init() throws {
        world = try World(isOnline: false)
        chmod(world.folder.path, 0o755)
        let path = world.write(
            """
            [sockets]
            clientMode = "0666"
            [access]
            till = "allow uid 60001 read write below shops/1"
            reports = "allow gid 60200 read"
            pay = "deny everyone read write below staff/pay"
            """, to: "hearthd.toml")
        machine = try world.machine("machine", ["--config", path])
    }

    private func hearth(as uid: Int, group: Int, _ arguments: String...) throws -> CommandRun {
        try CommandRun(
            world, machine, arguments, launcher: OtherUser.launcher(uid: uid, groups: group))
    }

    @Test func `the kernel's word of a process decides what it may`() async throws {
        let client = machine.client()
        for path in ["shops/1", "shops/2", "staff/ann", "staff/pay"] {
            try await client.document(path).setData(["n": 1], until: .accepted)
        }
        func till(_ arguments: String...) throws -> Int32 {
            try CommandRun(
                world, machine, arguments, launcher: OtherUser.launcher(uid: 60_001)
            ).status
        }
        #expect(try till("get", "shops/1", "--source", "cache") == 0)
        #expect(try till("set", "shops/1", "n=2") == 0)
        #expect(try till("get", "shops/2", "--source", "cache") == 4)
        #expect(try till("query", "shops", "--source", "cache") == 4)
        #expect(try till("set", "staff/ann", "n=2") == 4)
        #expect(try till("describe", "shops/1") == 0)
        #expect(try till("describe", "shops/2") == 4)
        #expect(try till("queue") == 4)
        #expect(try till("queue", "cancel", "1") == 4)
        #expect(try till("reload") == 4)
        #expect(try till("network", "off") == 4)
        #expect(try till("status", "--quiet") != 4)
        let reader = try hearth(as: 60_002, group: 60_200, "get", "shops/2", "--source", "cache")
        #expect(reader.status == 0)
        let denied = try hearth(as: 60_002, group: 60_200, "get", "staff/pay", "--source", "cache")
        #expect(denied.status == 4)
        #expect(denied.complaints.first?.contains("the access rule \"pay\" denies it") == true)
        let stranger = try hearth(as: 60_003, group: 60_201, "get", "shops/1", "--source", "cache")
        #expect(stranger.status == 4)
        #expect(stranger.complaints.first?.contains("no access rule allows") == true)
        #expect(world.log("machine").contains("client refused"))
        #expect(world.log("machine").contains("rule=pay"))
    }

    @Test func `who may read one place alone is offered that place by the shell once it is kept`()
        async throws
    {
        let path = world.write(
            """
            [sockets]
            clientMode = "0666"
            [access]
            hall = "allow uid 60001 read below rooms/hall"
            """, to: "places.toml")
        let machine = try world.machine(
            "places", ["--config", path, "--realtime.emulator", world.emulatorAddress])
        let asUser = OtherUser.launcher(uid: 60_001)
        let kept = try CommandRun(
            world, machine, ["rtdb", "keep", "/rooms/hall"], launcher: asUser)
        #expect(kept.status == 0, "\(kept.complaints)")
        let question = ["---completion", "rtdb", "keep", "--", "positional@0", "3", "0"]
        let offered = try await eventually {
            try CommandRun(
                world, machine, question + ["hearth", "rtdb", "keep", "/ro"],
                launcher: asUser + ["/usr/bin/env", "SAP_SHELL=fish", "SAP_SHELL_VERSION=4.0"]
            ).output
        } is: {
            !$0.isEmpty
        }
        #expect(offered == ["/rooms/hall"])
    }

    @Test func `new rules count for programs that are connected`() async throws {
        let client = machine.client()
        try await client.document("shops/2").setData(["n": 1], until: .accepted)
        let first = try hearth(as: 60_003, group: 60_201, "get", "shops/2", "--source", "cache")
        #expect(first.status == 4)
        _ = world.write(
            "[sockets]\nclientMode = \"0666\"\n[access]\nall = \"allow everyone read\"\n",
            to: "hearthd.toml")
        let reload = try CommandRun(world, machine, ["reload", "--json"])
        #expect(reload.output == [#"{"applied":["access"],"needsRestart":[]}"#])
        let second = try hearth(as: 60_003, group: 60_201, "get", "shops/2", "--source", "cache")
        #expect(second.status == 0)
    }
}
