import HearthBackend
import HearthModel
import HearthProtocol
import HearthRPC
import NIOCore
import NIOWebSocket

/// One connection of the Realtime Database's protocol over a WebSocket. For one event loop.
///
///     frames > FrameJoiner > RealtimeCodec > RealtimeHost > RealtimeOutbox > RealtimeCodec > frames
final class RealtimeSocket: ChannelInboundHandler {
    typealias InboundIn = WebSocketFrame
    typealias OutboundOut = WebSocketFrame

    /// How often the socket checks for a silent client.
    ///
    /// Clients send at least `0` every 45 seconds, so a client that sent nothing between two checks
    /// is gone.
    private static let silenceInterval = TimeAmount.seconds(60)

    /// The tree, host and old session in a connection's address.
    struct Place {
        let namespace: RealtimeNamespace
        /// The host in the client's request. The server tells the client to keep using that host.
        let host: String
        /// The client's old session, which this connection ends; `nil` for none.
        let lastSession: String?
    }

    let host: RealtimeHost
    private let place: Place
    private let sessions: RealtimeSessions
    private let registry: ConnectionRegistry
    private var context: ChannelHandlerContext?
    private var joiner = FrameJoiner(byteCountMax: RealtimeLimits.wireWriteByteCountMax)
    private(set) var id: RealtimeConnectionID?
    private var outbox: RealtimeOutbox?
    private var unsent: ArraySlice<RealtimeOutbox.Message> = []
    private var session: String?
    private var watch: RepeatedTask?
    private var isQuiet = false
    /// Whether the pieces of one message are being written, between which no other frame may come.
    private var isWriting = false
    private var tokenEnd: Scheduled<Void>?
    /// The bodies of answers to requests that authenticate, by the requests' numbers.
    var identities: [Int: RealtimeBody] = [:]

    /// A connection that has just become a WebSocket.
    init(
        _ place: Place, host: RealtimeHost, sessions: RealtimeSessions,
        registry: ConnectionRegistry
    ) {
        self.place = place
        self.host = host
        self.sessions = sessions
        self.registry = registry
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
        let eventLoop = context.eventLoop
        registry.add(ObjectIdentifier(self)) {
            eventLoop.execute { bound.value.close() }
        }
        if let last = place.lastSession { sessions.end(last, of: place.namespace, at: host) }
        let outbox = RealtimeOutbox {
            eventLoop.execute { bound.value.sendMore() }
        }
        self.outbox = outbox
        let id = host.open(outbox, in: place.namespace, by: .nobody)
        self.id = id
        let session = sessions.begin(id, of: place.namespace, outbox)
        self.session = session
        watch = eventLoop.scheduleRepeatedTask(
            initialDelay: Self.silenceInterval, delay: Self.silenceInterval
        ) { _ in bound.value.checkLife() }
        let now = host.clock.now.milliseconds
        write(RealtimeCodec.encode(RealtimeHello(time: now, host: place.host, session: session)))
        context.flush()
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
        watch?.cancel()
        tokenEnd?.cancel()
        registry.remove(ObjectIdentifier(self))
        if let session { sessions.forget(session) }
        if let id { host.close(id) }
        id = nil
        session = nil
        outbox = nil
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        close()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        // A killed client closes its input too. Its writes for the end (`onDisconnect`) must not
        // wait any longer.
        if event as? ChannelEvent == .inputClosed { close() }
        context.fireUserInboundEventTriggered(event)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        isQuiet = false
        let frame = unwrapInboundIn(data)
        switch frame.opcode {
        case .text, .binary: received(frame.unmaskedData)
        case .ping:
            let pong = WebSocketFrame(fin: true, opcode: .pong, data: frame.unmaskedData)
            context.writeAndFlush(wrapOutboundOut(pong), promise: nil)
        case .connectionClose:
            let goodbye = WebSocketFrame(
                fin: true, opcode: .connectionClose, data: frame.unmaskedData)
            context.writeAndFlush(wrapOutboundOut(goodbye), promise: nil)
            close()
        default: break
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        context.flush()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        sendMore()
        context.fireChannelWritabilityChanged()
    }

    private func received(_ text: ByteBuffer) {
        do throws(RealtimeCodecError) {
            guard let message = try joiner.take(Array(text.readableBytesView)) else { return }
            switch try RealtimeCodec.decodeClient(message) {
            case .request(let request): take(request)
            case .refused(let number, let error):
                write(
                    RealtimeAnswer(
                        number: number, status: .failure, body: .text(error.description)))
            case .ping: write(RealtimeCodec.pong)
            case .pong, .unknown: break
            }
        } catch {
            close()  // Nothing that follows could be understood.
        }
    }

    private func checkLife() {
        if isQuiet { return close() }
        isQuiet = true
    }

    private func close() {
        context?.close(promise: nil)
    }
}

/// Sending.
extension RealtimeSocket {
    /// Writes an answer at once, before the messages that wait.
    func write(_ answer: RealtimeAnswer) {
        write(RealtimeCodec.encode(answer))
    }

    /// Tells the client when its token ends, and takes the token's rights then.
    ///
    /// - Parameter end: Seconds since 1970; `nil` for a token without an end.
    func awaitEnd(of end: Int64?) {
        tokenEnd?.cancel()
        tokenEnd = nil
        guard let context, let id, let end else { return }
        let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
        tokenEnd = context.eventLoop.scheduleTask(in: host.wait(until: end)) {
            bound.value.tokenEnded(id)
        }
    }

    private func tokenEnded(_ id: RealtimeConnectionID) {
        write(
            RealtimeCodec.encode(
                .authRevoked(.expiredToken, reason: "Auth token is expired.")))
        context?.flush()
        host.signOut(id)
    }

    private func write(_ message: [UInt8]) {
        guard let context else { return }
        // A write may tell that the channel can take more, which sends what waits.
        isWriting = true
        defer { isWriting = false }
        for piece in FrameSplitter.frames(of: message) {
            let frame = WebSocketFrame(
                fin: true, opcode: .text, data: context.channel.allocator.buffer(bytes: piece))
            context.write(wrapOutboundOut(frame), promise: nil)
        }
    }

    private func sendMore() {
        if isWriting { return }
        while let context, context.channel.isWritable {
            guard let message = unsent.popFirst() else {
                unsent = outbox?.take()[...] ?? []
                if unsent.isEmpty { break }
                continue
            }
            send(message)
        }
        context?.flush()
    }

    private func send(_ message: RealtimeOutbox.Message) {
        switch message {
        case .push(let change, let tag): write(change.message(tag: tag))
        case .revoke(let path, let query, _):
            // A default listen, which tells all whatever the order, has no query on the wire.
            write(RealtimeCodec.encode(.revoked(path, query.isComplete ? [] : [query])))
        case .answer(let answer, let number):
            write(
                RealtimeAnswer(
                    answer, number: number, identity: identities.removeValue(forKey: number)))
        case .lost: close()
        }
    }
}

extension RealtimeAnswer {
    /// The answer to a request of the backend.
    fileprivate init(
        _ answer: RealtimeBackend.Answer, number: Int, identity: RealtimeBody?
    ) {
        switch answer {
        case .done: self.init(number: number, body: identity ?? .none)
        case .listening(let warnings):
            self.init(number: number, body: .warnings(warnings.map(\.rawValue)))
        case .value(let node): self.init(number: number, body: .node(node))
        case .refused(let refusal):
            self.init(
                number: number, status: RealtimeStatus(refusal.status.rawValue),
                body: .text(refusal.reason))
        }
    }
}
