import Glibc
import HearthModel
import HearthTestSupport
import Testing

@testable import HearthEmulator

/// The Realtime Database's protocol, by transcript over a WebSocket.
@Suite(.timeLimit(.minutes(1)))
struct RealtimeSocketTests {
    @Test func `a connection says hello, and answers pings and keep-alives`() async throws {
        try await withEmulator { _, address in
            try await SocketClient.talk(address) { client in
                #expect(client.hello.contains(#""t":"h""#))
                #expect(client.hello.contains(#""v":"5""#))
                #expect(client.hello.contains(#""h":"localhost""#))
                try client.send("0")
                try client.send(#"{"t":"c","d":{"t":"p","d":{}}}"#)
                #expect(try client.next() == #"{"t":"c","d":{"t":"o","d":{}}}"#)
            }
        }
    }

    @Test func `data comes before the answer, and a writer hears of its write before it is done`()
        async throws
    {
        try await withEmulator { _, address in
            _ = try await RealtimeClient(address: address).text("PUT", "/a/z", [], "0")
            try await SocketClient.talk(address) { client in
                try client.ask(1, "q", #"{"p":"/a","h":""}"#)
                #expect(try client.next() == SocketClient.push("d", #""p":"a","d":{"z":0}"#))
                #expect(try client.next() == SocketClient.answer(1, "{}"))
                try client.ask(2, "p", #"{"p":"/a/b","d":1}"#)
                #expect(try client.next() == SocketClient.push("d", #""p":"a/b","d":1"#))
                #expect(try client.next() == SocketClient.answer(2))
                try client.ask(3, "m", #"{"p":"/","d":{"a/c":2,"x":3}}"#)
                #expect(try client.next()?.contains(#""a":"m""#) == true)
                #expect(try client.next() == SocketClient.answer(3))
                try client.ask(4, "g", #"{"p":"/a","q":{}}"#)
                #expect(try client.next() == SocketClient.answer(4, #"{"b":1,"c":2,"z":0}"#))
                try client.ask(5, "n", #"{"p":"/a"}"#)
                #expect(try client.next() == SocketClient.answer(5))
                try client.ask(6, "p", #"{"p":"/a","d":null}"#)
                #expect(try client.next() == SocketClient.answer(6))
            }
        }
    }

    @Test func `who holds the data already is told nothing of it`() async throws {
        try await withEmulator { _, address in
            _ = try await RealtimeClient(address: address).text("PUT", "/a", [], "4")
            try await SocketClient.talk(address) { client in
                try client.ask(1, "q", #"{"p":"/a","h":"eVih19a6ZDz3NL32uVBtg9KSgQY="}"#)
                #expect(try client.next() == SocketClient.answer(1, "{}"))
            }
        }
    }

    @Test func `a conditional put that comes too late fails after its listener was told`()
        async throws
    {
        try await withEmulator { _, address in
            _ = try await RealtimeClient(address: address).text("PUT", "/n", [], "4")
            try await SocketClient.talk(address) { client in
                try client.ask(1, "q", #"{"p":"/n","h":""}"#)
                #expect(try client.next() == SocketClient.push("d", #""p":"n","d":4"#))
                #expect(try client.next() == SocketClient.answer(1, "{}"))
                try client.ask(2, "p", #"{"p":"/n","d":5,"h":"wrong"}"#)
                #expect(try client.next()?.contains(#""s":"datastale""#) == true)
                try client.ask(3, "p", #"{"p":"/n","d":5,"h":"eVih19a6ZDz3NL32uVBtg9KSgQY="}"#)
                #expect(try client.next() == SocketClient.push("d", #""p":"n","d":5"#))
                #expect(try client.next() == SocketClient.answer(3))
                // Another's write comes between: who asks too late knows it before the refusal.
                _ = try HTTPConnection(to: address).send(
                    "PUT", "/n.json?ns=demo", headers: [], body: "6")
                try client.ask(4, "p", #"{"p":"/n","d":7,"h":"eVih19a6ZDz3NL32uVBtg9KSgQY="}"#)
                #expect(try client.next() == SocketClient.push("d", #""p":"n","d":6"#))
                #expect(try client.next()?.contains(#""r":4,"b":{"s":"datastale""#) == true)
            }
        }
    }

    @Test func `a message in pieces is one, even if a pair of surrogates is cut`() async throws {
        try await withEmulator { _, address in
            try await SocketClient.talk(address) { client in
                let start = Array(#"{"t":"d","d":{"r":1,"a":"p","b":{"p":"/s","d":"x"#.utf8)
                // U+1F600 as two surrogates of three bytes each.
                let high: [UInt8] = [0xED, 0xA0, 0xBD]
                let low: [UInt8] = [0xED, 0xB8, 0x80]
                try client.send("3")
                try client.send(start + high, opcode: 1)
                try client.send(low, opcode: 1)
                try client.send(#"y"}}}"#)
                #expect(try client.next() == SocketClient.answer(1))
            }
            let text = try await RealtimeClient(address: address).text("GET", "/s")
            #expect(text == "\"x\u{1F600}y\"")
        }
    }

    @Test func `rules are asked, and other rules end a listen`() async throws {
        try await withEmulator { _, address in
            let admin = RealtimeClient(address: address).admin
            let mine = #"{"rules":{"a":{".read":true},"b":{".write":"auth.uid === 'ann'"}}}"#
            _ = try await admin.text("PUT", "/.settings/rules", [], mine)
            try await SocketClient.talk(address) { client in
                try client.ask(1, "q", #"{"p":"/b","h":""}"#)
                #expect(try client.next()?.contains(#""s":"permission_denied""#) == true)
                try client.ask(2, "gauth", #"{"cred":"owner"}"#)
                #expect(try client.next() == SocketClient.answer(2, #"{"auth":null}"#))
                try client.ask(3, "p", #"{"p":"/b","d":1}"#)
                #expect(try client.next() == SocketClient.answer(3))
                try client.ask(4, "unauth", "{}")
                #expect(try client.next() == SocketClient.answer(4, #""unauthenticated""#))
                try client.ask(5, "p", #"{"p":"/b","d":2}"#)
                #expect(try client.next()?.contains(#""s":"permission_denied""#) == true)
                try client.ask(6, "q", #"{"p":"/a","h":""}"#)
                #expect(try client.next() == SocketClient.answer(6, "{}"))
                _ = try HTTPConnection(to: address).send(
                    "PUT", "/.settings/rules.json?ns=demo",
                    headers: ["authorization: Bearer owner"], body: #"{"rules":{}}"#)
                // Without a query: clients know a default listen by that.
                #expect(try client.next() == SocketClient.push("c", #""p":"a""#))
            }
        }
    }

    @Test(arguments: [true, false])
    func `what is left for the end is written when the line is gone`(isClean: Bool) async throws {
        try await withEmulator { _, address in
            try await SocketClient.talk(address) { client in
                try client.ask(1, "o", #"{"p":"/gone","d":true}"#)
                #expect(try client.next() == SocketClient.answer(1))
                if isClean { try client.send([], opcode: 8) }
            }
            let client = RealtimeClient(address: address)
            _ = try await eventually(
                { try await client.text("GET", "/gone") }, is: { $0 == "true" })
        }
    }

    @Test func `a session that another follows has ended before the other asks`() async throws {
        try await withEmulator { _, address in
            try await SocketClient.talk(address) { old in
                try old.ask(1, "o", #"{"p":"/gone","d":1}"#)
                #expect(try old.next() == SocketClient.answer(1))
                let new = try SocketClient(address, follows: old.session)
                try new.ask(1, "g", #"{"p":"/gone","q":{}}"#)
                #expect(try new.next() == SocketClient.answer(1, "1"))
                // Nobody would answer it any more.
                #expect(try old.next() == nil)
            }
        }
    }

    @Test func `a session of one tree is not ended by a client of another`() async throws {
        try await withEmulator { _, address in
            try await SocketClient.talk(address) { old in
                let new = try SocketClient(address, follows: old.session, in: "other")
                try new.send("0")
                try old.ask(1, "g", #"{"p":"/a","q":{}}"#)
                #expect(try old.next() == SocketClient.answer(1, "null"))
            }
        }
    }

    @Test(arguments: [70_000, 300_000])
    func `nothing comes between the pieces of a message, however long`(length: Int) async throws {
        try await withEmulator { _, address in
            let value = #"""# + String(repeating: "x", count: length) + #"""#
            _ = try await RealtimeClient(address: address).text("PUT", "/a", [], value)
            try await SocketClient.talk(address) { client in
                try client.ask(1, "q", #"{"p":"/a","h":""}"#)
                let count = try #require(try client.next().flatMap { Int($0) })
                let pieces = try (0..<count).map { _ in try client.next() ?? "" }
                #expect(
                    pieces.joined() == SocketClient.push("d", #""p":"a","d":"# + value))
                #expect(try client.next() == SocketClient.answer(1, "{}"))
            }
        }
    }

    @Test func `a token that ends is told, and takes its rights along`() async throws {
        try await withEmulator { emulator, address in
            let rules = #"{"rules":{"a":{".read":"auth != null"}}}"#
            _ = try await RealtimeClient(address: address).admin.text(
                "PUT", "/.settings/rules", [], rules)
            var time = timespec()
            clock_gettime(CLOCK_REALTIME, &time)
            let claims = #"{"sub":"ann","iat":1,"exp":\#(time.tv_sec + 2)}"#
            let token = "e30." + Base64.encodeForLinks(Array(claims.utf8)) + "."
            try await SocketClient.talk(address) { client in
                try client.ask(1, "auth", #"{"cred":"\#(token)"}"#)
                let answer = try client.next() ?? ""
                #expect(answer.contains(#""s":"ok""#))
                #expect(answer.contains(#""expires":"#))
                try client.ask(2, "q", #"{"p":"/a","h":""}"#)
                #expect(try client.next() == SocketClient.answer(2, "{}"))
                #expect(
                    try client.next()
                        == SocketClient.push(
                            "ac", #""s":"expired_token","d":"Auth token is expired.""#))
                #expect(try client.next() == SocketClient.push("c", #""p":"a""#))
            }
        }
    }

    @Test func `what is no protocol ends the connection, and others go on`() async throws {
        try await withEmulator { _, address in
            for text in ["{", "[]", #"{"t":"d"}"#, "\u{0}"] {
                try await SocketClient.talk(address) { client in
                    try client.send(text)
                    #expect(try client.next() == nil, "\(text)")
                }
            }
            try await SocketClient.talk(address) { client in
                try client.ask(1, "p", #"{"p":"/a.b","d":1}"#)
                #expect(try client.next()?.contains(#""r":1"#) == true)
                try client.ask(2, "zz", "{}")
                #expect(try client.next()?.contains(#""r":2"#) == true)
                try client.ask(3, "p", #"{"p":"/a","d":1}"#)
                #expect(try client.next() == SocketClient.answer(3))
            }
        }
    }
}
