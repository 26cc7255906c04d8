import HearthTestSupport
import HearthWire
import NIOCore
import Testing

@testable import HearthGateway
@testable import HearthServer

/// A client's user pays for all that the event loop does for the client, not for reading alone.
@Suite(.timeLimit(.minutes(1)))
struct GatewayPacerTests {
    /// Uses the processor for longer than a user may at once.
    private static func work() {
        let end = ThreadClock.processorTime + LoopLimits.credit * 2
        while ThreadClock.processorTime < end {}
    }

    /// Has much to do at the end of each read, as calls that are given up have.
    private final class SlowEnd: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        func channelReadComplete(context: ChannelHandlerContext) {
            GatewayPacerTests.work()
            context.fireChannelReadComplete()
        }
    }

    /// Has much to do at each flush, as a socket has.
    private final class SlowFlush: ChannelOutboundHandler {
        typealias OutboundIn = ByteBuffer

        func flush(context: ChannelHandlerContext) {
            GatewayPacerTests.work()
            context.flush()
        }
    }

    /// What the user owes behind some work, beside another user of the loop.
    private func owed(
        behind body: @escaping @Sendable (any Channel) throws -> Void
    ) async throws -> TimeAmount {
        try await GatewayBench.run {
            $0.access = .open
        } _: { bench in
            try await bench.withConnection(as: Peer(uid: 60_006, gid: 60_006, pid: 1)) { bound in
                let channel = bound.channel
                return try await bound.run { connection in
                    _ = connection.parts.shares.charge(
                        .zero, to: 60_007, on: connection.eventLoop)
                    try body(channel)
                    return connection.owedPause
                }
            }
        }
    }

    @Test func `the end of a read has its price`() async throws {
        let pause = try await owed { channel in
            try channel.pipeline.syncOperations.addHandler(SlowEnd())
            channel.pipeline.fireChannelReadComplete()
        }
        #expect(pause > .zero)
    }

    @Test func `a flush has its price, whoever asks for it`() async throws {
        let pause = try await owed { channel in
            try channel.pipeline.syncOperations.addHandler(SlowFlush(), position: .first)
            channel.flush()
        }
        #expect(pause > .zero)
    }

    @Test func `who has nothing done owes nothing`() async throws {
        let pause = try await owed { _ in }
        #expect(pause == .zero)
    }

    @Test func `who has a right pays the plain price before the first call, too`() async throws {
        let rules = AccessPolicy(rules: [
            .init(name: "one", subject: .uid(60_006), rights: [.read])
        ])
        try await GatewayBench.run {
            $0.access = rules
        } _: { bench in
            for (uid, mayHoldRights) in [(UInt32(60_006), true), (60_007, false)] {
                let peer = Peer(uid: uid, gid: uid, pid: 1)
                let told = try await bench.withConnection(as: peer) { bound in
                    try await bound.run { $0.mayHoldRights }
                }
                #expect(told == mayHoldRights)
            }
        }
    }
}
