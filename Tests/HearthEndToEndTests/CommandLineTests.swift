import Hearth
import HearthTestSupport
import Testing

/// The real `hearth` against a real daemon: the output and the exit status.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct CommandLineTests {
    @Test func `what get prints can be written again, whatever its types`() async throws {
        let world = try World()
        let machine = try world.machine()
        _ = try await machine.client().daemonStatus()
        func hearth(_ arguments: String..., input: String = "") throws -> CommandRun {
            try CommandRun(world, machine, arguments, input: input)
        }
        let written = try hearth(
            "set", "rooms/hall", "name=Great Hall", "lights=3", "height=3.0", "open=true",
            "owner=null", "built=timestamp(1899-12-31T23:59:59.123456Z)", "key=bytes(AP8=)",
            "place=geo(-0.5,180)", "next=ref(rooms/attic)", "shape=vector(1,2.5)", "odd=NaN",
            "zip=\"007\"", "tags=[1,\"a\",{\"$map\":{\"$b\":[]}}]", "lamp.`on.off`=Infinity",
            "--until", "committed")
        #expect(written.status == 0)
        #expect(written.output == ["committed rooms/hall"])
        let line = try #require(try hearth("get", "rooms/hall", "--json").output.first)
        let start = try #require(line.firstRange(of: "\"fields\":")).upperBound
        let end = try #require(line.firstRange(of: ",\"isFromCache\"")).lowerBound
        let fields = String(line[start..<end])
        #expect(
            fields == #"{"built":{"$timestamp":"1899-12-31T23:59:59.123456Z"},"height":3.0,"#
                + #""key":{"$bytes":"AP8="},"lamp":{"on.off":{"$double":"Infinity"}},"lights":3,"#
                + #""name":"Great Hall","next":{"$ref":"rooms/attic"},"odd":{"$double":"NaN"},"#
                + #""open":true,"owner":null,"place":{"$geo":[-0.5,180.0]},"#
                + #""shape":{"$vector":[1.0,2.5]},"tags":[1,"a",{"$map":{"$b":[]}}],"zip":"007"}"#)
        #expect(try hearth("set", "rooms/copy", "-", input: fields).status == 0)
        let copy = try #require(try hearth("get", "rooms/copy", "--json").output.first)
        #expect(copy.contains("\"fields\":\(fields),"))
    }

    @Test func `the version is that of the daemon beside the command`() async throws {
        let world = try World()
        let machine = try world.machine()
        let version = try await machine.client().daemonStatus().daemonVersion
        let told = try CommandRun(world, machine, ["--version"])
        #expect(told.status == 0)
        #expect(told.output == [version])
    }

    @Test func `an update obeys its orders, and a merge keeps the rest`() async throws {
        let world = try World()
        let machine = try world.machine()
        let client = machine.client()
        try await client.document("rooms/hall").setData(["lights": 1, "name": "Hall", "old": 1])
        let update = try CommandRun(
            world, machine,
            [
                "update", "rooms/hall", "lights=increment(2)", "old=delete()",
                "tags=arrayUnion(\"a\")", "seen=serverTimestamp()", "--until", "committed",
                "--json",
            ])
        #expect(update.status == 0)
        #expect(update.output.first?.contains(#""state":"committed","batch":2"#) == true)
        let merge = try CommandRun(
            world, machine, ["set", "rooms/hall", "lamp.on=true", "--merge", "--quiet"])
        #expect(merge.status == 0)
        #expect(merge.output.isEmpty)
        let hall = try await client.document("rooms/hall").getDocument()
        #expect(hall["lights"] as? Int == 3)
        #expect(hall["old"] == nil)
        #expect(hall["tags"] as? [String] == ["a"])
        #expect(hall["seen"] is Timestamp)
        #expect(hall["name"] as? String == "Hall")
        #expect(hall["lamp.on"] as? Bool == true)
    }

    @Test func `records are imported, derived and queried`() async throws {
        let world = try World()
        let machine = try world.machine()
        _ = try await machine.client().daemonStatus()
        func hearth(_ arguments: String...) throws -> CommandRun {
            try CommandRun(world, machine, arguments)
        }
        let file = world.write(
            #"{"parts":[{"code":"DE-BE","n":2},{"code":"DE-BY","n":1},{"code":"FR-75","n":3}]}"#,
            to: "parts.json")
        let imported = try hearth(
            "import", file, "--array", "parts", "--collection", "parts", "--id", "code",
            "--derive", "country=code:before:-", "--batch-size", "2", "--json")
        #expect(
            imported.output
                == [#"{"collection":"parts","documents":3,"batches":2,"state":"accepted"}"#])
        #expect(try hearth("wait", "--state", "drained", "--timeout", "30s").status == 0)
        let query = try hearth("query", "parts", "--where", "country == DE", "--order", "n")
        #expect(
            query.output == [
                #"parts/DE-BY {"code": "DE-BY", "country": "DE", "n": 1}"#,
                #"parts/DE-BE {"code": "DE-BE", "country": "DE", "n": 2}"#,
            ])
        #expect(query.complaints == ["2 documents"])
        let last = try hearth(
            "query", "parts", "--group", "--order", "n:desc", "--limit-to-last", "1", "--quiet")
        #expect(last.output == [#"parts/DE-BY {"code": "DE-BY", "country": "DE", "n": 1}"#])
        let after = try hearth("query", "parts", "--order", "n", "--start-after", "2", "--quiet")
        #expect(after.output.count == 1)
        let named = try hearth("query", "parts", "--where", "__name__ in [\"FR-75\"]", "--quiet")
        #expect(named.output.count == 1)
        let listened = try hearth("listen", "parts/FR-75", "--json", "--count", "1")
        #expect(listened.status == 0)
        #expect(listened.output.first?.hasPrefix(#"{"snapshot":1,"path":"parts/FR-75""#) == true)
        let snapshot = try hearth("listen", "parts", "--count", "1")
        #expect(snapshot.output.first?.hasPrefix("snapshot 1: 3 documents") == true)
        #expect(snapshot.output.count == 4)
    }

    @Test func `how a command ends tells a script what to do`() async throws {
        let world = try World()
        let machine = try world.machine()
        let client = machine.client()
        try await client.document("rooms/hall").setData(["lights": 1])
        func hearth(_ arguments: String...) throws -> CommandRun {
            try CommandRun(world, machine, arguments)
        }
        #expect(try hearth("status").status == 0)
        #expect(try hearth("get", "rooms/none").status == 1)
        #expect(try hearth("get", "rooms").status == 64)
        let refused = try hearth("update", "rooms/none", "a=1", "--until", "committed")
        #expect(refused.status == 1)
        #expect(refused.complaints.count == 1)
        #expect(refused.complaints.first?.contains("NOT_FOUND") == true)
        #expect(try hearth("queue", "dead-letters", "--json").output.count == 1)
        #expect(try hearth("network", "off").status == 0)
        #expect(try hearth("status", "--quiet").output == ["network off"])
        #expect(try hearth("status").status == 10)
        #expect(try hearth("get", "rooms/hall", "--source", "server").status == 10)
        let cached = try hearth("get", "rooms/hall", "--source", "cache")
        #expect(cached.output == ["rooms/hall (from cache)", "  lights: 1"])
        let wait = try hearth("wait", "--state", "live", "--timeout", "100ms")
        #expect(wait.status == 124)
        let write = try hearth(
            "set", "rooms/a", "a=1", "--until", "committed", "--timeout", "100ms")
        #expect(write.status == 124)
        let queue = try hearth("queue", "--json").output
        #expect(queue.count == 1)
        #expect(queue.first?.contains(#""program":"hearth","documents":["rooms/a"]}"#) == true)
        #expect(try hearth("network", "on", "--quiet").status == 0)
        #expect(try hearth("wait", "--state", "drained", "--timeout", "30s").status == 0)
        #expect(try hearth("queue", "--json").output.isEmpty)
        machine.stopDaemon()
        let alone = try hearth("get", "rooms/hall")
        #expect(alone.status == 3)
        #expect(alone.complaints.count == 1)
        #expect(alone.complaints.first?.contains("Start it with") == true)
    }

    @Test func `a full disk under the output is told, and a reader who has gone is not`()
        async throws
    {
        let world = try World()
        let machine = try world.machine()
        _ = try await machine.client().daemonStatus()
        func status(of line: String) throws -> CommandRun {
            try CommandRun(
                world, machine, ["status"], launcher: ["/bin/sh", "-c", line, "sh"])
        }
        let full = try status(of: #"exec "$@" >/dev/full"#)
        #expect(full.status == 1)
        #expect(full.complaints == ["hearth: Cannot write the output: No space left on device."])
        #expect(try status(of: #""$@" | true"#).complaints.isEmpty)
    }

    @Test(arguments: [["set", "rooms/hall", "lights=1"], ["wait", "--state", "live"]])
    func `a command that comes before its daemon waits for it`(words: [String]) throws {
        let world = try World()
        let machine = try world.machine()
        machine.killDaemon()
        let command = try ChildProcess(
            "hearth", words + ["--socket", machine.socketPath],
            log: "\(world.folder.path)/early.log", output: "\(world.folder.path)/early.log")
        try machine.startDaemon()
        #expect(command.exitStatus() == 0, "\(world.log("early"))")
    }
}
