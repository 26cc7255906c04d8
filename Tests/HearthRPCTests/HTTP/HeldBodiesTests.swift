import Logging
import NIOCore
import NIOEmbedded
import NIOHTTP1
import Testing

@testable import HearthRPC

/// What the bodies of all connections may hold together.
struct HeldBodiesTests {
    /// Answers every request at once.
    private struct Greeter: HTTPRouter {
        func answer(_ exchange: HTTPExchange) { exchange.send(.text("hello")) }

        func upgraders() -> [any HTTPServerProtocolUpgrader] { [] }
    }

    private let bodies = HeldBodies(byteCountMax: 8)

    private func connection() throws -> EmbeddedChannel {
        let channel = EmbeddedChannel()
        let connection = HTTP1Connection(
            router: Greeter(), registry: ConnectionRegistry(), bodies: bodies,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            on: channel.eventLoop)
        try channel.pipeline.syncOperations.addHandler(connection)
        try channel.connect(to: SocketAddress(unixDomainSocketPath: "/nobody")).wait()
        return channel
    }

    /// Sends a request up to the end of its body.
    private func begin(_ body: String, on channel: EmbeddedChannel) throws {
        let head = HTTPRequestHead(version: .http1_1, method: .PUT, uri: "/")
        try channel.writeInbound(HTTPServerRequestPart.head(head))
        try channel.writeInbound(HTTPServerRequestPart.body(ByteBuffer(string: body)))
    }

    /// Ends the request, and returns the status of its answer.
    private func end(on channel: EmbeddedChannel) throws -> HTTPResponseStatus? {
        try channel.writeInbound(HTTPServerRequestPart.end(nil))
        var status: HTTPResponseStatus?
        while let part = try channel.readOutbound(as: HTTPServerResponsePart.self) {
            if case .head(let head) = part { status = head.status }
        }
        return status
    }

    @Test func `a body for which there is no room is refused, until others have gone`() throws {
        let (first, second) = (try connection(), try connection())
        try begin("12345", on: first)
        try begin("1234", on: second)
        #expect(try end(on: second) == .serviceUnavailable)
        try begin("123", on: second)
        #expect(try end(on: second) == .ok)
        #expect(try end(on: first) == .ok)
        try begin("12345678", on: second)
        #expect(try end(on: second) == .ok)
    }

    @Test func `the bytes of a connection that ends are free`() throws {
        let (first, second) = (try connection(), try connection())
        try begin("12345678", on: first)
        _ = try first.finish()
        try begin("12345678", on: second)
        #expect(try end(on: second) == .ok)
    }
}
