import HearthModel
import Logging
import NIOCore

/// One HTTP/2 connection: bytes in, calls out. For one event loop.
///
/// The machine `HTTP2Connection` reads and writes the frames; there is neither a channel nor a
/// promise for each stream. The handler answers all frames of one read with one write.
final class GRPCConnection: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    let service: any CallService
    let faults: (any CallFaultSource)?
    let eventLoop: any EventLoop
    /// Bytes of answers that the client may leave unread, as the service says.
    let unreadByteCountMax: Int

    private let registry: ConnectionRegistry
    private let logger: Logger
    private(set) var context: ChannelHandlerContext?
    var machine = HTTP2Connection()
    /// What came and was not read.
    private var unread = ByteBuffer()
    var calls: [StreamID: GRPCCall] = [:]
    var held = HeldBytes()
    /// The call that sent the last message.
    var lastSender = StreamID.connection

    private var begun: [GRPCCall] = []
    private var waking: [GRPCCall] = []
    private var isReading = false
    private var isFlushDue = false
    /// Whether a read waits until the client takes its answers.
    private var isReadDue = false

    var drain = Drain.no
    var isClosing = false
    private var keepalive: RepeatedTask?
    private var isQuiet = false

    /// How far a graceful end has come.
    enum Drain {
        case no
        /// The client has been told; calls that it had begun may still arrive.
        case announced
        /// Calls that have not arrived by now will not be served.
        case final
    }

    /// A connection that has just shown itself to be HTTP/2.
    init(
        service: any CallService, faults: (any CallFaultSource)?, registry: ConnectionRegistry,
        logger: Logger, on channel: any Channel
    ) {
        self.service = service
        self.faults = faults
        self.registry = registry
        self.logger = logger
        self.eventLoop = channel.eventLoop
        unreadByteCountMax = service.unreadByteCountMax
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
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
        context = nil
        let all = calls
        closeEndedCalls()  // The machine has forgotten their streams, and what waited in them.
        let open = calls
        calls = [:]
        for (id, call) in open {
            call.streamClosed(dropped: machine.waitingByteCount(of: id))
        }
        for departure in machine.takeDepartures() {
            all[departure.stream]?.left(departure.byteCount)
        }
        machine.lost()
        unread = ByteBuffer()
        tellHeld()
        begun = []
        waking = []
        registry.remove(ObjectIdentifier(self))
    }

    /// Reads no more while the client does not take its answers: each request would be answered,
    /// as would each ping.
    func read(context: ChannelHandlerContext) {
        if context.channel.isWritable { context.read() } else { isReadDue = true }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        let isWritable = context.channel.isWritable
        machine.socketChanged(isWritable: isWritable)
        if isWritable {
            isQuiet = false  // The client took what was there.
            scheduleFlush()
            if isReadDue {
                isReadDue = false
                context.read()
            }
        }
        context.fireChannelWritabilityChanged()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        isReading = true
        isQuiet = false
        let data = unwrapInboundIn(data)
        if unread.readableBytes == 0 { unread = data } else { unread.writeImmutableBuffer(data) }
        readFrames()
        // A part of a frame keeps no more than its own bytes.
        unread = unread.readableBytes == 0 ? ByteBuffer() : unread.compacted()
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        isReading = false
        for call in begun { call.startClock() }
        begun.removeAll(keepingCapacity: true)
        flush()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event as? ChannelEvent == .inputClosed {
            isReading = false
            inputClosed()
        } else {
            context.fireUserInboundEventTriggered(event)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        logger.debug("connection error", metadata: ["error": "\(error)"])
        context.close(promise: nil)
    }
}

/// Reading.
extension GRPCConnection {
    private func readFrames() {
        let now = Duration.nanoseconds(Int64(NIODeadline.now().uptimeNanoseconds))
        do throws(HTTP2Fault) {
            while context != nil, let reading = try nextFrame(at: now) {
                guard let frame = unread.readSlice(length: reading.byteCount) else {
                    preconditionFailure("a frame has more bytes than there are")
                }
                take(reading.event, frame)
            }
        } catch {
            logger.debug("connection error", metadata: ["error": "\(error.reason)"])
            unread = ByteBuffer()
            flush()
            context?.close(promise: nil)
        }
    }

    private func take(_ event: HTTP2Connection.Event?, _ frame: ByteBuffer) {
        switch event {
        case .headers(let id, let fields, let isLast)?: received(fields, on: id, isLast: isLast)
        case .data(let id, let range, let isLast)?:
            let start = frame.readerIndex + range.lowerBound
            guard let bytes = frame.getSlice(at: start, length: range.count) else {
                preconditionFailure("data lies outside its frame")
            }
            received(bytes, on: id, isLast: isLast)
        case .pong?:
            if case .announced = drain { drainFinally() }
        case nil: break
        }
    }

    private func nextFrame(at now: Duration) throws(HTTP2Fault) -> HTTP2Connection.Reading? {
        let result = unread.withUnsafeReadableBytes { bytes in
            Result { () throws(HTTP2Fault) in try machine.read(bytes, at: now) }
        }
        return try result.get()
    }

