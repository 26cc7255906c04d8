import NIOCore

/// Closes a connection on which nothing comes and nothing leaves for too long. For one event loop.
///
/// A stream of events leaves a line every `ConsoleLimits.keepAliveInterval`, so streams stay open.
final class SilenceHandler: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer

    private let timeMax: TimeAmount
    /// When something last came or left.
    private var last = NIODeadline.uptimeNanoseconds(0)
    private var check: Scheduled<Void>?

    /// A handler for a connection that was just accepted.
    init(timeMax: Duration) {
        self.timeMax = TimeAmount(timeMax)
    }

    func handlerAdded(context: ChannelHandlerContext) {
        last = context.eventLoop.now
        wait(timeMax, context.channel)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        check?.cancel()
    }

    func channelInactive(context: ChannelHandlerContext) {
        check?.cancel()
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        last = context.eventLoop.now
        context.fireChannelRead(data)
    }

    func write(
        context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?
    ) {
        last = context.eventLoop.now
        context.write(data, promise: promise)
    }

    /// Looks at the silence after some time, and again when the silence could be too long.
    private func wait(_ time: TimeAmount, _ channel: any Channel) {
        check = channel.eventLoop.assumeIsolated().scheduleTask(in: time) { [self] in
            let silence = channel.eventLoop.now - last
            if silence >= timeMax {
                channel.close(promise: nil)
            } else {
                wait(timeMax - silence, channel)
            }
        }
    }
}
