import NIOCore

/// Tells at once that a client will send no more; an HTTP pipeline tells it only once the answers that
/// are due have left, and some go on for hours.
final class InputEndHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let ended: () -> Void

    /// Calls `ended` once, on the channel's loop.
    init(ended: @escaping () -> Void) {
        self.ended = ended
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event as? ChannelEvent == .inputClosed { ended() }
        context.fireUserInboundEventTriggered(event)
    }
}
