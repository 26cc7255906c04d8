import HearthBackend
import HearthTestSupport
import Testing

/// How a connection may be opened, and which frames it may carry.
@Suite(.timeLimit(.minutes(1)))
struct RealtimeFrameTests {
    @Test func `a frame without a mask ends the connection with 1002`() async throws {
        try await withEmulator { _, address in
            try await SocketClient.talk(address) { client in
                try client.send(Array("0".utf8), opcode: 1, isMasked: false)
                #expect(try client.next() == nil)
                #expect(client.closingCode == 1_002)
            }
        }
    }

    @Test func `binary data ends the connection with 1003`() async throws {
        try await withEmulator { _, address in
            try await SocketClient.talk(address) { client in
                try client.send(Array(#"{"t":"c","d":{"t":"p","d":{}}}"#.utf8), opcode: 2)
                #expect(try client.next() == nil)
                #expect(client.closingCode == 1_003)
            }
        }
    }

    @Test func `a piece may come in several frames, and a ping between them is answered`()
        async throws
    {
        try await withEmulator { _, address in
            try await SocketClient.talk(address) { client in
                let text = Array(#"{"t":"d","d":{"r":1,"a":"p","b":{"p":"/a","d":5}}}"#.utf8)
                try client.send(Array(text[..<10]), opcode: 1, isLast: false)
                try client.send(Array("life".utf8), opcode: 9)
                try client.send(Array(text[10..<20]), opcode: 0, isLast: false)
                try client.send(Array(text[20...]), opcode: 0)
                #expect(try client.next() == SocketClient.answer(1))
                #expect(client.pongs == ["life"])
            }
        }
    }

    @Test func `a piece may have as many bytes as its characters take`() async throws {
        // The most that clients put into a piece, in characters of three bytes each.
        let text = String(repeating: "ก", count: 16_384)
        try await withEmulator { _, address in
            try await SocketClient.talk(address) { client in
                try client.send("3")
                try client.send(#"{"t":"d","d":{"r":1,"a":"p","b":{"p":"/s","d":""#)
                try client.send(text)
                try client.send(#""}}}"#)
                #expect(try client.next() == SocketClient.answer(1))
            }
            let found = try await RealtimeClient(address: address).text("GET", "/s")
            #expect(found == "\"\(text)\"")
        }
    }

    @Test func `a message of more than 16 MiB ends its connection, and others are served`()
        async throws
    {
        try await withEmulator { _, address in
            try await SocketClient.talk(address) { client in
                let piece = [UInt8](repeating: UInt8(ascii: " "), count: 60_000)
                let count = RealtimeLimits.wireWriteByteCountMax / piece.count + 1
                try client.send("\(count + 1)")
                for _ in 0..<count { try client.send(piece, opcode: 1) }
                #expect(try client.next() == nil)
                let other = try SocketClient(address)
                try other.ask(1, "g", #"{"p":"/a","q":{}}"#)
                #expect(try other.next() == SocketClient.answer(1, "null"))
            }
        }
    }

    private static func open(
        _ address: String, _ method: String, _ target: String, _ headers: [String]
    ) async throws -> Int {
        let all =
            [
                "upgrade: websocket", "connection: Upgrade",
                "sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==", "sec-websocket-version: 13",
            ] + headers
        return try await Task.detached {
            try HTTPConnection(to: address).begin(method, target, headers: all).status
        }.value
    }

    @Test func `only a GET of a version that is served opens a connection`() async throws {
        try await withEmulator { _, address in
            for (method, target, status) in [
                ("GET", "/.ws?v=5&ns=demo", 101), ("POST", "/.ws?v=5&ns=demo", 404),
                ("GET", "/.ws?v=4&ns=demo", 404), ("GET", "/.ws?v=5&ns=a.b", 400),
                ("GET", "/.lp?v=5&ns=demo", 404),
            ] {
                let found = try await Self.open(address, method, target, [])
                #expect(found == status, "\(method) \(target)")
            }
        }
    }

    @Test func `pages of every origin may open a connection, as they may read by REST`()
        async throws
    {
        try await withEmulator { _, address in
            let page = ["origin: http://somewhere.example", "sec-fetch-site: cross-site"]
            let status = try await Self.open(address, "GET", "/.ws?v=5&ns=demo", page)
            #expect(status == 101)
        }
    }
}
