import HearthTestSupport
import Logging
import NIOCore
import NIOEmbedded
import Testing

@testable import HearthRPC

/// A request is answered wherever the network cuts its bytes: within the bytes that tell the protocols
/// apart, between head and body, within either.
struct ServedConnectionsTests {
    /// As Python's client sends a request: the head and the body are a segment each.
    private static let request: [UInt8] = Array(
        """
        PATCH /body HTTP/1.1\r
        Host: 127.0.0.1:8080\r
        Accept-Encoding: identity\r
        Content-Length: 13\r
        Authorization: Bearer owner\r
        Content-Type: application/json\r
        \r
        {"fields":{}}
        """.utf8)
    private static let call =
        RawFrames.greeting + RawFrames.call("/echo.Echo/Say", Array("hello".utf8))

    /// What a fresh connection answers to bytes that come in parts.
    ///
    /// - Parameter isEnding: Whether the client ends its side behind them.
    private func answer(
        to bytes: [UInt8], cutAt cuts: [Int], isEnding: Bool = false
    ) throws -> [UInt8] {
        let channel = EmbeddedChannel()
        let registry = ConnectionRegistry()
        try ServedConnections(
            service: EchoService(), router: EchoRouter(registry: registry), registry: registry,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        ).serve(channel)
        try channel.connect(to: SocketAddress(unixDomainSocketPath: "/echo")).wait()
        var rest = bytes[...]
        for cut in cuts.sorted() + [bytes.count] where cut > rest.startIndex {
            try channel.writeInbound(ByteBuffer(bytes: rest[..<cut]))
            rest = rest[cut...]
        }
        if isEnding { channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed) }
        channel.embeddedEventLoop.run()
        var answer: [UInt8] = []
        while let part = try channel.readOutbound(as: IOData.self) {
            if case .byteBuffer(let buffer) = part { answer += buffer.readableBytesView }
        }
        #expect(channel.isActive == !isEnding, "\(cuts)")
        _ = try channel.finish(acceptAlreadyClosed: true)
        return answer
    }

    private func isAnswered(_ answer: [UInt8]) -> Bool {
        let text = String(decoding: answer, as: UTF8.self)
        return text.hasPrefix("HTTP/1.1 200 OK\r\n") && text.hasSuffix("\r\n\r\n{\"fields\":{}}")
    }

    @Test(arguments: [false, true])
    func `a request of HTTP 1 is answered wherever it is cut once`(isEnding: Bool) throws {
        for cut in Self.request.indices {
            let answer = try answer(to: Self.request, cutAt: [cut], isEnding: isEnding)
            #expect(isAnswered(answer), "\(cut): \(String(decoding: answer, as: UTF8.self))")
        }
    }

    @Test func `a request of HTTP 1 is answered wherever it is cut again and again`() throws {
        #expect(isAnswered(try answer(to: Self.request, cutAt: Array(Self.request.indices))))
        for _ in 0..<300 {
            let cuts = (0..<Int.random(in: 2...8)).map { _ in
                Int.random(in: Self.request.indices)
            }
            #expect(isAnswered(try answer(to: Self.request, cutAt: cuts)), "\(cuts)")
        }
    }

    @Test func `a call is answered wherever it is cut`() throws {
        for cut in Self.call.indices {
            let frames = RawFrames.frames(try answer(to: Self.call, cutAt: [cut]))
            let data = frames.first { $0.type == 0 }
            #expect(data?.payload.dropFirst(5) == Array("hello".utf8)[...], "\(cut)")
        }
    }
}
