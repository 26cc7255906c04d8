import NIOCore
import NIOEmbedded
import Testing

@testable import HearthConsole

/// A silent connection gives its place back.
struct SilenceHandlerTests {
    private let loop = EmbeddedEventLoop()
    private let channel: EmbeddedChannel
    private let limit = TimeAmount(ConsoleLimits.silenceTimeMax)

    init() throws {
        channel = EmbeddedChannel(loop: loop)
        try channel.pipeline.syncOperations.addHandler(
            SilenceHandler(timeMax: ConsoleLimits.silenceTimeMax))
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 4_711)).wait()
    }

    @Test func `a connection on which nothing comes is closed at the limit, and not before`() {
        loop.advanceTime(by: limit - .nanoseconds(1))
        #expect(channel.isActive)
        loop.advanceTime(by: .nanoseconds(1))
        #expect(!channel.isActive)
    }

    @Test func `what comes and what leaves begin the time anew`() throws {
        loop.advanceTime(by: .seconds(60))
        try channel.writeInbound(ByteBuffer(string: "G"))
        loop.advanceTime(by: .seconds(60))
        try channel.writeOutbound(ByteBuffer(string: ": still here\n\n"))
        loop.advanceTime(by: limit - .nanoseconds(1))
        #expect(channel.isActive)
        loop.advanceTime(by: .nanoseconds(1))
        #expect(!channel.isActive)
    }

    @Test func `an answer and a stream of events may take less than the limit`() {
        #expect(ConsoleLimits.answerTimeout < ConsoleLimits.silenceTimeMax)
        #expect(ConsoleLimits.keepAliveInterval < ConsoleLimits.silenceTimeMax)
    }
}
