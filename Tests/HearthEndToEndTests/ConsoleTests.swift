import Glibc
import Hearth
import HearthTestSupport
import Testing

/// `hearth console` before a real daemon, driven by raw HTTP.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct ConsoleTests {
    private static let db = "demo/(default)"

    private func path(_ route: String, _ more: String = "") -> String {
        "/api/\(route)?db=demo%2F(default)\(more)"
    }

    @Test func `who brings no cookie gets nothing, and the secret opens once`() async throws {
        let world = try World(isOnline: false)
        let console = try await ConsoleClient(world, try world.machine())
        var status = stat()
        #expect(lstat(console.file, &status) == 0 && status.st_mode & 0o777 == 0o600)
        #expect(!console.secret.isEmpty)
        #expect(try console.get("/").status == 401)
        #expect(try console.get("/api/overview").status == 401)
        let wrong = try console.enter(with: String(repeating: "0", count: 64))
        #expect(wrong.status == 403 && wrong.headers["set-cookie"] == nil)
        let foreign = try console.enter(with: console.secret, ["origin: https://evil.example"])
        #expect(foreign.status == 403 && foreign.headers["set-cookie"] == nil)
        let secret = console.secret
        try console.enter()
        #expect(access(console.file, F_OK) != 0)
        #expect(try console.enter(with: secret).status == 403)
        let page = try console.get("/")
        #expect(page.status == 200)
        #expect(page.headers["content-type"] == "text/html; charset=utf-8")
        #expect(
            page.headers["content-security-policy"]?.hasPrefix(
                "default-src 'none'; script-src 'self';") == true)
        #expect(page.headers["x-content-type-options"] == "nosniff")
        #expect(page.headers["referrer-policy"] == "no-referrer")
        #expect(page.headers["cache-control"] == "no-store")
        #expect(try console.get("/../etc/passwd").status == 404)
        #expect(try console.get("/api/none").status == 404)
        #expect(try console.get(path("write")).status == 405)
        #expect(console.terminate() == 0)
    }

    @Test func `another host and another origin are refused`() async throws {
        let world = try World(isOnline: false)
        let console = try await ConsoleClient(world, try world.machine())
        try console.enter()
        func ask(_ method: String, _ lines: [String]) throws -> Int {
            try HTTPConnection(to: console.address).send(
                method, "/api/session", headers: ["cookie: \(console.cookie)"] + lines
            ).status
        }
        let host = "host: \(console.address)"
        #expect(try ask("GET", [host]) == 200)
        #expect(try ask("GET", ["host: evil.example"]) == 421)
        #expect(try ask("GET", [host, "origin: https://evil.example"]) == 403)
        #expect(try ask("GET", [host, "sec-fetch-site: cross-site"]) == 403)
        #expect(try ask("POST", [host]) == 403)
        #expect(
            try ask(
                "POST", [host, "origin: http://\(console.address)", "content-type: text/plain"])
                == 415)
        #expect(try ask("DELETE", [host, "origin: http://\(console.address)"]) == 405)
        let large = try HTTPConnection(to: console.address).send(
            "POST", "/api/write",
            headers: [host, "cookie: \(console.cookie)", "origin: http://\(console.address)"],
            body: String(repeating: " ", count: (2 << 20) + 1))
        #expect(large.status == 413)
    }

    @Test func `data is read, edited, queried and compared`() async throws {
        let world = try World()
        let machine = try world.machine()
        let client = machine.client()
        for number in 1...5 {
            try await client.document("rooms/\(number)").setData(["n": number, "big": Int.max])
        }
        let console = try await ConsoleClient(world, machine)
        try console.enter()
        #expect(
            try console.get(path("collections")).text
                == #"{"collections":["rooms"],"hasMore":false}"#)
        let first = try console.get(path("documents", "&collection=rooms&pageSize=2")).text
        #expect(first.contains(#""path":"rooms/1""#) && first.contains(#""next":"2""#))
        #expect(first.contains(#""big":{"integerValue":"9223372036854775807"}"#))
        let last = try console.get(path("documents", "&collection=rooms&pageSize=2&after=4")).text
        #expect(last.contains(#""path":"rooms/5""#) && last.contains(#""next":null"#))

        let query =
            #""query":{"collection":"rooms","where":[{"field":"n","op":"GREATER_THAN","value":{"integerValue":"3"}}]}"#
        let found = try console.post("/api/query", #"{"db":"demo/(default)",\#(query)}"#)
        #expect(found.status == 200)
        #expect(
            found.text.contains(#""path":"rooms/4""#) && !found.text.contains(#""path":"rooms/3""#))
        #expect(found.text.contains(#""matched":2"#))

        let write =
            #"{"db":"demo/(default)","writes":[{"update":{"name":"rooms/1","fields":{"n":{"doubleValue":1.5}}},"updateMask":{"fieldPaths":["n","big"]},"currentDocument":{"exists":true}}]}"#
        let written = try console.post("/api/write", write)
        #expect(written.text.contains(#""state":"accepted""#))
        try await client.waitForPendingWrites()
        let edited = try await client.document("rooms/1").getDocument(source: .server)
        #expect(edited["n"] as? Double == 1.5 && edited["big"] == nil)
        let shown = try console.get(path("document", "&path=rooms/1")).text
        #expect(
            shown.contains(#""fields":{"n":{"doubleValue":1.5}}"#)
                && shown.contains(#""state":"found""#))
        let missing = try console.get(path("document", "&path=rooms/none")).text
        #expect(missing.contains(#""exists":false"#) && missing.contains(#""state":"unknown""#))

        // Another program of the world changes the backend behind the cache.
        let elsewhere = try world.machine("elsewhere").client()
        try await elsewhere.document("rooms/9").setData(["n": 9])
        let compared = try console.post(
            "/api/compare", #"{"db":"demo/(default)","query":{"collection":"rooms"}}"#)
        #expect(compared.text.contains(#""path":"rooms/9","kind":"onlyInBackend""#))
        #expect(compared.text.contains(#""equalCount":5"#))
        try await elsewhere.document("yards/1/trees/1").setData(["n": 1])
        #expect(
            try console.get(path("collections")).text
                == #"{"collections":["rooms"],"hasMore":false}"#)
        #expect(
            try console.get(path("collections", "&source=default")).text
                == #"{"collections":["rooms","yards"],"hasMore":false}"#)
        #expect(
            try console.get(path("collections", "&source=default&below=yards/1")).text
                == #"{"collections":["yards/1/trees"],"hasMore":false}"#)
        let refused = try console.get(path("collections", "&source=default&below=yards"))
        #expect(refused.status == 400, "\(refused.text)")
        _ = try await eventually {
            try await client.daemonLedger(by: .query).rows.map(\.query)
        } is: {
            $0.contains("yards/*/** (ListCollectionIds)")
        }
        #expect(try console.post("/api/write", "{").status == 400)
        #expect(
            try console.post("/api/write", #"{"db":"demo/(default)","writes":[]}"#).status == 400)
        #expect(try console.get("/api/documents?db=nothing&collection=rooms").status == 400)
    }

    @Test
    func `a queue is looked ahead at, held, released and edited, and a dead letter sent again`()
        async throws
    {
        let world = try World(isOnline: false)
        let machine = try world.machine()
        let client = machine.client()
        for number in 1...3 {
            try await client.document("rooms/\(number)").setData(["n": number], until: .accepted)
        }
        let console = try await ConsoleClient(world, machine)
        try console.enter()
        func steer(_ order: String) throws -> HTTPConnection.Answer {
            try console.post("/api/steer", #"{"db":"demo/(default)",\#(order)}"#)
        }
        let ahead = try steer(#""order":"hold","ids":[2],"preview":true"#).text
        #expect(ahead.contains(#""also":[{"id":3,"#) && ahead.contains(#""refused":[]"#))
        #expect(
            try client.pendingStates(await client.pendingBatches().batches)
                == "queued queued queued")
        #expect(
            try steer(#""order":"hold","ids":[2]"#).text == #"{"done":{"count":1,"newIDs":{}}}"#)
        #expect(
            try client.pendingStates(await client.pendingBatches().batches) == "queued held queued")
        let queue = try console.get(path("queue")).text
        #expect(queue.contains(#""heldBy":2,"why":"It waits behind batch 2"#))
        #expect(queue.contains(#""writer":{"uid":\#(geteuid())"#))
        let causes = try console.get(path("queue/causes")).text
        #expect(causes.contains(#"{"cause":"held","count":1}"#))
        #expect(causes.contains(#"{"cause":"behindHeld","count":1}"#))
        let behind = try console.get(path("queue", "&cause=behindHeld")).text
        #expect(behind.contains(#"{"batches":[{"id":3,"#) && behind.contains(#""hasMore":false"#))
        #expect(try console.get(path("queue", "&cause=boredom")).status == 400)
        #expect(try steer(#""order":"hold","cause":"boredom""#).status == 400)
        // Nobody holds a batch that waits behind a held one.
        #expect(
            try steer(#""order":"release","cause":"behindHeld""#).text.contains(#""count":0"#))
        let release = #""order":"release","cause":"held""#
        #expect(try steer(release + #","preview":true"#).text.contains(#""batches":[{"id":2,"#))
        #expect(try steer(release).text.contains(#""count":1"#))
        let shown = try console.get(path("queue/batch", "&id=1")).text
        #expect(
            shown.contains(
                #""writes":[{"update":{"name":"rooms/1","fields":{"n":{"integerValue":"1"}}}}]"#))
        let edit =
            #""order":"edit","ids":[1],"writes":[{"update":{"name":"rooms/1","fields":{"n":{"integerValue":"100"}}}}]"#
        #expect(try steer(edit).status == 200)
        #expect(try steer(#""order":"cancel","ids":[3]"#).status == 200)
        #expect(try steer(#""order":"cancel","ids":[77]"#).status == 404)
        #expect(try console.get(path("dead-letters")).text.contains(#""cause":"CANCELLED""#))
        let rejected = try console.get(path("dead-letters/causes")).text
        #expect(rejected.hasPrefix(#"{"causes":[{"cause":"CANCELLED","count":1,"#))
        let retry = #""order":"retryDeadLetters","cause":"CANCELLED""#
        #expect(try steer(retry + #","preview":true"#).text.contains("at the end of the queue"))
        #expect(try steer(retry).text == #"{"done":{"count":1,"newIDs":{"3":4}}}"#)
        try world.startEmulator()
        #expect(try steer(#""order":"retry""#).status == 200)
        try await client.waitForPendingWrites()
        let document = try await client.document("rooms/1").getDocument(source: .server)
        #expect(document["n"] as? Int == 100)
        #expect(try await client.document("rooms/3").getDocument(source: .server).exists)
    }

    @Test func `an order to all reaches more batches than can be looked ahead at`() async throws {
        let world = try World(isOnline: false)
        let machine = try world.machine()
        let client = machine.client()
        let (count, writerCount) = (10_040, 40)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<writerCount {
                group.addTask {
                    for number in 0..<count / writerCount {
                        try await client.document("many/\(writer)-\(number)").setData(
                            ["n": number], until: .accepted)
                    }
                }
            }
            try await group.waitForAll()
        }
        let console = try await ConsoleClient(world, machine)
        try console.enter()
        func steer(_ order: String) throws -> String {
            try console.post("/api/steer", #"{"db":"demo/(default)",\#(order)}"#).text
        }
        let last = try #require(
            try await client.pendingBatches(after: Int64(count) - 1).batches.last?.id)
        let ahead = try steer(#""order":"hold","all":true,"preview":true"#)
        #expect(ahead.contains(#""isComplete":false"#))
        #expect(try steer(#""order":"hold","all":true"#).contains(#""count":\#(count),"#))
        #expect(try await client.daemonStatus().heldBatchCount == count)
        // A batch behind the first ten thousand is found by its number.
        let one = try steer(#""order":"release","ids":[\#(last)],"preview":true"#)
        #expect(one.contains(#""batches":[{"id":\#(last),"#) && one.contains(#""refused":[]"#))
        for first in stride(from: 1, through: count, by: 1_000) {
            let ids = (first...min(first + 999, count)).map { Int64($0) }
            try await client.cancelPendingBatches(ids)
        }
        #expect(try await client.daemonStatus().deadLetterCount == count)
        let drop = #""order":"dropDeadLetters","cause":"CANCELLED""#
        #expect(try steer(drop).contains(#""count":\#(count),"#))
        #expect(try await client.daemonStatus().deadLetterCount == 0)
    }

    @Test func `two streams tell of changes at once, and who wrote what waits`() async throws {
        let world = try World(isOnline: false)
        let machine = try world.machine()
        let client = machine.client()
        let console = try await ConsoleClient(world, machine)
        try console.enter()
        let overview = try console.stream("/api/stream/overview")
        #expect(try overview.event("event: overview").contains(#""queueBatches":0"#))
        let live = try console.stream(
            path("stream/documents", "&query=%7B%22collection%22:%22rooms%22%7D"))
        #expect(try live.event("event: documents").contains(#""documents":[]"#))
        try await client.document("rooms/hall").setData(["n": 1], until: .accepted)
        let changed = try live.event("rooms/hall")
        #expect(
            changed.contains(#""hasPendingWrites":true"#)
                && changed.contains(#""pid":\#(getpid())"#))
        #expect(changed.contains(#""isWhole":false"#))
        #expect(try overview.event(#""queueBatches":1"#).contains("event: overview"))
        #expect(try overview.event("event: sample").contains(#""queue":1"#))
        try await client.document("rooms/hall").delete(until: .accepted)
        #expect(try live.event("removed").contains(#""removed":["rooms/hall"]"#))
        #expect(try console.get("/api/history").text.contains(#""samples":[{"at":"#))
    }

    @Test func `places of the Realtime Database are read, written and told live`() async throws {
        let world = try World()
        let machine = try world.machine("machine", ["--realtime.emulator", world.emulatorAddress])
        let database = Database(settings: DatabaseSettings(socketPath: machine.socketPath))
        try await database.reference(withPath: "rooms").setValue([
            "a": 1, "b": ["x": true, "y": "z"], "c": 2.5,
        ])
        let url = try #require(try await database.daemonStatus().instanceURL)
        let db = url.utf8.map { "%" + String($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        let console = try await ConsoleClient(world, machine)
        try console.enter()
        let level = try console.get("/api/node?db=\(db)&path=/rooms&pageSize=2").text
        #expect(
            level.contains(
                #"{"key":"b","kind":"object","value":null,"childCount":2,"priority":null}"#))
        #expect(level.contains(#""next":"b""#) && level.contains(#""childCount":null"#))
        let rest = try console.get("/api/node?db=\(db)&path=/rooms&pageSize=2&after=b").text
        #expect(
            rest.contains(#""key":"c","kind":"number","value":2.5"#)
                && rest.contains(#""next":null"#))
        #expect(
            try console.get("/api/node?db=\(db)&path=/rooms/a").text.contains(
                #""exists":true,"isFromCache":"#))
        #expect(try console.get("/api/node?db=\(db)&path=/rooms/a").text.contains(#""value":1,"#))
        let keys = try console.get("/api/node/keys?db=\(db)&path=/rooms&pageSize=2").text
        #expect(
            keys
                == #"{"path":"/rooms","children":[{"key":"a","mayHaveChildren":true},{"key":"b","mayHaveChildren":true}],"next":"b"}"#
        )
        #expect(
            try console.get("/api/node/keys?db=\(db)&path=/rooms&after=b").text
                == #"{"path":"/rooms","children":[{"key":"c","mayHaveChildren":true}],"next":null}"#
        )
        #expect(try console.get("/api/node/keys?db=\(db)&path=/rooms/%23").status == 400)
        let live = try console.stream("/api/stream/node?db=\(db)&path=/rooms/a")
        #expect(try live.event("event: node").contains(#""value":1,"#))
        let write =
            #"{"db":"\#(url)","writes":[{"path":"/rooms/a","value":{"deep":[1,null,"q"]}},{"path":"/rooms/c","value":null}]}"#
        #expect(try console.post("/api/node/write", write).text.contains(#""state":"accepted""#))
        #expect(try live.event("deep").contains(#""kind":"object""#))
        let whole = try console.get("/api/node/value?db=\(db)&path=/rooms").text
        #expect(whole.contains(#""value":{"a":{"deep":"#) && !whole.contains(#""c":"#))
        let programs = try console.get("/api/programs").text
        #expect(
            programs.contains(#""pid":\#(getpid()),"#)
                && programs.contains(#""program":"hearth console""#))
    }

    @Test func `a console without a page asks the daemon nothing`() async throws {
        let world = try World(isOnline: false)
        let machine = try world.machine()
        let console = try await ConsoleClient(world, machine)
        try console.enter()
        do {
            let overview = try console.stream("/api/stream/overview")
            _ = try overview.event("event: sample")
            overview.reset()
        }
        var (last, since) = ("", ContinuousClock.now)
        // A console that went on asking would have a new sample every second.
        _ = try await eventually {
            try console.get("/api/history").text
        } is: { text in
            if text != last { (last, since) = (text, .now) }
            return ContinuousClock.now - since > .seconds(3)
        }
        #expect(last.contains(#""samples":[{"at":"#))
    }
}

extension Firestore {
    /// The states of batches, in order.
    fileprivate func pendingStates(_ batches: [PendingBatch]) -> String {
        batches.map(\.state.rawValue).joined(separator: " ")
    }
}
