import Glibc
import Hearth
import HearthTestSupport
import Testing

/// Consoles of a user whom the daemon allows little, and who is answered.
@Suite(.serialized, .timeLimit(.minutes(2)), .enabled(if: OtherUser.isPossible))
struct ConsoleAccessTests {
    private let world: World
    private let machine: Machine

    init() throws {
        world = try World(isOnline: false)
        chmod(world.folder.path, 0o755)
        let path = world.write(
            """
            [sockets]
            clientMode = "0666"
            [access]
            till = "allow uid 60001 read write below shops/1"
            """, to: "hearthd.toml")
        machine = try world.machine("machine", ["--config", path])
    }

    private func ask(
        _ console: ConsoleClient, _ route: String, _ more: String
    ) throws -> HTTPConnection.Answer {
        try console.get("/api/\(route)?db=demo%2F(default)\(more)")
    }

    /// A console that a user started.
    private func console(of uid: uid_t, openedBy owner: uid_t) async throws -> ConsoleClient {
        let runtime = world.folder.path + "/runtime"
        mkdir(runtime, 0o700)
        chown(runtime, uid, 60_009)
        return try await ConsoleClient(
            world, machine, launcher: OtherUser.launcher(uid: uid), runtime: runtime, owner: owner)
    }

    /// Whether a user's request, with all that the browser's has, is answered, or the connection closed
    /// without a byte; `nil` if neither happens.
    private func isAnswered(_ uid: uid_t, _ console: ConsoleClient) throws -> Bool? {
        let connection = try console.connect(as: uid)
        let lines = ["GET /api/session HTTP/1.1"] + console.headers
        try? connection.write(Array("\(lines.joined(separator: "\r\n"))\r\n\r\n".utf8))
        return isAnswered(connection)
    }

    private func isAnswered(_ connection: HTTPConnection) -> Bool? {
        connection.awaitInput(for: 20_000) ? (try? connection.read(1)) != nil : nil
    }

    @Test func `the cookie of a user is worth nothing to another, who holds no place`()
        async throws
    {
        let console = try await console(of: 60_001, openedBy: 60_001)
        #expect(try isAnswered(60_002, console) == false)
        // More connections than a console has places, all of them open.
        let strangers = try (0..<100).map { _ in try console.connect(as: 60_002) }
        try console.enter()
        #expect(try console.get("/api/session").status == 200)
        #expect(try isAnswered(60_002, console) == false)
        #expect(strangers.allSatisfy { isAnswered($0) == false })
        #expect(try isAnswered(60_001, console) == true)
        #expect(try isAnswered(0, console) == true)
    }

    @Test func `root's console goes over to the user who brings the secret`() async throws {
        let console = try await console(of: 0, openedBy: 60_001)
        #expect(try isAnswered(60_002, console) == true)
        let early = try console.connect(as: 60_002)
        #expect(try early.send("GET", "/", headers: console.headers).status == 401)
        try console.enter()
        #expect(try console.get("/api/session").status == 200)
        #expect(isAnswered(early) == false)
        #expect(try isAnswered(60_002, console) == false)
        #expect(try isAnswered(60_001, console) == true)
        #expect(try isAnswered(0, console) == true)
    }

    @Test func `the page of a user with few rights shows what is his and refuses the rest`()
        async throws
    {
        let client = machine.client()
        for path in ["shops/1", "shops/2"] {
            try await client.document(path).setData(["n": 1], until: .accepted)
        }
        let console = try await console(of: 60_001, openedBy: 60_001)
        var status = stat()
        #expect(lstat(console.file, &status) == 0 && status.st_uid == 60_001)
        try console.enter()
        let own = try ask(console, "document", "&path=shops/1")
        #expect(own.status == 200 && own.text.contains(#""fields":{"n":{"integerValue":"1"}}"#))
        // Where the document stands is told, and nothing of others.
        #expect(!own.text.contains(#""pending":null"#) && !own.text.contains("shops/2"))
        let foreign = try ask(console, "document", "&path=shops/2")
        #expect(foreign.status == 403)
        #expect(foreign.text.hasPrefix(#"{"error":{"code":"PERMISSION_DENIED","message":"#))
        #expect(try ask(console, "documents", "&collection=shops").status == 403)
        #expect(try ask(console, "queue", "").status == 403)
        let write = #"{"db":"demo/(default)","writes":[{"delete":"shops/2"}]}"#
        #expect(try console.post("/api/write", write).status == 403)
        let order = #"{"db":"demo/(default)","order":"cancel","ids":[1]}"#
        #expect(try console.post("/api/steer", order).status == 403)
        let network = #"{"db":"demo/(default)","isEnabled":false}"#
        #expect(try console.post("/api/network", network).status == 403)
        let programs = try console.get("/api/programs").text
        #expect(programs.contains(#""uid":60001"#) && !programs.contains(#""uid":0,"#))
        let stream = try console.stream(
            "/api/stream/document?db=demo%2F(default)&path=shops/2")
        #expect(try stream.event("event:").hasPrefix("event: failed\ndata: {\"error\""))
        #expect(try await client.pendingBatches().batches.count == 2)
    }
}