    private func received(_ fields: HeaderFields, on id: StreamID, isLast: Bool) {
        let head = GRPCRequestHead(fields)
        if let call = calls[id] { return call.received(head, isLast: isLast) }
        guard head.isGRPC else {
            let text = GRPCHeaders.notGRPCText(head.contentType)
            machine.refuse(id, GRPCHeaders.notGRPC, Array(text.utf8))
            return scheduleFlush()
        }
        let call = GRPCCall(id: id, on: self)
        calls[id] = call
        if head.timeout != nil { begun.append(call) }
        call.received(head, isLast: isLast)
    }

    private func received(_ bytes: ByteBuffer, on id: StreamID, isLast: Bool) {
        guard let call = calls[id] else { return }
        call.received(bytes, isLast: isLast)
        if call.waitingByteCount > 0,
            let refusal = service.refusal(ofUnfinished: held.unfinished)
        {
            call.finish(refusal)
        }
        let debt = machine.windowDebt(of: id)
        if debt > ConnectionLimits.streamWindowByteCount / 2 { call.owesWindow() }
    }
}

/// Writing.
extension GRPCConnection {
    /// Has a flush come once the current read or task is done.
    func scheduleFlush() {
        if isReading || isFlushDue { return }
        isFlushDue = true
        eventLoop.assumeIsolated().execute { [self] in
            isFlushDue = false
            flush()
        }
    }

    /// Sends all that there is to send.
    func flush() {
        wakeCalls()
        machine.sendWaiting()
        let departures = takeDepartures()
        let bytes = takeOutput()
        // The socket may change during the write, and further streams may end. The connection has
        // not taken the departures of these streams yet, so their calls must stay until the next
        // flush.
        closeEndedCalls()
        if let bytes { write(bytes, departures) }
        if context != nil, machine.isSendingDue { scheduleFlush() }
        tellHeld()
        closeIfDrained()
    }

    private func closeEndedCalls() {
        for end in machine.takeEnds() {
            calls.removeValue(forKey: end.stream)?.streamClosed(dropped: end.droppedByteCount)
        }
        if calls.isEmpty, calls.capacity > ConnectionLimits.keptStreamCount { calls = [:] }
    }

    /// Notes that a call wishes to send.
    ///
    /// The connection asks the call for its messages before the next flush.
    func sendSoon(_ call: GRPCCall) {
        waking.append(call)
        scheduleFlush()
    }

    /// Does something later, on the connection's loop.
    func schedule(in delay: TimeAmount, _ body: @escaping () -> Void) -> Scheduled<Void> {
        eventLoop.assumeIsolated().scheduleTask(in: delay, body)
    }

    /// Takes all frames that are to be sent; `nil` if there are none or nobody to send them to.
    func takeOutput() -> ByteBuffer? {
        guard let context, !machine.output.isEmpty else { return nil }
        var bytes = context.channel.allocator.buffer(capacity: machine.output.count)
        bytes.writeBytes(machine.output)
        machine.outputLeft()
        return bytes
    }

    private func wakeCalls() {
        var next = 0
        while next < waking.count {  // A call may wake others, which follow.
            waking[next].sendNow()
            next += 1
        }
        waking.removeAll(keepingCapacity: true)
    }

    /// The messages that count until the socket has taken them, with their calls.
    private func takeDepartures() -> [GRPCDeparture] {
        let departures = machine.takeDepartures()
        var counted: [GRPCDeparture] = []
        counted.reserveCapacity(departures.count)
        for departure in departures {
            guard let call = calls[departure.stream] else { continue }
            if call.isFinished, departure.byteCount < ConnectionLimits.countedByteCountMin {
                call.left(departure.byteCount)
            } else {
                counted.append(GRPCDeparture(call: call, byteCount: departure.byteCount))
            }
        }
        return counted
    }

    private func write(_ bytes: ByteBuffer, _ departures: [GRPCDeparture]) {
        guard let context else {  // A call that heard of its end has closed the connection.
            for departure in departures { departure.call.left(departure.byteCount) }
            return
        }
        if departures.isEmpty {
            context.writeAndFlush(wrapOutboundOut(bytes), promise: nil)
            return
        }
        let promise = eventLoop.makePromise(of: Void.self)
        promise.futureResult.assumeIsolated().whenComplete { [self] result in
            // While the connection reads nothing, only the bytes that the client takes show that the client
            // lives.
            if case .success = result, isReadDue { isQuiet = false }
            for departure in departures { departure.call.left(departure.byteCount) }
            tellHeld()
        }
        context.writeAndFlush(wrapOutboundOut(bytes), promise: promise)
    }

    /// Pings the client, or closes the connection if nothing came since the last ping.
    private func checkLife() {
        if isQuiet {
            context?.close(promise: nil)
            return
        }
        isQuiet = true
        machine.ping()
        scheduleFlush()
    }
}

/// Messages of a call on their way to the socket.
private struct GRPCDeparture {
    let call: GRPCCall
    let byteCount: Int
}
