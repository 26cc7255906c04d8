import HearthEmulator
import HearthModel
import HearthTestSupport
import Testing

/// Streams as browsers have them, over sockets.
@Suite(.timeLimit(.minutes(2)))
struct WebChannelTests {
    /// {"alg":"none"} . {"sub":"alice"}, without a signature.
    private static let alice = "eyJhbGciOiJub25lIn0.eyJzdWIiOiJhbGljZSJ9."

    /// Runs an emulator and, beside the tasks that must not block, what does.
    private func withAddress(
        _ prepare: @Sendable (Emulator, RawClient) async throws -> Void = { _, _ in },
        _ body: @escaping @Sendable (String) throws -> Void
    ) async throws {
        try await withEmulator { emulator, client, address in
            try await prepare(emulator, client)
            try await Task.detached { try body(address) }.value
        }
    }

    /// Sets a number by another road.
    private static func set(_ path: String, _ number: Int, at address: String) throws {
        let answer = try HTTPCall.send(
            "PATCH", "/v1/\(RawClient.name(path))", at: address, authorization: "Bearer owner",
            body: #"{"fields":{"n":{"integerValue":"\#(number)"}}}"#)
        #expect(answer.status == 200)
    }

    @Test func `a browser that polls hears of each document once`() async throws {
        try await withAddress({ _, client in try await client.set(["rooms/a": 1]) }) { address in
            let channel = ChannelClient("Listen", at: address)
            let opened = try channel.open([ChannelMaps.listen("rooms", as: 2)])
            #expect(opened.status == 200)
            #expect(opened.headers["x-http-session-id"] == channel.session)
            #expect(opened.headers["access-control-allow-origin"] == "http://page.test")
            #expect(opened.headers["content-type"] == "text/plain; charset=utf-8")
            let told = try channel.poll(count: 4)
            #expect(
                told.map { ChannelMaps.summary($0.array) } == [
                    "ADD 2", "rooms/a 2", "CURRENT 2", "NO_CHANGE",
                ])
            #expect(told.map(\.id) == [1, 2, 3, 4])
            try Self.set("rooms/b", 2, at: address)
            let more = try channel.poll(count: 2).map { ChannelMaps.summary($0.array) }
            #expect(more == ["rooms/b 2", "NO_CHANGE"])
        }
    }

