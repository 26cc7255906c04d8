import NIOCore
import NIOPosix

/// Accepts more slowly while many of those who come are turned away at the doorstep.
///
/// To accept a connection and to turn it away costs about as much as to connect, so programs that
/// connect again at once would take the processor for nothing else. Those who come meanwhile wait
/// in the kernel, in their order. A handler of the listening channel, for its event loop.
final class AcceptPacer: ChannelInboundHandler {
    typealias InboundIn = any Channel

    /// The connections that are turned away in a window before the listener pauses.
    static let refusalCountMax = 20
    /// The length of a window, and of a pause at most.
    static let window = TimeAmount.milliseconds(10)

    private let doorstep: Doorstep
    private var windowEnd = NIODeadline.uptimeNanoseconds(0)
    private var countBefore = 0
    /// Whether nobody is accepted for a moment.
    private(set) var isPausing = false

    /// Paces a listener by what becomes of those who come to a doorstep.
    init(_ doorstep: Doorstep) {
        self.doorstep = doorstep
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        context.fireChannelReadComplete()
        let (now, count) = (context.eventLoop.now, doorstep.refusalCount)
        if now >= windowEnd {
            windowEnd = now + Self.window
            countBefore = count
        }
        guard count - countBefore >= Self.refusalCountMax, !isPausing else { return }
        isPausing = true
        setReading(false, context)
        _ = context.eventLoop.assumeIsolated().scheduleTask(deadline: windowEnd) { [self] in
            isPausing = false
            setReading(true, context)
        }
    }

    private func setReading(_ isReading: Bool, _ context: ChannelHandlerContext) {
        try? context.channel.syncOptions?.setOption(.autoRead, value: isReading)
        if isReading { context.read() }
    }
}

extension ServerBootstrap {
    /// Has the listener accept more slowly while many are turned away at a doorstep.
    func paced(by doorstep: Doorstep) -> ServerBootstrap {
        serverChannelInitializer { channel in
            channel.eventLoop.makeCompletedFuture {
                try channel.pipeline.syncOperations.addHandler(AcceptPacer(doorstep))
            }
        }
    }
}
