import Logging
import NIOCore
import NIOEmbedded
import NIOHTTP1
import Testing

@testable import HearthRPC

/// How a connection of HTTP/1.1 ends when the server stops.
struct HTTP1ConnectionTests {
    /// Answers every request at once.
    private struct Greeter: HTTPRouter {
        func answer(_ exchange: HTTPExchange) { exchange.send(.text("hello")) }

        func upgraders() -> [any HTTPServerProtocolUpgrader] { [] }
    }

    private let channel = EmbeddedChannel()
    private let registry = ConnectionRegistry()

    init() throws {
        let connection = HTTP1Connection(
            router: Greeter(), registry: registry,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            on: channel.eventLoop)
        try channel.pipeline.syncOperations.addHandler(connection)
        try channel.connect(to: SocketAddress(unixDomainSocketPath: "/nobody")).wait()
    }

    private func stopServer() {
        registry.stopAll {}
        channel.embeddedEventLoop.run()
    }

    private func receive(_ part: HTTPServerRequestPart) throws {
        try channel.writeInbound(part)
    }

    private let head = HTTPRequestHead(version: .http1_1, method: .PATCH, uri: "/rooms/hall")

    @Test func `a request that has begun to come is answered by a server that stops`() throws {
        try receive(.head(head))
        stopServer()
        #expect(channel.isActive)
        try receive(.body(ByteBuffer(string: "{}")))
        try receive(.end(nil))
        guard case .head(let answer)? = try channel.readOutbound(as: HTTPServerResponsePart.self)
        else {
            Issue.record("no answer")
            return
        }
        #expect(answer.status == .ok)
        #expect(answer.headers["connection"] == ["close"])
        #expect(!channel.isActive)
    }

    @Test func `a connection without a request closes when the server stops`() throws {
        try receive(.head(head))
        try receive(.end(nil))
        #expect(channel.isActive)
        stopServer()
        #expect(!channel.isActive)
    }

    @Test func `a request that does not come to its end is waited for a moment`() throws {
        try receive(.head(head))
        stopServer()
        channel.embeddedEventLoop.advanceTime(by: ConnectionLimits.drainTimeout)
        #expect(!channel.isActive)
    }
}