    @Test func `an answer that goes on brings what is written meanwhile`() async throws {
        try await withAddress { address in
            let channel = ChannelClient("Listen", at: address)
            try channel.open([ChannelMaps.listen("rooms", as: 2)])
            let stream = try channel.stream()
            // What is told until nothing changes, without the signs of life, which may come at any time.
            func told() throws -> [String] {
                var told: [String] = []
                while told.last != "NO_CHANGE" {
                    told += try channel.entries(stream.nextChunk()).map {
                        ChannelMaps.summary($0.array)
                    }.filter { $0 != "noop" }
                }
                return told
            }
            #expect(try told() == ["ADD 2", "CURRENT 2", "NO_CHANGE"])
            for number in 0..<20 {
                try Self.set("rooms/\(number)", number, at: address)
                #expect(try told() == ["rooms/\(number) 2", "NO_CHANGE"])
            }
            #expect(try channel.terminate().status == 200)
            // A sign of life may be on its way still.
            var last = try stream.nextChunk()
            while !last.isEmpty {
                #expect(
                    try channel.entries(last).allSatisfy { ChannelMaps.summary($0.array) == "noop" }
                )
                last = try stream.nextChunk()
            }
        }
    }

    @Test func `what a lost line had is told again from the last that was received`() async throws {
        try await withAddress { address in
            let channel = ChannelClient("Listen", at: address)
            try channel.open([ChannelMaps.listen("rooms", as: 2)])
            _ = try channel.poll(count: 3)
            let before = channel.received
            do {
                let stream = try channel.stream()
                try Self.set("rooms/a", 1, at: address)
                var told: [ChannelClient.Entry] = []
                while told.filter({ !$0.isNoop }).count < 2 {
                    told += try channel.entries(stream.nextChunk())
                }
            }  // The connection is gone, and what it brought counts as never received.
            let after = channel.received
            channel.received = before
            let again = try channel.poll(count: 2)
            #expect(again.map { ChannelMaps.summary($0.array) } == ["rooms/a 2", "NO_CHANGE"])
            #expect(again.allSatisfy { $0.id > before && $0.id <= after })
        }
    }

    @Test func `what comes twice or in another order is taken once and in order`() async throws {
        try await withAddress { address in
            let channel = ChannelClient("Listen", at: address)
            try channel.open([ChannelMaps.listen("a", as: 2)])
            try channel.send([ChannelMaps.unlisten(4)], offset: 2)
            try channel.send([ChannelMaps.listen("a", as: 2)], offset: 0)
            try channel.send([ChannelMaps.listen("b", as: 4)], offset: 1)
            let told = try channel.poll(count: 7).map { ChannelMaps.summary($0.array) }
            #expect(
                told == [
                    "ADD 2", "CURRENT 2", "NO_CHANGE", "ADD 4", "CURRENT 4", "NO_CHANGE",
                    "REMOVE 4",
                ])
        }
    }

    @Test func `a write stream commits in order and ends with its first error`() async throws {
        try await withAddress { address in
            let channel = ChannelClient("Write", at: address)
            try channel.open([ChannelMaps.handshake()])
            let hello = try channel.poll(count: 1)
            #expect(hello[0].array.elements?[0]["streamToken"]?.string == "MA==")
            try channel.send([
                ChannelMaps.set("rooms/a", 1, token: "MA=="),
                ChannelMaps.set("rooms/b", 2, token: "MA=="),
            ])
            let answers = try channel.poll(count: 2).compactMap { $0.array.elements?.first }
            #expect(answers.map { $0["streamToken"]?.string } == ["MQ==", "Mg=="])
            #expect(answers.allSatisfy { $0["writeResults"]?.elements?.count == 1 })
            try channel.send([ChannelMaps.set("rooms/a", 3, exists: false, token: "Mg==")])
            let last = try channel.poll(count: 1)[0].array.elements?[0]["error"]
            #expect(last?["status"]?.string == "ALREADY_EXISTS")
            #expect(
                last?["message"]?.string == "Document already exists: \(RawClient.name("rooms/a"))")
            // This poll tells the server that the browser has received the server's last words.
            #expect(try channel.poll().isEmpty)
            #expect(throws: ChannelClient.Unreadable.self) { try channel.poll() }
        }
    }

    @Test func `the token among the maps decides what rules allow`() async throws {
        let rules = """
            rules_version = '2';
            service cloud.firestore {
              match /databases/{database}/documents {
                match /{user}/{document} { allow read: if request.auth.uid == user; }
              }
            }
            """
        try await withAddress({ emulator, _ in try emulator.setRules(rules) }) { address in
            let maps = ["alice", "bob"].enumerated().map { ChannelMaps.listen($1, as: $0 + 2) }
            for (token, refused) in [(Self.alice, [3]), (nil, [2, 3]), ("owner", [])] {
                let channel = ChannelClient("Listen", at: address)
                try channel.open(maps, token: token)
                var told: [String] = []
                let count = 3 * (2 - refused.count) + 2 * refused.count
                while told.count < count {
                    told += try channel.poll(count: 1).map { ChannelMaps.summary($0.array) }
                }
                for id in refused {
                    #expect(told.contains { $0.hasPrefix("REMOVE \(id): 7 ") }, "\(told)")
                }
                #expect(told.filter { $0.hasPrefix("REMOVE") }.count == refused.count)
            }
            let channel = ChannelClient("Listen", at: address)
            try channel.open(maps, token: "no.token")
            #expect(
                try channel.poll(count: 1).map { ChannelMaps.summary($0.array) } == [
                    "error INVALID_ARGUMENT"
                ])
        }
    }

    @Test func `text of any script arrives, though lengths count otherwise than bytes`()
        async throws
    {
        try await withAddress { address in
            let text = "é😀日本 \u{2028} </script>"
            let channel = ChannelClient("Listen", at: address)
            try channel.open([ChannelMaps.listen("rooms", as: 2)])
            _ = try channel.poll(count: 3)
            let answer = try HTTPCall.send(
                "PATCH", "/v1/\(RawClient.name("rooms/a"))", at: address,
                body: #"{"fields":{"s":{"stringValue":"\#(text)"}}}"#)
            #expect(answer.status == 200)
            let change = try channel.poll(count: 2)[0].array.elements?[0]["documentChange"]
            #expect(change?["document"]?["fields"]?["s"]?["stringValue"]?.string == text)
        }
    }

    @Test func `more than one answer may hold comes in several, all of it once`() async throws {
        try await withAddress { address in
            let channel = ChannelClient("Listen", at: address)
            try channel.open([ChannelMaps.listen("rooms", as: 2)])
            _ = try channel.poll(count: 3)
            let text = String(repeating: "x", count: 100_000)
            let writes = (0..<12).map { index in
                """
                {"update":{"name":"\(RawClient.name("rooms/\(index)"))",\
                "fields":{"s":{"stringValue":"\(text)"}}}}
                """
            }
            let answer = try HTTPCall.send(
                "POST", "/v1/\(RawClient.database)/documents:commit", at: address,
                body: #"{"writes":[\#(writes.joined(separator: ","))]}"#)
            #expect(answer.status == 200)
            var told: [String] = []
            var answerCount = 0
            while told.last != "NO_CHANGE" {
                let stream = try channel.stream()
                answerCount += 1
                while told.last != "NO_CHANGE" {
                    let chunk = try stream.nextChunk()
                    if chunk.isEmpty { break }
                    told += try channel.entries(chunk).filter { !$0.isNoop }.map {
                        ChannelMaps.summary($0.array)
                    }
                }
            }
            #expect(told.count == 13)
            #expect(Set(told).count == 13)
            #expect(answerCount > 1)
        }
    }

    @Test func `faults befall channels as they do other streams`() async throws {
        try await withAddress({ emulator, _ in
            emulator.faults.inject(Fault(method: "Listen", .cutStream(afterMessageCount: 1)))
        }) { address in
            let channel = ChannelClient("Listen", at: address)
            try channel.open([ChannelMaps.listen("rooms", as: 2)])
            var told: [String] = []
            while told.last != "error UNAVAILABLE" {
                told += try channel.poll(count: 1).map { ChannelMaps.summary($0.array) }
            }
            #expect(told == ["ADD 2", "error UNAVAILABLE"])
        }
    }

    @Test func `who speaks of no session, or not this protocol, is told so`() async throws {
        try await withAddress { address in
            let channel = ChannelClient("Listen", at: address)
            let unknown = try channel.send([ChannelMaps.unlisten(2)])
            #expect(unknown.status == 400)
            #expect(unknown.text.contains("Unknown SID"))
            #expect(try channel.terminate().status == 400)
            for query in ["", "?VER=7&RID=1", "?VER=8", "?VER=8&RID=x"] {
                let answer = try HTTPCall.send("POST", channel.path + query, at: address)
                #expect(answer.status == 400, "\(query)")
            }
            for method in ["Commit", "Nothing"] {
                let path = "/google.firestore.v1.Firestore/\(method)/channel?VER=8&RID=1"
                #expect(try HTTPCall.send("POST", path, at: address).status == 404)
            }
            let preflight = try HTTPCall.send(
                "OPTIONS", channel.path, at: address,
                headers: [
                    "origin": "http://page.test", "access-control-request-headers": "x-a",
                ])
            #expect(preflight.status == 200)
            #expect(preflight.headers["access-control-allow-headers"] == "x-a")
        }
    }
}
