import HearthModel
import HearthTestSupport
import Testing

@testable import HearthEmulator

/// Faults of the Realtime Database that a test asks for by name.
@Suite(.timeLimit(.minutes(1)))
struct RealtimeFaultTests {
    private static func inject(_ texts: String..., into emulator: Emulator) throws {
        for text in texts { emulator.faults.inject(try FaultWish.fault(text)) }
    }

    @Test(arguments: [
        ("datastale", "datastale"), ("permission_denied", "permission_denied"),
        ("UNAVAILABLE", "unavailable"), ("too_big", "too_big"), ("INTERNAL", "failed"),
    ])
    func `a put is refused by the word that a test wishes for, once`(code: String, word: String)
        async throws
    {
        try await withEmulator { emulator, address in
            try Self.inject("Realtime.Put:refuse=\(code)", into: emulator)
            try await SocketClient.talk(address) { client in
                try client.ask(1, "p", #"{"p":"/a","d":1}"#)
                #expect(try client.next()?.contains(#""s":"\#(word)""#) == true)
                try client.ask(2, "g", #"{"p":"/a","q":{}}"#)
                #expect(try client.next() == SocketClient.answer(2, "null"))
                try client.ask(3, "p", #"{"p":"/a","d":1}"#)
                #expect(try client.next() == SocketClient.answer(3))
            }
        }
    }

    @Test func `REST is refused with the status of the word`() async throws {
        try await withEmulator { emulator, address in
            try Self.inject(
                "Realtime.Get:refuse=permission_denied", "Realtime.Put:refuse=unavailable",
                "Realtime.Merge:refuse=datastale", "Realtime.Listen:refuse=unavailable",
                into: emulator)
            let client = RealtimeClient(address: address)
            let denied = try await client.send("GET", "/a")
            #expect(denied.status == 401)
            #expect(denied.text == #"{"error":"Permission denied"}"#)
            #expect(try await client.send("DELETE", "/a").status == 503)
            #expect(try await client.send("PATCH", "/a", [], #"{"b":1}"#).status == 412)
            let stream = try await client.send(
                "GET", "/a", headers: ["accept: text/event-stream"])
            #expect(stream.status == 503)
            #expect(try await client.text("GET", "/a") == "null")
        }
    }

    @Test func `what comes behind a request that is held up waits for it`() async throws {
        try await withEmulator { emulator, address in
            try Self.inject("Realtime.Put:delay=50ms", into: emulator)
            try await SocketClient.talk(address) { client in
                try client.ask(1, "p", #"{"p":"/a","d":1}"#)
                try client.ask(2, "g", #"{"p":"/a","q":{}}"#)
                #expect(try client.next() == SocketClient.answer(1))
                #expect(try client.next() == SocketClient.answer(2, "1"))
            }
        }
    }

    @Test func `a write whose answer is lost was made, and the connection is cut`() async throws {
        try await withEmulator { emulator, address in
            try Self.inject("Realtime.Put:loseAnswer*2", into: emulator)
            try await SocketClient.talk(address) { client in
                try client.ask(1, "p", #"{"p":"/a","d":1}"#)
                #expect(try client.next() == nil)
            }
            let client = RealtimeClient(address: address)
            #expect(try await client.text("GET", "/a") == "1")
            await #expect(throws: HTTPConnection.Failure.self) {
                try await client.send("PUT", "/a", [], "2")
            }
            #expect(try await client.text("GET", "/a") == "2")
        }
    }

    @Test func `a connection is cut after so many messages`() async throws {
        try await withEmulator { emulator, address in
            try Self.inject("Realtime.Connect:cutStream=2", into: emulator)
            try await SocketClient.talk(address) { client in
                try client.ask(1, "g", #"{"p":"/a","q":{}}"#)
                #expect(try client.next() == SocketClient.answer(1, "null"))
                try client.ask(2, "g", #"{"p":"/a","q":{}}"#)
                #expect(try client.next() == nil)
                let next = try SocketClient(address)
                try next.ask(1, "g", #"{"p":"/a","q":{}}"#)
                #expect(try next.next() == SocketClient.answer(1, "null"))
            }
        }
    }

    @Test func `a connection that is refused ends before its hello`() async throws {
        try await withEmulator { emulator, address in
            try Self.inject("Realtime.Connect:refuse=unavailable", into: emulator)
            try await SocketClient.talk(address) { client in
                let next = try client.next()
                #expect(client.hello == "")
                #expect(next == nil)
            }
        }
    }

    @Test func `hello names another host, and pings stay without an answer`() async throws {
        try await withEmulator { emulator, address in
            try Self.inject(
                "Realtime.Connect:foreignHost=other.example:9", "Realtime.Connect:noPong",
                into: emulator)
            try await SocketClient.talk(address) { client in
                #expect(client.hello.contains(#""h":"other.example:9""#))
                try client.send(#"{"t":"c","d":{"t":"p","d":{}}}"#)
                try client.send([], opcode: 9)
                try client.ask(1, "g", #"{"p":"/a","q":{}}"#)
                #expect(try client.next() == SocketClient.answer(1, "null"))
                #expect(client.pongs.isEmpty)
            }
        }
    }

    @Test func `a slow connection brings everything in its order`() async throws {
        try await withEmulator { emulator, address in
            try Self.inject("Realtime.Connect:slowStream=20ms", into: emulator)
            try await SocketClient.talk(address) { client in
                let start = ContinuousClock.now
                for number in 1...5 { try client.ask(number, "g", #"{"p":"/a","q":{}}"#) }
                for number in 1...5 {
                    #expect(try client.next() == SocketClient.answer(number, "null"))
                }
                #expect(ContinuousClock.now - start >= .milliseconds(80))
            }
        }
    }

    @Test func `a stream of REST breaks after so many events`() async throws {
        try await withEmulator { emulator, address in
            try Self.inject("Realtime.Listen:cutStream=1", into: emulator)
            try await Task.detached {
                let connection = try HTTPConnection(to: address)
                let head = try connection.begin(
                    "GET", "/a.json?ns=demo", headers: ["accept: text/event-stream"])
                #expect(head.status == 200)
                let first = try connection.nextChunk()
                #expect(
                    String(decoding: first, as: UTF8.self)
                        == "event: put\ndata: {\"path\":\"/\",\"data\":null}\n\n")
                _ = try HTTPConnection(to: address).send("PUT", "/a.json?ns=demo", body: "1")
                #expect(throws: HTTPConnection.Failure.self) { try connection.nextChunk() }
            }.value
        }
    }
}
