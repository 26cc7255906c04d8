import HearthModel
import NIOCore
import NIOHPACK
import NIOHTTP2

/// One connection to a server: calls in, frames out. For one event loop.
///
/// Like `GRPCConnection`, the handler works on the frames themselves, without a channel for each
/// stream, and sends all that one read caused with one write.
///
///     new --settings--> ready --GOAWAY, idle, shutdown--> draining --last call--> closed
final class ClientConnection: FrameConnection {
    typealias InboundIn = HTTP2Frame
    typealias OutboundOut = HTTP2Frame

    private enum State {
        /// The server has not spoken.
        case new
        case ready
        /// No call begins any more; the last call's end closes the connection.
        case draining
        case closed
    }

    /// Where calls go that this connection cannot make.
    private(set) weak var channel: ChannelCore?
    /// What broke the connection, if something did.
    private(set) var cause: (any Error)?
    /// Bytes of messages that came and were not told.
    private(set) var waitingByteCount = 0

    private let configuration: ClientConfiguration
    private let errors = ConnectionErrors()
    let eventLoop: any EventLoop
    private(set) var context: ChannelHandlerContext?
    var flushing = Flushing()
    private var state = State.new

    private var calls: [HTTP2StreamID: RunningCall] = [:]
    /// Calls that wait until the server takes another one.
    private var waiting = CircularBuffer<RunningCall>()
    /// Streams that we ended and the server may not have.
    private var leaving: Set<HTTP2StreamID> = []
    private var resetRate: FrameRate
    /// When the streams are reset that were too many lately.
    private var laterResets: Scheduled<Void>?
    private var nextID = HTTP2StreamID(1)
    private var streamCountMax = ClientConfiguration.streamCountMax

    private var heardAt = NIODeadline.uptimeNanoseconds(0)
    private var keepalive: Scheduled<Void>?
    private var idling: Scheduled<Void>?

    /// A connection that is about to be made.
    init(
        _ configuration: ClientConfiguration, for channel: ChannelCore, on eventLoop: any EventLoop
    ) {
        self.configuration = configuration
        self.channel = channel
        self.eventLoop = eventLoop
        resetRate = FrameRate(configuration.resetCountMax, in: ConnectionLimits.rateSpan)
    }

    /// Whether the server has spoken and takes calls.
    var isReady: Bool { if case .ready = state { true } else { false } }
    /// Whether the connection is over.
    var isClosed: Bool { if case .closed = state { true } else { false } }

    /// The handler of frames that stands before this one.
    func frameHandler() -> NIOHTTP2Handler {
        let settings: HTTP2Settings = [
            .init(parameter: .enablePush, value: 0),
            .init(parameter: .initialWindowSize, value: configuration.streamWindowByteCount),
        ]
        return .limited(
            .client, settings, recentResetCount: ConnectionLimits.streamCountMax, errors: errors)
    }

    // MARK: The pipeline

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        if context.channel.isActive { openWindow() }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        ended()
    }

    func channelActive(context: ChannelHandlerContext) {
        openWindow()
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        ended()
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        flushing.isReading = true
        heardAt = .now()
        let frame = unwrapInboundIn(data)
        switch frame.payload {
        case .headers(let headers):
            calls[frame.streamID]?.received(headers.headers, isLast: headers.endStream)
        case .data(let data):
            guard case .byteBuffer(let bytes) = data.data else { return }
            calls[frame.streamID]?.received(bytes, isLast: data.endStream)
        case .settings(.settings(let settings)): received(settings)
        case .goAway(let lastID, let code, _): receivedGoodbye(lastID, code)
        case .settings(.ack), .ping, .priority, .rstStream, .pushPromise, .windowUpdate,
            .alternativeService, .origin:
            break  // The handler before has done what there is to do.
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        flushing.isReading = false
        flush()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case let event as NIOHTTP2WindowUpdatedEvent:
            guard let left = event.inboundWindowSize else { return }
            let isWhole = event.streamID == .rootStream
            let full =
                isWhole
                ? ClientConfiguration.connectionWindowByteCount
                : configuration.streamWindowByteCount
            guard full - left > full / 2 else { return }
            if isWhole {
                write(.rootStream, .windowUpdate(windowSizeIncrement: full - left))
            } else {
                calls[event.streamID]?.owesWindow(full - left)
            }
        case let event as StreamClosedEvent:
            leaving.remove(event.streamID)
            calls.removeValue(forKey: event.streamID)?.closed(event.reason)
            callEnded()
        default:
            context.fireUserInboundEventTriggered(event)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // For an error of a stream, the handler before has reset the stream already.
        guard errors.areFatal || !(error is any NIOHTTP2Error) else { return }
        close(because: error)
    }
}

/// Calls.
extension ClientConnection {
    /// Makes a call, now or when the server takes another one.
    func begin(_ call: RunningCall) {
        waiting.append(call)
        startWaiting()
    }

    /// Writes a frame; the flush comes once the current read or task is done.
    func write(_ id: HTTP2StreamID, _ payload: HTTP2Frame.FramePayload) {
        put(id, payload)
        scheduleFlush()
    }

    /// A call is over for us. The stream is reset, unless the server ends it with this read.
    func forget(_ id: HTTP2StreamID, waitingByteCount count: Int) {
        waitingByteCount -= count
        guard calls.removeValue(forKey: id) != nil else { return }
        leaving.insert(id)
        scheduleFlush()
    }

    /// Counts bytes of messages that wait, or wait no longer.
    func account(_ byteCount: Int) {
        waitingByteCount += byteCount
    }

