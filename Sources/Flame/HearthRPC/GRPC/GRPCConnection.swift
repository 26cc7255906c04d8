import HearthModel
import Logging
import NIOCore
import NIOHPACK
import NIOHTTP2

/// One HTTP/2 connection: frames in, calls out. For one event loop.
///
/// The handler works on the frames themselves, without a channel for each stream: a channel would
/// cost more than most calls do. The handler answers all frames of one read with one write.
final class GRPCConnection: FrameConnection {
    typealias InboundIn = HTTP2Frame
    typealias OutboundOut = HTTP2Frame

    let service: any CallService
    let faults: (any CallFaultSource)?
    let eventLoop: any EventLoop
    let allocator: ByteBufferAllocator

    private let registry: ConnectionRegistry
    private let errors: ConnectionErrors
    private let logger: Logger
    private(set) var context: ChannelHandlerContext?
    var flushing = Flushing()
    private var calls: [HTTP2StreamID: GRPCCall] = [:]
    private var lastStream = HTTP2StreamID.rootStream
    /// Bytes of requests that are not whole, and of the headers of calls under way.
    private var waitingByteCount = 0
    /// Bytes of messages that the client has not taken.
    private(set) var unreadByteCount = 0

    private var unwritten: [GRPCCall] = []
    private var begun: [GRPCCall] = []
    private var waking: [GRPCCall] = []

    private var drain = Drain.no
    private var isClosing = false
    private var keepalive: RepeatedTask?
    private var isQuiet = false

    /// How far a graceful end has come.
    private enum Drain {
        case no
        /// The client has been told; calls that it had begun may still arrive.
        case announced
        /// Calls that have not arrived by now will not be served.
        case final
    }

    /// A connection that has just shown itself to be HTTP/2.
    init(
        service: any CallService, faults: (any CallFaultSource)?, registry: ConnectionRegistry,
        errors: ConnectionErrors, logger: Logger, on channel: any Channel
    ) {
        self.service = service
        self.faults = faults
        self.registry = registry
        self.errors = errors
        self.logger = logger
        self.eventLoop = channel.eventLoop
        self.allocator = channel.allocator
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        put(
            .rootStream,
            .windowUpdate(
                windowSizeIncrement: ConnectionLimits.connectionWindowByteCount
                    - ConnectionLimits.defaultWindowByteCount))
        flush()
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        keepalive = eventLoop.scheduleRepeatedTask(
            initialDelay: ConnectionLimits.keepaliveInterval,
            delay: ConnectionLimits.keepaliveInterval
        ) { _ in bound.value.checkLife() }
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
        keepalive?.cancel()
        keepalive = nil
        self.context = nil
        let calls = calls.values
        self.calls = [:]
        for call in calls { call.streamClosed() }
        unwritten = []
        begun = []
        waking = []
        registry.remove(ObjectIdentifier(self))
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        flushing.isReading = true
        isQuiet = false
        let frame = unwrapInboundIn(data)
        switch frame.payload {
        case .headers(let headers):
            received(headers, on: frame.streamID)
        case .data(let data):
            guard case .byteBuffer(let bytes) = data.data, let call = calls[frame.streamID] else {
                return
            }
            call.received(bytes, isLast: data.endStream)
            if call.waitingByteCount > 0,
                let refusal = service.refusal(ofUnfinished: waitingByteCount)
            {
                call.finish(refusal)
            }
        case .ping(_, ack: true):
            if case .announced = drain { drainFinally() }
        case .ping, .priority, .rstStream, .settings, .pushPromise, .goAway, .windowUpdate,
            .alternativeService, .origin:
            break  // The handler below has done what there is to do.
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        flushing.isReading = false
        for call in begun { call.startClock() }
        begun.removeAll(keepingCapacity: true)
        flush()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case let event as NIOHTTP2WindowUpdatedEvent:
            guard let left = event.inboundWindowSize else { return }
            if event.streamID == .rootStream {
                let owed = ConnectionLimits.connectionWindowByteCount - left
                guard owed > ConnectionLimits.connectionWindowByteCount / 2 else { return }
                put(.rootStream, .windowUpdate(windowSizeIncrement: owed))
                scheduleFlush()
            } else {
                let owed = ConnectionLimits.streamWindowByteCount - left
                guard owed > ConnectionLimits.streamWindowByteCount / 2 else { return }
                calls[event.streamID]?.owesWindow(owed)
            }
        case let event as StreamClosedEvent:
            guard let call = calls.removeValue(forKey: event.streamID) else { return }
            call.streamClosed()
            closeIfDrained()
        case ChannelEvent.inputClosed:
            inputClosed()
        default:
            context.fireUserInboundEventTriggered(event)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        logger.debug("connection error", metadata: ["error": "\(error)"])
        // For an error of a stream, the handler below has reset the stream already. For an error of
        // the connection, the handler below has sent GOAWAY.
        if errors.areFatal || !(error is any NIOHTTP2Error) { context.close(promise: nil) }
    }

    private func received(_ headers: HTTP2Frame.FramePayload.Headers, on id: HTTP2StreamID) {
        let head = GRPCRequestHead(headers.headers)
        if let call = calls[id] {
            call.received(head, isLast: headers.endStream)
            return
        }
        lastStream = max(lastStream, id)
        guard head.isGRPC else {
            put(id, .headers(.init(headers: GRPCHeaders.notGRPC, endStream: true)))
            if !headers.endStream { reset(id) }
            scheduleFlush()
            return
        }
        let call = GRPCCall(id: id, on: self)
        calls[id] = call
        if head.timeout != nil { begun.append(call) }
        call.received(head, isLast: headers.endStream)
    }
}

/// Writing.
extension GRPCConnection {
    /// Writes messages that count until the client has taken them; then `sent` is called.
    ///
    /// If the stream is over, the write fails at once, and the stream's end is told by an event. To
    /// send more then would fail likewise, one write inside the other.
    func write(_ bytes: ByteBuffer, on id: HTTP2StreamID, sent: @escaping () -> Void) {
        let byteCount = bytes.readableBytes
        let promise = eventLoop.makePromise(of: Void.self)
        promise.futureResult.assumeIsolated().whenComplete { [self] result in
            count(unread: -byteCount)
            if case .success = result { sent() }
        }
        put(id, .data(.init(data: .byteBuffer(bytes))), promise: promise)
        count(unread: byteCount)
    }

