import NIOCore
import NIOWebSocket

/// Ends a connection at the first frame that the protocol does not allow. For one event loop.
///
/// A client's frames have masks, so that no proxy takes what a web page wrote for a request, and no
/// bits of extensions that nobody agreed on: else the connection ends with 1002. The protocol is
/// text: binary data ends the connection with 1003.
final class RealtimeFrameGuard: ChannelInboundHandler {
    typealias InboundIn = WebSocketFrame
    typealias InboundOut = WebSocketFrame
    typealias OutboundOut = WebSocketFrame

    private var isOver = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if isOver { return }
        let frame = unwrapInboundIn(data)
        guard let fault = Self.fault(of: frame) else { return context.fireChannelRead(data) }
        isOver = true
        var reason = context.channel.allocator.buffer(capacity: 2)
        reason.write(webSocketErrorCode: fault)
        let goodbye = WebSocketFrame(fin: true, opcode: .connectionClose, data: reason)
        context.writeAndFlush(wrapOutboundOut(goodbye), promise: nil)
        context.close(promise: nil)
    }

    private static func fault(of frame: WebSocketFrame) -> WebSocketErrorCode? {
        if frame.maskKey == nil || frame.rsv1 || frame.rsv2 || frame.rsv3 { return .protocolError }
        return frame.opcode == .binary ? .unacceptableData : nil
    }
}
