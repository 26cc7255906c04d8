import Logging
import NIOCore
import NIOHTTP1

/// One HTTP/1.1 connection: whole requests to the router, one after the other. For one event loop.
///
/// A client may send requests before it has read the answers to earlier ones. The pipeline in front of the connection
/// holds them back until the end of the answer under way, and the connection keeps that end back until the client
/// has read most of the answer. So a client that reads nothing costs one answer, however much it asks.
///
///     request --> answer --> end, once the channel is writable --> next request, after a moment
final class HTTP1Connection: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    let eventLoop: any EventLoop
    private let router: any HTTPRouter
    private let registry: ConnectionRegistry
    private let bodies: HeldBodies
    private let pipelined: PipelinedRequests
    private let logger: Logger
    private var context: ChannelHandlerContext?

    /// The part of the next request that has come.
    private var head: HTTPRequestHead?
    private var body = ByteBuffer()
    private var bodyByteCountMax = 0
    private var isTooLarge = false
    /// The body's share of the bytes that the server holds; `nil` without a body.
    private var share: HeldBodies.Share?
    /// Whether the server has no room for the body now.
    private var isCrowded = false
    /// Whether the request was refused by its head; the connection passes over the rest and closes.
    private var isRefused = false
    /// The request that is being answered.
    private var exchange: HTTPExchange?
    /// The end of an answer that the client has yet to read; `nil` if none is kept back.
    private var keptEnd: AnswerEnd?
    /// Whether the end of an answer is being written, which lets the next request come.
    private var isEnding = false
    /// Whether a request of the current read was passed on to be answered.
    private var hasAnsweredInRead = false
    private var isStopping = false
    /// The client will ask for nothing more.
    private var isInputClosed = false
    /// Answers that are written and have not all left.
    private var leavingCount = 0

    /// The end of an answer.
    private struct AnswerEnd {
        /// Whether the client may send more requests.
        let isKeepAlive: Bool
    }

    /// A connection that has just shown itself to be HTTP/1.
    init(
        router: any HTTPRouter, registry: ConnectionRegistry, bodies: HeldBodies = HeldBodies(),
        pipelined: PipelinedRequests = PipelinedRequests(), logger: Logger,
        on eventLoop: any EventLoop
    ) {
        self.router = router
        self.registry = registry
        self.bodies = bodies
        self.pipelined = pipelined
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
        body = ByteBuffer()
        share = nil
        keptEnd = nil
        let exchange = exchange
        self.exchange = nil
        exchange?.lose()
        registry.remove(ObjectIdentifier(self))
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if isRefused { return }
        switch unwrapInboundIn(data) {
        case .head(let head): began(head.inOriginForm)
        case .body(let part): came(part)
        case .end:
            guard let head else { return }
            self.head = nil
            let body = body
            self.body = ByteBuffer()  // A connection that idles keeps no body.
            let exchange = HTTPExchange(
                head, body: isTooLarge ? nil : body, share, byteCountMax: bodyByteCountMax,
                on: self)
            share = nil
            self.exchange = exchange
            answerInTurn()
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        hasAnsweredInRead = false
        context.fireChannelReadComplete()
    }

    /// Has the request answered: at once, or after a moment if it came behind another.
    private func answerInTurn() {
        let isBehind = hasAnsweredInRead || isEnding
        hasAnsweredInRead = true
        guard isBehind else { return answer() }
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        pipelined.requests(on: eventLoop).wait { bound.value.answer() }
    }

    private func answer() {
        guard let exchange else { return }  // Race: the connection has ended in that moment.
        if isCrowded { exchange.send(.crowded) } else { router.answer(exchange) }
    }

    /// A part of the body has come.
    private func came(_ part: ByteBuffer) {
        if isTooLarge || isCrowded { return }
        isTooLarge = body.readableBytes + part.readableBytes > bodyByteCountMax
        if !isTooLarge {
            let share = share ?? HeldBodies.Share(of: bodies)
            self.share = share
            isCrowded = !share.take(part.readableBytes)
        }
        if isTooLarge || isCrowded {
            body = ByteBuffer()
            share = nil
        } else {
            body.writeImmutableBuffer(part)
        }
    }

    /// A request begins. Whoever waits for a word before sending the body is told one.
    private func began(_ head: HTTPRequestHead) {
        isTooLarge = false
        isCrowded = false
        bodyByteCountMax = router.bodyByteCountMax(for: head)
        switch head.expectation {
        case .none: self.head = head
        case .goAhead:
            guard head.contentLength ?? 0 <= bodyByteCountMax else {
                return refuse(head) { router.answer($0) }
            }
            self.head = head
            let word = HTTPResponseHead(version: head.version, status: .continue)
            context?.writeAndFlush(wrapOutboundOut(.head(word)), promise: nil)
        case .unknown(let name):
            refuse(head) { $0.send(.unknownExpectation(name)) }
        }
    }

    /// Answers a request whose body is not wanted, and closes the connection behind the answer.
    private func refuse(_ head: HTTPRequestHead, _ answer: (HTTPExchange) -> Void) {
        isRefused = true
        var head = head
        head.headers.replaceOrAdd(name: "connection", value: "close")
        let exchange = HTTPExchange(head, body: nil, byteCountMax: bodyByteCountMax, on: self)
        self.exchange = exchange
        answer(exchange)
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if isWritable {
            exchange?.stream?.becameWritable()
            writeKeptEnd()
        }
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
        if let error = error as? HTTPParserError { tell(error, context) }
        context.close(promise: nil)
    }

    /// Tells the client what is wrong with its request, unless an answer is under way.
    private func tell(_ error: HTTPParserError, _ context: ChannelHandlerContext) {
        if exchange != nil || keptEnd != nil || isRefused { return }
        isRefused = true
        head = nil
        body = ByteBuffer()
        share = nil
        let reply = HTTPReply(error)
        var answer = HTTPResponseHead(
            version: .http1_1, status: HTTPResponseStatus(statusCode: reply.status))
        answer.headers = reply.headers
        if let type = reply.contentType { answer.headers.add(name: "content-type", value: type) }
        answer.headers.add(name: "content-length", value: "\(reply.body.count)")
        answer.headers.add(name: "connection", value: "close")
        context.write(wrapOutboundOut(.head(answer)), promise: nil)
        let text = ByteBuffer(bytes: reply.body)
        context.write(wrapOutboundOut(.body(.byteBuffer(text))), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
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
        guard exchange == nil, keptEnd == nil, leavingCount == 0 else { return }
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
        keptEnd = AnswerEnd(isKeepAlive: exchange.head.isKeepAlive)
        // The channel becomes writable only by what it is let send.
        if !isWritable { context.flush() }
        writeKeptEnd()
    }

    /// Writes the end of an answer if the client has read so much that the next request may come.
    private func writeKeptEnd() {
        guard let context, let end = keptEnd, isWritable else { return }
        keptEnd = nil
        let closes = isStopping || !end.isKeepAlive
        leavingCount += 1
        isEnding = true
        let written = context.writeAndFlush(wrapOutboundOut(.end(nil)))
        isEnding = false
        written.assumeIsolated().whenComplete { [self] _ in
            leavingCount -= 1
            if closes { close() } else { closeIfDone() }
        }
    }

    func close() {
        context?.close(promise: nil)
    }
}