    /// Counts what a call has of a request that is not whole, and of an answer after its end.
    func count(_ call: GRPCCall) {
        let held = call.heldSinceCounted()
        count(unfinished: held.unfinished, unread: held.unread)
    }

    private func count(unfinished: Int = 0, unread: Int) {
        guard unfinished != 0 || unread != 0 else { return }
        waitingByteCount += unfinished
        unreadByteCount += unread
        service.holds(unfinished: waitingByteCount, unread: unreadByteCount)
    }

    /// Notes that a call has something to send.
    ///
    /// The flush comes once the current read or task is done.
    func mustFlush(_ call: GRPCCall) {
        if !call.isFinished { unwritten.append(call) }
        scheduleFlush()
    }

    /// Notes that a call wishes to send.
    ///
    /// The connection asks the call for its messages before the next flush.
    func sendSoon(_ call: GRPCCall) {
        waking.append(call)
        scheduleFlush()
    }

    /// Ends a stream whose client still sends.
    func reset(_ id: HTTP2StreamID) {
        put(id, .rstStream(.noError))
        scheduleFlush()
    }

    /// Lets the calls write what they have.
    func writeWaiting() {
        while !waking.isEmpty {
            let calls = waking
            waking.removeAll(keepingCapacity: true)
            for call in calls { call.sendNow() }
        }
        while !unwritten.isEmpty {
            let calls = unwritten
            unwritten.removeAll(keepingCapacity: true)
            for call in calls where !call.isFinished { call.writeOutgoing() }
        }
    }
}

/// Beginning and end.
extension GRPCConnection {
    /// Ends well: tells the client, answers the calls under way, then closes the connection.
    func stop() {
        _ = schedule(in: ConnectionLimits.drainTimeout) { [self] in
            context?.close(promise: nil)
        }
        guard case .no = drain else { return }  // A client that has half-closed is ending already.
        drain = .announced
        put(
            .rootStream, .goAway(lastStreamID: .maxID, errorCode: .noError, opaqueData: nil))
        // Calls that are on the way arrive before the answer to this ping.
        put(.rootStream, .ping(HTTP2PingData(withInteger: 1), ack: false))
        scheduleFlush()
        _ = schedule(in: ConnectionLimits.drainPingTimeout) { [self] in
            if case .announced = drain { drainFinally() }
        }
    }

    private func drainFinally() {
        drain = .final
        put(
            .rootStream, .goAway(lastStreamID: lastStream, errorCode: .noError, opaqueData: nil))
        for call in Array(calls.values) { call.stop() }
        scheduleFlush()
        closeIfDrained()
    }

    /// Answers the requests that came before the client's end, then closes the connection.
    ///
    /// A client that was killed looks the same as a client that is done, so the listeners of both
    /// end here.
    private func inputClosed() {
        drain = .final
        flushing.isReading = false
        for call in Array(calls.values) { call.inputClosed() }
        scheduleFlush()
        closeIfDrained()
    }

    private func closeIfDrained() {
        guard case .final = drain, calls.isEmpty, !isClosing else { return }
        isClosing = true
        // This frame is written behind all answers, so the answers have left when the frame has.
        let left = eventLoop.makePromise(of: Void.self)
        left.futureResult.assumeIsolated().whenComplete { [self] _ in context?.close(promise: nil) }
        put(
            .rootStream, .goAway(lastStreamID: lastStream, errorCode: .noError, opaqueData: nil),
            promise: left)
        scheduleFlush()
    }

    /// Pings the client, or closes the connection if nothing came since the last ping.
    private func checkLife() {
        if isQuiet {
            context?.close(promise: nil)
            return
        }
        isQuiet = true
        put(.rootStream, .ping(HTTP2PingData(withInteger: 2), ack: false))
        scheduleFlush()
    }
}

/// The errors of one connection as a whole.
final class ConnectionErrors: NIOHTTP2FrameDelegate {
    /// Whether the client was sent GOAWAY with an error.
    private(set) var areFatal = false

    func wroteFrame(_ frame: HTTP2Frame) {
        if case .goAway(_, let code, _) = frame.payload, code != .noError { areFatal = true }
    }
}
