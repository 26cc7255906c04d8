import NIOCore

/// Tells at once that a client will send no more.
///
/// An HTTP pipeline tells this only once the answers that are due have left, and some answers go on
/// for hours.
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
