import NIOHTTP1
import Testing

@testable import HearthRPC

/// What a connection of HTTP/1.1 says itself: refusals with their reasons, and `100 Continue`.
@Suite(.timeLimit(.minutes(1)))
struct HTTPRefusalTests {
    /// Sends bytes as they are, and reads all that comes back.
    private static func answer(to text: String) async throws -> String {
        try await withEchoServer(router: EchoRouter.init) { _, server in
            String(decoding: try await server.exchange(Array(text.utf8)), as: UTF8.self)
        }
    }

    @Test(arguments: [
        ("content-length: 1\r\ncontent-length: 2\r\n\r\n12", "400", "tells its length twice"),
        ("content-length: 99999999999999999999\r\n\r\n1", "400", "Content-Length"),
        ("transfer-encoding: chunked\r\n\r\nxyz\r\n", "400", "A chunk of the body"),
    ])
    func `what is no request is refused with its reason`(
        _ rest: String, _ status: String, _ reason: String
    ) async throws {
        let answer = try await Self.answer(to: "POST /body HTTP/1.1\r\nhost: x\r\n\(rest)")
        #expect(answer.hasPrefix("HTTP/1.1 \(status) "))
        #expect(answer.contains(reason))
        #expect(answer.contains("connection: close\r\n"))
    }

    @Test func `a client that waits to send its body is told to go on`() async throws {
        let answer = try await Self.answer(
            to:
                "POST /body HTTP/1.1\r\nhost: x\r\nexpect: 100-Continue\r\ncontent-length: 2\r\n\r\nhi"
        )
        #expect(answer.hasPrefix("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n"))
        #expect(answer.hasSuffix("\r\n\r\nhi"))
    }

    @Test func `a body that will be too large is refused before the body comes`() async throws {
        let answer = try await Self.answer(
            to:
                "POST /small HTTP/1.1\r\nhost: x\r\nexpect: 100-continue\r\ncontent-length: 6\r\n\r\n"
        )
        #expect(answer.hasPrefix("HTTP/1.1 400 "))
        #expect(answer.hasSuffix("tooLarge\n"))
        #expect(answer.contains("connection: close\r\n"))
    }

    @Test func `a client that waits for something unknown is told so`() async throws {
        let answer = try await Self.answer(
            to: "POST /body HTTP/1.1\r\nhost: x\r\nexpect: 200-ok\r\ncontent-length: 2\r\n\r\nhi")
        #expect(answer.hasPrefix("HTTP/1.1 417 "))
        #expect(answer.contains("200-ok is not understood"))
    }

    @Test func `a first line may hold a whole URI`() async throws {
        let answer = try await Self.answer(
            to: "GET http://localhost:80/text HTTP/1.1\r\nhost: x\r\n\r\n")
        #expect(answer.hasSuffix("hello\n"))
    }

    @Test(arguments: [
        ("http://a.b:1/c?d=e", "/c?d=e", "a.b:1"), ("HTTPS://a?b", "/?b", "a"),
        ("http://a", "/", "a"), ("/http://a/b", "/http://a/b", "x"), ("*", "*", "x"),
    ])
    func `the host of a whole URI counts`(_ uri: String, _ path: String, _ host: String) {
        let head = HTTPRequestHead(
            version: .http1_1, method: .GET, uri: uri, headers: ["Host": "x"]
        ).inOriginForm
        #expect(head.uri == path)
        #expect(head.headers["host"] == [host])
    }

    @Test func `headers that are too large have a status of their own`() {
        let reply = HTTPReply(HTTPParserError.headerOverflow)
        #expect(reply.status == 431)
        #expect(String(decoding: reply.body, as: UTF8.self).contains("too large"))
    }
}
