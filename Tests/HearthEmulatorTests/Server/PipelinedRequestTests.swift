import HearthTestSupport
import Testing

/// Clients that ask again before they have read the last answer, of both databases.
@Suite(.timeLimit(.minutes(1)))
struct PipelinedRequestTests {
    private static let readCount = 10
    private static let text = String(repeating: "x", count: 400_000)

    private static func request(_ method: String, _ target: String, _ body: String = "") -> String {
        "\(method) \(target) HTTP/1.1\r\nhost: localhost\r\n"
            + "content-length: \(body.utf8.count)\r\n\r\n\(body)"
    }

    /// Sends one request on a connection of its own, and returns the answer's status.
    private static func status(
        _ method: String, _ target: String, _ body: String = "", at address: String
    ) async throws -> Int {
        try await Task.detached {
            try HTTPConnection(to: address).send(method, target, body: body).status
        }.value
    }

    /// Sends many reads of something long and a write behind them on one connection.
    ///
    /// - Parameters:
    ///   - unread: Called when answers have begun to come and only one byte of them was read.
    /// - Returns: All answers.
    private static func pipeline(
        _ reads: String, _ write: String, at address: String,
        unread: @escaping @Sendable () async throws -> Void
    ) async throws -> String {
        try await Task.detached {
            let client = try HTTPConnection(to: address)
            let all = String(repeating: reads, count: readCount) + write
            try client.write(Array(all.utf8))
            let first = try client.read(1)
            try await unread()
            return String(decoding: first + (try client.exchange([])), as: UTF8.self)
        }.value
    }

    @Test func `reads of the Realtime Database wait for their client`() async throws {
        try await withEmulator { _, address in
            let client = RealtimeClient(address: address)
            _ = try await client.text("PUT", "/long", ["print=silent"], "\"\(Self.text)\"")
            let answers = try await Self.pipeline(
                Self.request("GET", "/long.json?ns=demo"),
                Self.request("PUT", "/mark.json?ns=demo", "1"), at: address
            ) {
                // Connections go to the two event loops in turn: after these two, each loop has looked at its sockets.
                for _ in 0..<2 { _ = try await client.text("GET", "/other") }
                #expect(try await client.text("GET", "/mark") == "null")
            }
            #expect(answers.ranges(of: "HTTP/1.1 200 OK").count == Self.readCount + 1)
            #expect(try await client.text("GET", "/mark") == "1")
        }
    }

    @Test func `reads of Firestore wait for their client`() async throws {
        try await withEmulator { _, address in
            let root = "/v1/\(RawClient.database)/documents"
            let body = #"{"fields":{"text":{"stringValue":"\#(Self.text)"}}}"#
            #expect(try await Self.status("PATCH", "\(root)/c/long", body, at: address) == 200)
            let answers = try await Self.pipeline(
                Self.request("GET", "\(root)/c/long"),
                Self.request("PATCH", "\(root)/c/mark", #"{"fields":{}}"#), at: address
            ) {
                for _ in 0..<2 {
                    _ = try await Self.status("GET", "\(root)/c/other", at: address)
                }
                #expect(try await Self.status("GET", "\(root)/c/mark", at: address) == 404)
            }
            #expect(answers.ranges(of: "HTTP/1.1 200 OK").count == Self.readCount + 1)
            #expect(try await Self.status("GET", "\(root)/c/mark", at: address) == 200)
        }
    }
}