    private func startWaiting() {
        guard isReady else { return }
        while let call = waiting.popFirst() {
            if call.isOver { continue }
            switch slots.next {
            case .here: break
            case .queue: return waiting.prepend(call)
            case .elsewhere:
                waiting.prepend(call)
                return drain()
            }
            idling?.cancel()
            idling = nil
            let id = nextID
            guard id < .maxID else {
                waiting.prepend(call)
                return drain()
            }
            nextID = id.advanced(by: 2)
            calls[id] = call
            call.start(on: self, id)
            watchLife()
        }
        startIdling()
    }

    private var slots: StreamSlots {
        StreamSlots(
            callCount: calls.count, leavingCount: leaving.count, countMax: streamCountMax,
            resetsRest: laterResets != nil)
    }

    private func callEnded() {
        startWaiting()
        closeIfDrained()
    }
}

/// Beginning, life and end.
extension ClientConnection {
    /// Begins no more calls, and closes when the last one is over.
    func drain() {
        switch state {
        case .new: return close(because: nil)
        case .draining, .closed: return
        case .ready: state = .draining
        }
        channel?.draining(self)
        passOnWaiting(.away)
        closeIfDrained()
    }

    /// Closes at once.
    func close(because error: (any Error)?) {
        if cause == nil { cause = error }
        context?.close(promise: nil)
    }

    private func openWindow() {
        let more =
            ClientConfiguration.connectionWindowByteCount - ConnectionLimits.defaultWindowByteCount
        write(.rootStream, .windowUpdate(windowSizeIncrement: more))
    }

    private func received(_ settings: HTTP2Settings) {
        for setting in settings where setting.parameter == .maxConcurrentStreams {
            streamCountMax = setting.value
        }
        if case .new = state {
            state = .ready
            channel?.ready(self)
        }
        startWaiting()
    }

    /// The server takes no more calls; it has not begun, and will not, those above `lastID`.
    private func receivedGoodbye(_ lastID: HTTP2StreamID, _ code: HTTP2ErrorCode) {
        if code != .noError, cause == nil { cause = ServerGoodbye(code: code) }
        if isReady { state = .draining }
        channel?.draining(self)
        for (id, call) in calls.filter({ $0.key > lastID }) {
            calls[id] = nil
            call.refused(.away, by: self)
        }
        passOnWaiting(.away)
        closeIfDrained()
    }

    private func passOnWaiting(_ end: CallEnd) {
        let waiting = waiting
        self.waiting = []
        for call in waiting { call.refused(end, by: self) }
    }

    private func closeIfDrained() {
        guard case .draining = state, calls.isEmpty else { return }
        state = .closed
        write(
            .rootStream, .goAway(lastStreamID: .rootStream, errorCode: .noError, opaqueData: nil))
        flush()
        context?.close(promise: nil)
    }

    private func ended() {
        if context == nil { return }
        context = nil
        state = .closed
        keepalive?.cancel()
        idling?.cancel()
        laterResets?.cancel()
        channel?.ended(self)
        let end = CallEnd(configuration.ended(cause), cause: cause)
        let calls = calls.values
        self.calls = [:]
        for call in calls { call.abandon(end) }
        passOnWaiting(end)
    }

    private func startIdling() {
        guard isReady, calls.isEmpty, waiting.isEmpty, idling == nil else { return }
        idling = schedule(in: configuration.idleTimeout) { [weak self] in self?.drain() }
    }

    /// Asks a silent server whether it lives, while there are calls.
    private func watchLife() {
        if keepalive != nil { return }
        let silence = NIODeadline.now() - heardAt
        let rest = configuration.keepalivePeriod - silence
        keepalive = schedule(in: max(rest, .zero)) { [weak self] in self?.checkLife() }
    }

    private func checkLife() {
        keepalive = nil
        if calls.isEmpty { return }
        guard NIODeadline.now() - heardAt >= configuration.keepalivePeriod else {
            return watchLife()
        }
        let askedAt = NIODeadline.now()
        write(.rootStream, .ping(HTTP2PingData(withInteger: 2), ack: false))
        keepalive = schedule(in: configuration.keepaliveTimeout) { [weak self] in
            guard let self else { return }
            keepalive = nil
            if heardAt < askedAt { close(because: Silence()) } else { watchLife() }
        }
    }

    /// Resets the streams that we ended, as many as a server bears.
    func writeWaiting() {
        if leaving.isEmpty { return }
        if laterResets == nil { resetLeaving() }
        callEnded()
    }

    private func resetLeaving() {
        let now = Duration.nanoseconds(Int64(clamping: NIODeadline.now().uptimeNanoseconds))
        for id in leaving.sorted() {
            guard resetRate.allows(at: now) else { break }
            leaving.remove(id)
            put(id, .rstStream(.cancel))
        }
        if leaving.isEmpty { return }
        laterResets = schedule(in: ConnectionLimits.rateWindow) { [weak self] in
            self?.laterResets = nil
            self?.flush()
        }
    }
}

extension CallEnd {
    /// The server, or we, wanted no more calls on the connection.
    fileprivate static let away = CallEnd(
        HearthError(code: .unavailable, message: "The server takes no more calls for now."),
        isUntouched: true)
}

/// Nothing came for too long, not even the answer to a ping.
private struct Silence: Error, CustomStringConvertible {
    var description: String { "nothing came for too long" }
}

/// The server ended the connection with an error.
private struct ServerGoodbye: Error, CustomStringConvertible {
    let code: HTTP2ErrorCode

    var description: String { "the server said goodbye with \(code)" }
}
