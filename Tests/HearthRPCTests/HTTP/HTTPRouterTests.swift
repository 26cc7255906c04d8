import HearthTestSupport
import Testing

@testable import HearthRPC

/// Two guests of HTTP/1.1 and calls of gRPC, on one socket.
@Suite(.timeLimit(.minutes(1)))
struct HTTPRouterTests {
    private static func send(
        _ verb: String, _ path: String, _ address: String, headers: [String] = [],
        _ body: [UInt8] = []
    ) async throws -> HTTPConnection.Answer {
        try await Task.detached {
            try HTTPConnection(to: address).send(verb, path, headers: headers, bytes: body)
        }.value
    }

    private static let upgradeHeaders = [
        "upgrade: websocket", "connection: Upgrade",
        "sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==", "sec-websocket-version: 13",
    ]

    /// One text and the end. Frames of a client are masked; this mask changes nothing.
    private static func frames(_ text: String) -> [UInt8] {
        let end: [UInt8] = [0x88, 0x80, 0, 0, 0, 0]
        return [0x81, 0x80 | UInt8(text.utf8.count), 0, 0, 0, 0] + Array(text.utf8) + end
    }

    @Test func `requests and calls share a socket`() async throws {
        try await withEchoServer(router: EchoRouter.init) { _, server in
            let text = try await Self.send("GET", "/text", server.address)
            #expect(text.status == 200)
            #expect(text.text == "hello\n")
            #expect(text.headers["echo"] == "yes")
            #expect(try await Self.send("GET", "/none", server.address).status == 404)
            try await server.withClient { client in
                let told = try await client.call("Say", "both")
                #expect(told.messages == ["both"])
            }
        }
    }

    @Test func `a body comes whole and unpacked, or says why not`() async throws {
        try await withEchoServer(router: EchoRouter.init) { _, server in
            let bytes = Array(repeating: UInt8(ascii: "x"), count: 3_000)
            let packed = try await Self.send(
                "POST", "/body", server.address, headers: ["content-encoding: gzip"],
                ContentCoding.gzip(bytes))
            #expect(packed.body == bytes)
            let broken = try await Self.send(
                "POST", "/body", server.address, headers: ["content-encoding: gzip"], bytes)
            #expect(broken.text == "broken\n")
            let unknown = try await Self.send(
                "POST", "/body", server.address, headers: ["content-encoding: br"], bytes)
            #expect(unknown.text == "unknownCoding\n")
            let large = try await Self.send(
                "POST", "/body", server.address,
                [UInt8](
                    repeating: 1, count: ConnectionLimits.bodyByteCountMax + 1))
            #expect(large.text == "tooLarge\n")
        }
    }

    @Test func `a router says how large the bodies of its requests may be`() async throws {
        try await withEchoServer(router: EchoRouter.init) { _, server in
            let small = try await Self.send("POST", "/small", server.address, [1, 2, 3, 4, 5])
            #expect(small.body == [1, 2, 3, 4, 5])
            let large = try await Self.send(
                "POST", "/small", server.address, [1, 2, 3, 4, 5, 6])
            #expect(large.text == "tooLarge\n")
            let packed = try await Self.send(
                "POST", "/small", server.address, headers: ["content-encoding: gzip"],
                ContentCoding.gzip(Array(repeating: 1, count: 6)))
            #expect(packed.text == "tooLarge\n")
        }
    }

    @Test func `an answer that goes on hears at once that the client has ended`() async throws {
        try await withEchoServer(router: EchoRouter.init) { _, server in
            let bytes = try await server.exchange(
                Array("GET /stream HTTP/1.1\r\nhost: x\r\n\r\n".utf8))
            let text = String(decoding: bytes, as: UTF8.self)
            #expect(text.hasSuffix("4\r\nbye\n\r\n0\r\n\r\n"))
            #expect(text.contains("2\r\n2\n"))
        }
    }

    @Test func `a connection becomes a WebSocket for the path that is one`() async throws {
        try await withEchoServer(router: EchoRouter.init) { _, server in
            let address = server.address
            let (head, frames) = try await Task.detached {
                let socket = try HTTPConnection(to: address)
                let head = try socket.begin("GET", "/.ws", headers: Self.upgradeHeaders)
                return (head, try socket.exchange(Self.frames("hello")))
            }.value
            #expect(head.status == 101)
            #expect(head.headers["sec-websocket-accept"] == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
            #expect(frames == [0x81, 5] + Array("hello".utf8))
        }
    }

    @Test func `a WebSocket for any other path is a request like any other`() async throws {
        try await withEchoServer(router: EchoRouter.init) { _, server in
            let answer = try await Self.send(
                "GET", "/text", server.address, headers: Self.upgradeHeaders)
            #expect(answer.status == 200)
            #expect(answer.text == "hello\n")
        }
    }

    @Test func `an open WebSocket ends when the server stops`() async throws {
        try await withEchoServer(router: EchoRouter.init) { _, server in
            let address = server.address
            let opened = AsyncStream.makeStream(of: Int.self)
            let socket = Task.detached {
                let socket = try HTTPConnection(to: address)
                let head = try socket.begin("GET", "/.ws", headers: Self.upgradeHeaders)
                opened.continuation.yield(head.status)
                return try socket.exchange([])
            }
            var statuses = opened.stream.makeAsyncIterator()
            #expect(await statuses.next() == 101)
            await server.stop()
            let rest = try await socket.value
            #expect(rest == [])
        }
    }

    @Test func `a server without a router closes connections of HTTP 1`() async throws {
        try await withEchoServer { _, server in
            let bytes = try await server.exchange(Array("GET / HTTP/1.1\r\n\r\n".utf8))
            #expect(bytes == [])
        }
    }
}
