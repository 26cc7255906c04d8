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
