import HearthTestSupport
import Logging
import NIOCore
import NIOEmbedded
import NIOHTTP1
import Synchronization
import Testing

@testable import HearthRPC

/// A client of HTTP/1.1 that asks again before it has read the last answer.
@Suite(.timeLimit(.minutes(1)))
struct PipelinedRequestTests {
    /// Answers every request at once, and counts the answers.
    private final class CountingRouter: HTTPRouter {
        let count = Atomic(0)
        private let byteCount: Int

        init(byteCount: Int) {
            self.byteCount = byteCount
        }

        var answerCount: Int { count.load(ordering: .sequentiallyConsistent) }

        func answer(_ exchange: HTTPExchange) {
            count.add(1, ordering: .sequentiallyConsistent)
            exchange.send(.json([UInt8](repeating: UInt8(ascii: " "), count: byteCount)))
        }

        func upgraders() -> [any HTTPServerProtocolUpgrader] { [] }
    }

    /// A connection without a network, and its router.
    private struct Bench {
        let router = CountingRouter(byteCount: 1)
        let channel = EmbeddedChannel()

        init() throws {
            try ServedConnections(
                service: EchoService(), router: router, registry: ConnectionRegistry(),
                logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            ).serve(channel)
            try channel.connect(to: SocketAddress(unixDomainSocketPath: "/nobody")).wait()
        }

        func send(_ count: Int) throws {
            try channel.writeInbound(
                ByteBuffer(bytes: PipelinedRequestTests.requests(count)))
        }

        /// Says whether the client reads.
        func setWritable(_ isWritable: Bool) {
            channel.isWritable = isWritable
            channel.pipeline.fireChannelWritabilityChanged()
        }

        func passMoment() {
            channel.embeddedEventLoop.advanceTime(by: ConnectionLimits.pipelinedMoment)
        }

        /// How many answers have been written from their beginning to their end.
        func written() throws -> Int {
            var bytes: [UInt8] = []
            while let part = try channel.readOutbound(as: IOData.self) {
                if case .byteBuffer(let buffer) = part { bytes += buffer.readableBytesView }
            }
            return String(decoding: bytes, as: UTF8.self).ranges(of: "HTTP/1.1 200 OK").count
        }
    }

    private static func requests(_ count: Int) -> [UInt8] {
        Array(String(repeating: "GET / HTTP/1.1\r\nhost: x\r\n\r\n", count: count).utf8)
    }

    @Test func `a request waits until the last answer has been read`() throws {
        let bench = try Bench()
        bench.setWritable(false)
        try bench.send(3)
        for _ in 0..<10 { bench.passMoment() }
        #expect(bench.router.answerCount == 1)
        // The client reads that answer, and nothing more.
        bench.setWritable(true)
        bench.setWritable(false)
        for _ in 0..<10 { bench.passMoment() }
        #expect(bench.router.answerCount == 2)
        bench.setWritable(true)
        bench.passMoment()
        #expect(bench.router.answerCount == 3)
        #expect(try bench.written() == 3)
    }

    @Test func `the loop may look at its sockets between two answers`() throws {
        let bench = try Bench()
        try bench.send(20)
        for count in 1...20 {
            bench.channel.embeddedEventLoop.run()
            #expect(bench.router.answerCount == count)
            bench.passMoment()
        }
        #expect(try bench.written() == 20)
        try bench.send(1)
        #expect(bench.router.answerCount == 21, "nothing was before it")
    }

    @Test func `requests of a connection that is gone are not answered`() throws {
        let bench = try Bench()
        try bench.send(3)
        try bench.channel.close().wait()
        for _ in 0..<10 { bench.passMoment() }
        #expect(bench.router.answerCount == 1)
    }

    @Test func `an answer that is not read yet still ends when the client has ended`() throws {
        let bench = try Bench()
        bench.setWritable(false)
        try bench.send(1)
        bench.channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        bench.passMoment()
        #expect(bench.channel.isActive)
        bench.setWritable(true)
        #expect(try bench.written() == 1)
        #expect(!bench.channel.isActive)
    }

    @Test func `requests of several connections take turns`() throws {
        let loop = EmbeddedEventLoop()
        let requests = PipelinedRequests().requests(on: loop)
        let answered = Mutex<[Int]>([])
        for number in 1...3 {
            requests.wait { answered.withLock { $0.append(number) } }
        }
        for count in 1...3 {
            loop.advanceTime(by: ConnectionLimits.pipelinedMoment)
            #expect(answered.withLock { $0 } == Array(1...count))
        }
    }

    @Test func `a client that reads nothing and leaves costs few answers`() async throws {
        let router = CountingRouter(byteCount: 1 << 20)
        try await withEchoServer(router: { _ in router }) { _, server in
            let address = server.address
            try await Task.detached {
                let client = try HTTPConnection(to: address)
                try client.write(Self.requests(200))
                // The first bytes of an answer, so that the requests have come.
                _ = try client.read(1)
            }.value
            await server.stop()
            #expect(router.answerCount <= 2)
        }
    }
}
