import Glibc
import Hearth
import HearthTestSupport
import Testing

/// What an operator sees of an instance of the Realtime Database, and how he steers its queue.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct InstanceOperatorTests {
    private func machine(_ world: World) throws -> Machine {
        try world.machine("machine", ["--realtime.emulator", world.emulatorAddress])
    }

    private func hearth(
        _ world: World, _ machine: Machine, _ arguments: String..., input: String = ""
    ) throws -> CommandRun {
        try CommandRun(world, machine, arguments, input: input)
    }

    /// The address of the daemon's own instance.
    private func url(_ machine: Machine) async throws -> String {
        let database = Database(settings: DatabaseSettings(socketPath: machine.socketPath))
        return try #require(try await database.daemonStatus().instanceURL)
    }

    @Test func `an instance without an upstream degrades no other database, and says what lacks`()
        async throws
    {
        let world = try World()
        // Firestore's emulator wants no key; the hosted service would.
        let machine = try world.machine(
            "machine", ["--credentials.file", "\(world.folder.path)/none.json"])
        #expect(try hearth(world, machine, "rtdb", "set", "n", "1").status == 0)
        let database = Database(settings: DatabaseSettings(socketPath: machine.socketPath))
        let instance = try await eventually {
            try await database.daemonStatus()
        } is: {
            !$0.degradedReasons.isEmpty
        }
        let reason = try #require(instance.degradedReasons.first)
        #expect(reason.hasPrefix("No realtime.emulator is configured while upstream.emulator is"))
        #expect(reason.contains("none.json"))
        let firestore = machine.client()
        #expect(try await firestore.daemonStatus().degradedReasons == [])
        let wait = ["wait", "--state", "live", "--timeout", "30s"]
        let alone = try CommandRun(world, machine, wait + ["--database", "demo"])
        #expect(alone.status == 0, "\(alone.complaints)")
        let all = try CommandRun(world, machine, wait)
        #expect(all.status == 1)
        let url = try await url(machine)
        #expect(all.complaints.contains { $0.contains("\(url) is degraded: No realtime.emulator") })
    }

    @Test func `status tells of writes that wait in an instance, and wait waits for them`()
        async throws
    {
        let world = try World(isOnline: false)
        let machine = try machine(world)
        for number in 1...3 {
            #expect(try hearth(world, machine, "rtdb", "set", "n", "\(number)").status == 0)
        }
        let url = try await url(machine)
        let status = try hearth(world, machine, "status")
        #expect(status.status == CommandRun.tryAgainStatus)
        #expect(status.output.contains("database  demo/(default)"))
        #expect(status.output.contains("instance  \(url)"))
        #expect(status.output.contains { $0.hasPrefix("queue     3 batches, the oldest") })
        let doctor = try hearth(world, machine, "doctor").output
        #expect(doctor.contains { $0.contains("queue") && $0.contains("\(url): 3 batches wait.") })
        let early = try hearth(
            world, machine, "wait", "--state", "drained", "--timeout", "300ms")
        #expect(early.status == 124)
        try world.startEmulator()
        #expect(try hearth(world, machine, "queue", "retry", "--instance", url).status == 0)
        #expect(
            try hearth(world, machine, "wait", "--state", "drained", "--timeout", "30s").output
                == ["drained"])
        #expect(
            try hearth(world, machine, "wait", "--state", "live", "--timeout", "30s").output
                == ["live"])
        let told = try hearth(world, machine, "status", "--json", "--instance", url).output
        #expect(told.count == 1)
        #expect(told[0].contains(#""state":"live""#) && told[0].contains(#""queueBatches":0"#))
    }

    @Test func `the queue of an instance is shown, held, edited, cancelled and queued anew`()
        async throws
    {
        let world = try World(isOnline: false)
        let machine = try machine(world)
        for name in ["a", "b", "c", "d"] {
            #expect(try hearth(world, machine, "rtdb", "set", "rooms/\(name)", "1").status == 0)
        }
        let url = try await url(machine)
        func steer(_ arguments: String..., input: String = "") throws -> CommandRun {
            try CommandRun(world, machine, arguments + ["--instance", url], input: input)
        }
        let list = try steer("queue").output
        #expect(list.count == 5)
        #expect(list[1].hasSuffix("/rooms/a"))
        let empty = try hearth(world, machine, "queue")
        #expect(empty.output.isEmpty)
        #expect(
            empty.complaints == [
                "Nothing waits.",
                "\(url) has 4 batches: hearth queue --instance '\(url)'",
            ])
        #expect(try steer("queue", "hold", "1").output == ["held 1"])
        #expect(try steer("queue", "--json").output[1].contains(#""heldBy":1"#))
        #expect(
            try steer("queue", "show", "2").output.last == #"  {"set":"/rooms/b","value":1}"#)
        let edited = try steer(
            "queue", "edit", "2", input: #"[{"set":"/rooms/b","value":{"n":2}}]"#)
        #expect(edited.output == ["edited 2"])
        #expect(try steer("queue", "cancel", "3").output == ["cancelled 3"])
        #expect(try steer("queue", "drop", "4", "--yes").output == ["dropped 4"])
        let letter = try steer("dead-letters").output
        #expect(letter.count == 2 && letter[1].hasPrefix("    3  cancelled"))
        let retried = try steer(
            "dead-letters", "edit", "3", input: #"[{"set":"/rooms/c","value":3}]"#)
        #expect(retried.output == ["queued 3 as 5"])
        #expect(try steer("queue", "release", "--all").status == 0)
        try world.startEmulator()
        _ = try steer("queue", "retry")
        #expect(try steer("wait", "--state", "drained", "--timeout", "30s").status == 0)
        #expect(
            try hearth(world, machine, "rtdb", "get", "rooms").output
                == [#"{"a":1,"b":{"n":2},"c":3}"#])
    }

    private static let rules = """
        {"rules": {"rooms": {".read": true, ".write": "auth.uid == 'ada'",
            "hall": {".validate": "newData.val() < 100"}}}}
        """

    @Test
    func `a write that the rules refuse is rolled back, and kept with its writer and the reason`()
        async throws
    {
        let world = try World()
        let rest = RESTClient(path: String(world.emulatorAddress.dropFirst("unix:".count)))
        _ = try await eventually {
            try? await rest.ask(
                "PUT", "/.settings/rules.json?ns=demo-default-rtdb", Self.rules,
                ["authorization": "Bearer owner"]
            ).status
        } is: {
            $0 == 200
        }
        let machine = try world.machine(
            "machine", ["--realtime.emulator", world.emulatorAddress, "--upstream.user", "ada"])
        func set(_ seats: String) throws -> CommandRun {
            try hearth(world, machine, "rtdb", "set", "rooms/hall", seats, "--until", "committed")
        }
        #expect(try set("40").status == 0)
        let reader = Database(settings: DatabaseSettings(socketPath: machine.socketPath))
        var seen = reader.reference(withPath: "rooms/hall").values.makeAsyncIterator()
        _ = try await seen.first { $0.value as? Int == 40 }
        let refused = try set("400")
        #expect(refused.status != 0)
        #expect(refused.complaints.first?.contains("The service said: Permission denied") == true)
        // Before the answer the listener may have been shown the write, but not after it.
        let hall = try await reader.reference(withPath: "rooms/hall").getData()
        #expect(hall.value as? Int == 40)

        let url = try await url(machine)
        func letters(_ arguments: String..., input: String = "") throws -> [String] {
            let words = ["dead-letters"] + arguments + ["--instance", url]
            return try CommandRun(world, machine, words, input: input).output
        }
        let letter = try #require(try letters("--json").first)
        for told in [
            #""batch":2"#, #""uid":\#(getuid())"#, #""program":"hearth""#, #""user":"ada""#,
            "The service said: Permission denied",
        ] {
            #expect(letter.contains(told), "\(letter)")
        }
        let mended = #"[{"set":"/rooms/hall","value":90}]"#
        #expect(try letters("edit", "2", input: mended) == ["queued 2 as 3"])
        _ = try await seen.first { $0.value as? Int == 90 }
        #expect(try set("500").status != 0)
        #expect(try letters("drop", "4", "--yes") == ["dropped 4"])
        #expect(try letters("--json").isEmpty)
    }

    @Test func `a place is kept over a restart, and is there when the machine is offline`()
        async throws
    {
        let world = try World()
        let machine = try machine(world)
        #expect(
            try hearth(world, machine, "rtdb", "keep", "rooms", "menu").output
                == ["kept rooms", "kept menu"])
        #expect(
            try hearth(world, machine, "rtdb", "keep", "menu", "--off").output
                == ["released menu"])
        let again = try hearth(world, machine, "rtdb", "keep", "menu", "--off")
        #expect(again.status == 1 && again.output.isEmpty)
        #expect(
            again.complaints.contains {
                $0.contains("Cannot release menu: no order of yours keeps it")
            })
        let last = ["--order-by", "price", "--limit-to-last", "2"]
        #expect(
            try CommandRun(world, machine, ["rtdb", "keep", "menu"] + last).output == ["kept menu"])
        let kept = try hearth(world, machine, "rtdb", "keep", "--list").output
        #expect(
            kept.contains { $0.hasPrefix("/menu \(last.joined(separator: " "))  uid ") }, "\(kept)")
        #expect(
            try CommandRun(world, machine, ["rtdb", "keep", "menu", "--off"] + last).output
                == ["released menu"])
        machine.stopDaemon()
        try machine.startDaemon()
        let other = try world.machine("other", ["--realtime.emulator", world.emulatorAddress])
        #expect(
            try hearth(
                world, other, "rtdb", "set", "rooms/hall", "3", "--until", "committed"
            ).status == 0)
        let url = try await url(machine)
        let status = try hearth(world, machine, "status", "--instance", url).output
        #expect(status.contains("kept      1 place for good"))
        let list = try hearth(world, machine, "rtdb", "keep", "--list").output
        #expect(list.count == 2 && list[1].hasPrefix("/rooms  uid "))
        _ = try await eventually {
            try hearth(world, machine, "status", "--json", "--instance", url).output
        } is: {
            $0.first?.contains(#""onlineState":"online""#) == true
        }
        #expect(try hearth(world, machine, "rtdb", "get", "rooms").output == [#"{"hall":3}"#])
        world.killEmulator()
        #expect(try hearth(world, machine, "rtdb", "get", "rooms").output == [#"{"hall":3}"#])
    }
}
