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

    /// The tree, host and old session in a connection's address.
    struct Place {
        let namespace: RealtimeNamespace
        /// The host in the client's request. The server tells the client to keep using that host.
        let host: String
        /// The client's old session, which this connection ends; `nil` for none.
        let lastSession: String?
    }

    let service: RealtimeService
    private let place: Place
    private let sessions: RealtimeSessions
    private var joiner = FrameJoiner(byteCountMax: RealtimeLimits.wireWriteByteCountMax)
    private var session: String?
    private var watch: RepeatedTask?
    private var isQuiet = false
    /// What came while a fault holds the client's requests up, in order; `nil` if none does.
    private var held: [RealtimeClientMessage]?

    private(set) var context: ChannelHandlerContext?
    /// The way out of all frames.
    private(set) var writer: DirectWriter?
    private(set) var id: RealtimeConnectionID?
    private(set) var outbox: RealtimeOutbox?
    /// The faults of the connection itself.
    var faults: RealtimeFaults?
    /// Whether changes for many go past the outbox, right into the socket.
    var isReady = false
    /// Whether a fault lets the next message wait.
    var isResting = false
    var tokenEnd: Scheduled<Void>?
    /// The requests whose answers a fault loses.
    var lostAnswers: Set<Int> = []

    /// A connection that has just become a WebSocket.
    init(_ place: Place, service: RealtimeService, sessions: RealtimeSessions) {
        self.place = place
        self.service = service
        self.sessions = sessions
    }

    var host: RealtimeHost { service.host }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        let encoder = try? context.pipeline.syncOperations.context(
            handlerType: WebSocketFrameEncoder.self)
        writer = DirectWriter(encoder ?? context) { [unowned self] in becameUnready() }
        let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
        let eventLoop = context.eventLoop
        service.registry.add(ObjectIdentifier(self)) {
            eventLoop.execute { bound.value.close() }
        }
        faults = service.faults.take(.connect)
        if faults?.call.refusal != nil { return close() }
        if let last = place.lastSession { sessions.end(last, of: place.namespace, at: host) }
        let wakes = service.wakes.wakes(of: eventLoop)
        let send: @Sendable () -> Void = { bound.value.sendMore() }
        let outbox = RealtimeOutbox(in: wakes) { wakes.wake(send) }
        self.outbox = outbox
        let id = host.open(outbox, in: place.namespace, by: .nobody)
        self.id = id
        wakes.join(
            id,
            RealtimeWakes.Loop.Member(outbox: outbox, sendMore: send) { bytes in
                bound.value.writer?.sendRest(bytes)
            })
        session = sessions.begin(id, of: place.namespace, outbox)
        let interval = TimeAmount(service.times.silence)
        watch = eventLoop.scheduleRepeatedTask(initialDelay: interval, delay: interval) { _ in
            bound.value.checkLife()
        }
        hold(for: faults?.call.delay ?? .zero) { $0.sayHello() }
    }

    private func sayHello() {
        guard let session else { return }
        let hello = RealtimeHello(
            time: host.clock.now.milliseconds, host: faults?.host ?? place.host, session: session)
        write(RealtimeCodec.encode(hello))
        writer?.flush()
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
        writer = nil
        watch?.cancel()
        tokenEnd?.cancel()
        service.registry.remove(ObjectIdentifier(self))
        if let session { sessions.forget(session) }
        if let id {
            outbox?.loop?.leave(id)
            host.close(id)
        }
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

    func close() {
        context?.close(promise: nil)
    }
}

/// Receiving.
extension RealtimeSocket {
    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        isQuiet = false
        let frame = unwrapInboundIn(data)
        switch frame.opcode {
        case .text: received(frame.unmaskedBytes)
        case .ping where faults?.isMute != true:
            writer?.write(TextFrames(.pong, frame.unmaskedData))
        case .connectionClose:
            writer?.write(TextFrames(.connectionClose, frame.unmaskedData))
            writer?.flush()
            close()
        default: break
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        writer?.flush()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        // While much waits to leave, the connection reads nothing: the client shows by its reading
        // that the client lives.
        isQuiet = false
        sendMore()
        context.fireChannelWritabilityChanged()
    }

    private func received(_ text: [UInt8]) {
        do throws(RealtimeCodecError) {
            guard let message = try joiner.take(text) else { return }
            received(try RealtimeCodec.decodeClient(message))
        } catch {
            close()  // Nothing that follows could be understood.
        }
    }

    private func received(_ message: RealtimeClientMessage) {
        guard held == nil else {
            held?.append(message)
            return
        }
        switch message {
        case .request(let request): take(request)
        case .refused(let number, let error):
            write(
                RealtimeAnswer(
                    number: number, status: .failure, body: .text(error.description)))
        case .ping:
            if faults?.isMute != true { write(RealtimeCodec.pong) }
        case .pong, .unknown: break
        }
    }

    /// Does something later, and what the client sends meanwhile after it.
    func hold(for delay: Duration, _ body: @escaping (RealtimeSocket) -> Void) {
        guard delay > .zero, let context else { return body(self) }
        held = []
        let bound = NIOLoopBound((self, body), eventLoop: context.eventLoop)
        context.eventLoop.scheduleTask(in: TimeAmount(delay)) {
            let (socket, body) = bound.value
            let messages = socket.held ?? []
            socket.held = nil
            body(socket)
            for message in messages { socket.received(message) }
            socket.writer?.flush()
        }
    }

    private func checkLife() {
        if isQuiet { return close() }
        isQuiet = true
    }
}

extension WebSocketFrame {
    /// What the frame carries, without its mask: one copy, where `unmaskedData` and an array are two.
    fileprivate var unmaskedBytes: [UInt8] {
        data.withUnsafeReadableBytes { masked in
            guard let maskKey else { return Array(masked) }
            let mask = (maskKey[0], maskKey[1], maskKey[2], maskKey[3])
            return withUnsafeBytes(of: mask) { mask in
                Array(unsafeUninitializedCapacity: masked.count) { bytes, count in
                    for place in 0..<masked.count {
                        bytes.initializeElement(at: place, to: masked[place] ^ mask[place & 3])
                    }
                    count = masked.count
                }
            }
        }
    }
}
