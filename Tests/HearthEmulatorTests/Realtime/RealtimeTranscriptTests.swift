import HearthModel
import HearthTestSupport
import Logging
import Testing

@testable import HearthEmulator

/// Listens with hashes and queries, and the ends of connections, by transcript over a WebSocket.
@Suite(.timeLimit(.minutes(1)))
struct RealtimeTranscriptTests {
    @Test func `a listen with the hashes of ranges is told the range that changed, and no other`()
        async throws
    {
        let all = (0..<200).map { #""k\#($0)":"a text that fills some room in its range \#($0)""# }
        let old = try Node(json: "{" + all.joined(separator: ",") + "}")
        let new = old.settingChild("k77", to: Node(.integer(7)))
        let ranges = CompoundHash(of: old)
        let hashes = ranges.hashes.map { "\"\($0)\"" }.joined(separator: ",")
        let posts = ranges.posts.map { "\"\($0.description.dropFirst())\"" }.joined(separator: ",")
        let listen =
            #"{"p":"/big","h":"\#(NodeHash.hash(of: old))","#
            + #""ch":{"hs":[\#(hashes)],"ps":[\#(posts)]}}"#
        try await withEmulator { _, address in
            let client = RealtimeClient(address: address)
            _ = try await client.text(
                "PUT", "/big", ["print=silent"], String(decoding: new.json(.plain), as: UTF8.self))
            try await SocketClient.talk(address) { client in
                try client.ask(1, "q", listen)
                let push = try #require(try client.next())
                #expect(push.contains(#""a":"rm""#))
                #expect(push.contains(#""p":"big""#))
                #expect(push.contains(#""k77":7"#))
                #expect(push.utf8.count < 4_000, "more than a range was told")
                #expect(!push.contains(#""k5":"#))
                #expect(try client.next() == SocketClient.answer(1, "{}"))
                try client.ask(2, "p", #"{"p":"/big/k5","d":5}"#)
                #expect(try client.next() == SocketClient.push("d", #""p":"big/k5","d":5"#))
            }
        }
    }

    @Test func `a limit whose window moves tells in one message who comes and who goes`()
        async throws
    {
        try await withEmulator { _, address in
            _ = try await RealtimeClient(address: address).text(
                "PUT", "/q", [], #"{"b":1,"d":2,"f":3}"#)
            try await SocketClient.talk(address) { client in
                let query = #""q":{"i":".key","l":2,"vf":"r"},"t":5"#
                try client.ask(1, "q", #"{"p":"/q",\#(query),"h":""}"#)
                #expect(
                    try client.next()
                        == SocketClient.push("d", #""p":"q","d":{"d":2,"f":3},"t":5"#))
                #expect(try client.next() == SocketClient.answer(1, "{}"))
                try client.ask(2, "p", #"{"p":"/q/g","d":4}"#)
                #expect(
                    try client.next()
                        == SocketClient.push("m", #""p":"q","d":{"g":4,"d":null},"t":5"#))
                #expect(try client.next() == SocketClient.answer(2))
                try client.ask(3, "p", #"{"p":"/q/a","d":0}"#)
                #expect(try client.next() == SocketClient.answer(3))
                try client.ask(4, "n", #"{"p":"/q",\#(query)}"#)
                #expect(try client.next() == SocketClient.answer(4))
                try client.ask(5, "p", #"{"p":"/q/h","d":5}"#)
                #expect(try client.next() == SocketClient.answer(5))
            }
        }
    }

    @Test func `a listen in an order without an index is warned, and a get is refused`()
        async throws
    {
        try await withEmulator { _, address in
            _ = try await RealtimeClient(address: address).text(
                "PUT", "/p", [], #"{"ann":{"age":3},"bob":{"age":1}}"#)
            try await SocketClient.talk(address) { client in
                let query = #""q":{"i":"age","l":1,"vf":"l"}"#
                try client.ask(1, "q", #"{"p":"/p",\#(query),"t":1,"h":""}"#)
                #expect(
                    try client.next()
                        == SocketClient.push("d", #""p":"p","d":{"bob":{"age":1}},"t":1"#))
                #expect(try client.next() == SocketClient.answer(1, #"{"w":["no_index"]}"#))
                try client.ask(2, "g", #"{"p":"/p",\#(query)}"#)
                let refusal = try #require(try client.next())
                #expect(refusal.contains("Index not defined"))
                _ = try HTTPConnection(to: address).send(
                    "PUT", "/.settings/rules.json?ns=demo",
                    headers: ["authorization: Bearer owner"],
                    body: #"{"rules":{".read":true,"p":{".indexOn":"age"}}}"#)
                try client.ask(3, "g", #"{"p":"/p",\#(query)}"#)
                #expect(try client.next() == SocketClient.answer(3, #"{"bob":{"age":1}}"#))
                try client.ask(4, "q", #"{"p":"/p",\#(query),"t":2,"h":""}"#)
                #expect(try client.next()?.contains(#""t":2"#) == true)
                #expect(try client.next() == SocketClient.answer(4, "{}"))
            }
        }
    }

    @Test func `a client that is silent for too long is given up, and one that says 0 is not`()
        async throws
    {
        try await withEmulator(configure: { $0.realtimeTimes.silence = .milliseconds(300) }) {
            _, address in
            try await SocketClient.talk(address) { client in
                let lively = try SocketClient(address)
                try client.ask(1, "o", #"{"p":"/gone","d":{".sv":"timestamp"}}"#)
                #expect(try client.next() == SocketClient.answer(1))
                try lively.ask(1, "q", #"{"p":"/gone","h":""}"#)
                #expect(try lively.next() == SocketClient.answer(1, "{}"))
                // Nothing more comes from the one; the other still says `0`.
                try Self.sayZeros(to: lively, until: client)
                let push = try #require(try lively.next())
                #expect(push.hasPrefix(#"{"t":"d","d":{"a":"d","b":{"p":"gone","d":1"#))
                try lively.ask(2, "g", #"{"p":"/gone","q":{}}"#)
                #expect(try lively.next()?.contains(#""s":"ok""#) == true)
            }
        }
    }

    /// Says `0` to one connection until another has ended.
    private static func sayZeros(to lively: SocketClient, until silent: SocketClient) throws {
        let end = ContinuousClock.now + .seconds(30)
        while ContinuousClock.now < end {
            try lively.send("0")
            if silent.hasEnded(within: 50) { return }
        }
        throw TooLate(last: "the silent connection goes on")
    }

    @Test func `a connection that is reset ends as one that is closed`() async throws {
        let emulator = try Emulator(
            configuration: EmulatorConfiguration(firestore: [.tcp(host: "127.0.0.1", port: 0)]),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        try await emulator.run { addresses in
            let address = addresses.first?.description ?? ""
            do {
                try await SocketClient.talk(address) { client in
                    let other = try SocketClient(address)
                    try other.ask(1, "q", #"{"p":"/gone","h":""}"#)
                    #expect(try other.next() == SocketClient.answer(1, "{}"))
                    try client.ask(1, "o", #"{"p":"/gone","d":true}"#)
                    #expect(try client.next() == SocketClient.answer(1))
                    client.reset()
                    #expect(try other.next() == SocketClient.push("d", #""p":"gone","d":true"#))
                }
            } catch {
                Issue.record(error)
            }
            emulator.shutdown()
        }
    }

    @Test func `a write for the end is judged when it is left and again when it is made`()
        async throws
    {
        try await withEmulator { _, address in
            let admin = RealtimeClient(address: address).admin
            let rules = #"{"a":{".write":true},"b":{".write":"root.child('open').val() === true"}}"#
            _ = try await admin.text("PUT", "/open", [], "true")
            _ = try await admin.text("PUT", "/.settings/rules", [], #"{"rules":\#(rules)}"#)
            try await SocketClient.talk(address) { client in
                try client.ask(1, "o", #"{"p":"/c","d":1}"#)
                #expect(
                    try client.next()
                        == #"{"t":"d","d":{"r":1,"b":{"s":"permission_denied","d":"Permission denied"}}}"#
                )
                try client.ask(2, "o", #"{"p":"/b","d":1}"#)
                #expect(try client.next() == SocketClient.answer(2))
                try client.ask(3, "o", #"{"p":"/a","d":1}"#)
                #expect(try client.next() == SocketClient.answer(3))
                _ = try HTTPConnection(to: address).send(
                    "PUT", "/open.json?ns=demo", headers: ["authorization: Bearer owner"],
                    body: "false")
                try client.send([], opcode: 8)
                _ = try client.next()
            }
            _ = try await eventually({ try await admin.text("GET", "/a") }, is: { $0 == "1" })
            #expect(try await admin.text("GET", "/b") == "null")
        }
    }

    @Test func `one write of several places is told as one message, even at a listener above`()
        async throws
    {
        try await withEmulator { _, address in
            try await SocketClient.talk(address) { client in
                try client.ask(1, "q", #"{"p":"/","h":""}"#)
                #expect(try client.next() == SocketClient.answer(1, "{}"))
                try client.ask(2, "m", #"{"p":"/","d":{"rooms/a":3,"log/-Nx":true}}"#)
                #expect(
                    try client.next()
                        == SocketClient.push("m", #""p":"","d":{"log/-Nx":true,"rooms/a":3}"#))
                #expect(try client.next() == SocketClient.answer(2))
            }
        }
    }
}
