import NIOCore
import NIOHTTP1
import NIOWebSocket

@testable import HearthRPC

/// Two guests on one port: text by HTTP/1.1, and a WebSocket at `/.ws`.
///
///     GET  /text     a line
///     POST /body     the body again
///     POST /small    the same, of a few bytes
///     GET  /stream   lines without end, until the client reads no more
struct EchoRouter: HTTPRouter {
    let registry: ConnectionRegistry

    func answer(_ exchange: HTTPExchange) {
        exchange.commonHeaders = ["echo": "yes"]
        switch exchange.target?.segments {
        case ["text"]: exchange.send(.text("hello"))
        case ["body"], ["small"]:
            do throws(HTTPExchange.BodyFault) {
                exchange.send(
                    HTTPReply(
                        status: 200, contentType: "text/plain", body: try exchange.unpackedBody()))
            } catch {
                exchange.send(.text("\(error)", status: 400))
            }
        case ["stream"]: EchoLines(exchange).begin()
        default: exchange.send(.notFound)
        }
    }

    func bodyByteCountMax(for head: HTTPRequestHead) -> Int {
        head.uri == "/small" ? 5 : ConnectionLimits.bodyByteCountMax
    }

    func upgraders() -> [any HTTPServerProtocolUpgrader] {
        let registry = registry
        return [
            NIOWebSocketServerUpgrader(
                shouldUpgrade: { channel, head in
                    channel.eventLoop.makeSucceededFuture(head.uri == "/.ws" ? [:] : nil)
                },
                upgradePipelineHandler: { channel, _ in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandler(EchoSocket(registry))
                    }
                })
        ]
    }
}

/// Three lines, and then silence until the client has gone.
private final class EchoLines: HTTPStream {
    private let exchange: HTTPExchange

    init(_ exchange: HTTPExchange) {
        self.exchange = exchange
    }

    func begin() {
        exchange.begin(.ok, ["content-type": "text/plain"], self)
        for number in 0..<3 { exchange.write(ByteBuffer(string: "\(number)\n")) }
        exchange.flush()
    }

    func becameWritable() {}

    func inputEnded() {
        exchange.write(ByteBuffer(string: "bye\n"))
        exchange.end()
    }

    func closed() {}
}

/// Says each text again.
private final class EchoSocket: ChannelInboundHandler {
    typealias InboundIn = WebSocketFrame
    typealias OutboundOut = WebSocketFrame

    private let registry: ConnectionRegistry

    init(_ registry: ConnectionRegistry) {
        self.registry = registry
    }

    func handlerAdded(context: ChannelHandlerContext) {
        let channel = context.channel
        registry.add(ObjectIdentifier(self)) { channel.close(promise: nil) }
    }

    func channelInactive(context: ChannelHandlerContext) {
        registry.remove(ObjectIdentifier(self))
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = unwrapInboundIn(data)
        switch frame.opcode {
        case .text:
            let answer = WebSocketFrame(fin: true, opcode: .text, data: frame.unmaskedData)
            context.writeAndFlush(wrapOutboundOut(answer), promise: nil)
        case .connectionClose: context.close(promise: nil)
        default: break
        }
    }
}
