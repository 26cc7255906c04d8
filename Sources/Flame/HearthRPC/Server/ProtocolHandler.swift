import NIOCore

/// Waits for a connection's first bytes, has the protocol's handlers added, and removes itself.
final class ProtocolHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let become: (ProtocolGuess, any Channel) throws -> Void
    private var bytes = ByteBuffer()
    private var timeout: Scheduled<Void>?
    private var isDone = false

    /// Calls `become` once the protocol is known, to add the protocol's handlers.
    init(become: @escaping (ProtocolGuess, any Channel) throws -> Void) {
        self.become = become
    }

    func handlerAdded(context: ChannelHandlerContext) {
        let channel = context.channel
        timeout = context.eventLoop.scheduleTask(in: ConnectionLimits.greetingTimeout) {
            channel.close(promise: nil)
        }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        timeout?.cancel()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if !isDone, event as? ChannelEvent == .inputClosed {
            context.close(promise: nil)  // The client will never show its protocol.
        } else {
            context.fireUserInboundEventTriggered(event)
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var data = unwrapInboundIn(data)
        if isDone {
            context.fireChannelRead(wrapInboundOut(data))
            return
        }
        bytes.writeBuffer(&data)
        let guess = ProtocolGuess(bytes.readableBytesView)
        if guess == .unknown { return }
        isDone = true
        do {
            try become(guess, context.channel)
        } catch {
            context.close(promise: nil)
            return
        }
        context.fireChannelRead(wrapInboundOut(bytes))
        bytes = ByteBuffer()
        context.fireChannelReadComplete()
        context.pipeline.syncOperations.removeHandler(self, promise: nil)
    }
}
