import Logging
import NIOCore
import NIOHTTP1

/// One HTTP/1.1 connection: whole requests to the router, one after the other. For one event loop.
final class HTTP1Connection: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    let eventLoop: any EventLoop
    private let router: any HTTPRouter
    private let registry: ConnectionRegistry
    private let logger: Logger
    private var context: ChannelHandlerContext?

    /// The part of the next request that has come.
    private var head: HTTPRequestHead?
    private var body = ByteBuffer()
    private var bodyByteCountMax = 0
    private var isTooLarge = false
    /// The request that is being answered.
    private var exchange: HTTPExchange?
    private var isStopping = false
    /// The client will ask for nothing more.
    private var isInputClosed = false
    /// Answers that are written and have not all left.
    private var leavingCount = 0

    /// A connection that has just shown itself to be HTTP/1.
    init(
        router: any HTTPRouter, registry: ConnectionRegistry, logger: Logger,
        on eventLoop: any EventLoop
    ) {
        self.router = router
        self.registry = registry
        self.logger = logger
        self.eventLoop = eventLoop
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        registry.add(ObjectIdentifier(self)) { [eventLoop] in
            eventLoop.execute { bound.value.stop() }
        }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        ended()
    }

    func channelInactive(context: ChannelHandlerContext) {
        ended()
        context.fireChannelInactive()
    }

    private func ended() {
        context = nil
        let exchange = exchange
        self.exchange = nil
        exchange?.lose()
        registry.remove(ObjectIdentifier(self))
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            self.head = head
            isTooLarge = false
            bodyByteCountMax = router.bodyByteCountMax(for: head)
        case .body(var part):
            if body.readableBytes + part.readableBytes > bodyByteCountMax {
                isTooLarge = true
                body = ByteBuffer()
            }
            if !isTooLarge { body.writeBuffer(&part) }
        case .end:
            guard let head else { return }
            self.head = nil
            let body = body
            self.body = ByteBuffer()  // A connection that idles keeps no body.
            let exchange = HTTPExchange(
                head, body: isTooLarge ? nil : body, byteCountMax: bodyByteCountMax, on: self)
            self.exchange = exchange
            router.answer(exchange)
        }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if isWritable { exchange?.stream?.becameWritable() }
        context.fireChannelWritabilityChanged()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event as? ChannelEvent == .inputClosed {
            isInputClosed = true
            closeIfDone()
        } else {
            context.fireUserInboundEventTriggered(event)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if error is RefusableUpgrader.Refusal { return }  // The request follows.
        logger.debug("connection error", metadata: ["error": "\(error)"])
        context.close(promise: nil)
    }

    /// Tells the answer under way that the client will send no more.
    ///
    /// The pipeline itself would tell so only after that answer.
    func inputEnded() {
        exchange?.stream?.inputEnded()
    }

    /// Closes the connection if the client's input has ended or the server stops.
    ///
    /// All answers must have left. A server that stops waits a moment for the rest of a request that has begun to
    /// come: whoever is in the middle of sending must not find the connection closed without an answer.
    private func closeIfDone() {
        guard exchange == nil, leavingCount == 0 else { return }
        if isInputClosed || isStopping && head == nil { close() }
    }

    private func stop() {
        isStopping = true
        closeIfDone()
        _ = eventLoop.assumeIsolated().scheduleTask(in: ConnectionLimits.drainTimeout) { [self] in
            close()
        }
    }
}

/// What the answer under way needs. Parts of an exchange that has ended are dropped.
extension HTTP1Connection {
    var isWritable: Bool { context?.channel.isWritable ?? false }

    var localAddress: SocketAddress? { context?.localAddress }

    func begin(_ head: HTTPResponseHead, of exchange: HTTPExchange) {
        var head = head
        if !exchange.head.isKeepAlive || isStopping {
            head.headers.add(name: "connection", value: "close")
        }
        write(.head(head), of: exchange)
    }

    func write(_ part: HTTPServerResponsePart, of exchange: HTTPExchange) {
        guard self.exchange === exchange else { return }
        context?.write(wrapOutboundOut(part), promise: nil)
    }

    func flush() {
        context?.flush()
    }

    func end(_ exchange: HTTPExchange) {
        guard self.exchange === exchange, let context else { return }
        self.exchange = nil
        let closes = isStopping || !exchange.head.isKeepAlive
        leavingCount += 1
        let written = context.writeAndFlush(wrapOutboundOut(.end(nil)))
        written.assumeIsolated().whenComplete { [self] _ in
            leavingCount -= 1
            if closes { close() } else { closeIfDone() }
        }
    }

    func close() {
        context?.close(promise: nil)
    }
}
