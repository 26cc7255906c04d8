import NIOCore
import NIOHTTP2

/// One HTTP/2 connection that works on the frames themselves. For one event loop.
///
/// The connection gathers the answers to one read or one task, and sends them with one flush.
protocol FrameConnection: ChannelInboundHandler
where InboundIn == HTTP2Frame, OutboundOut == HTTP2Frame {
    /// The loop that the connection lives on.
    var eventLoop: any EventLoop { get }
    /// The connection's place in its channel; `nil` before the beginning and after the end.
    var context: ChannelHandlerContext? { get }
    /// What the next flush waits for.
    var flushing: Flushing { get set }

    /// Writes the frames that waited for the flush.
    func writeWaiting()
}

/// What a connection's next flush waits for.
struct Flushing {
    /// Whether a read goes on, which ends with a flush.
    var isReading = false
    /// Whether a task will flush.
    fileprivate var isDue = false
    /// Whether there is something to flush.
    fileprivate var hasWritten = false
}

extension FrameConnection {
    /// Writes a frame; a flush sends it. After the connection's end the promise fails.
    func put(
        _ id: HTTP2StreamID, _ payload: HTTP2Frame.FramePayload,
        promise: EventLoopPromise<Void>? = nil
    ) {
        guard let context else {
            promise?.fail(ChannelError.ioOnClosedChannel)
            return
        }
        flushing.hasWritten = true
        let frame = HTTP2Frame(streamID: id, payload: payload)
        context.write(wrapOutboundOut(frame), promise: promise)
    }

    /// Has a flush come once the current read or task is done.
    func scheduleFlush() {
        if flushing.isReading || flushing.isDue { return }
        flushing.isDue = true
        eventLoop.assumeIsolated().execute { [self] in
            flushing.isDue = false
            flush()
        }
    }

    /// Sends what was written and what waits.
    func flush() {
        writeWaiting()
        guard flushing.hasWritten else { return }
        flushing.hasWritten = false
        context?.flush()
    }

    /// Does something later, on the connection's loop.
    func schedule(in delay: TimeAmount, _ body: @escaping () -> Void) -> Scheduled<Void> {
        eventLoop.assumeIsolated().scheduleTask(in: delay, body)
    }
}

extension NIOHTTP2Handler {
    /// Makes the handler that stands before a `FrameConnection`, with the limits of every
    /// connection.
    ///
    /// The handler checks no headers: both ends read a call's headers with a reader of their own,
    /// and nobody forwards the headers.
    ///
    /// - Parameters:
    ///   - settings: What the other end is told, beside the limit of headers.
    ///   - recentResetCount: How many streams that were reset the handler remembers.
    static func limited(
        _ mode: ParserMode, _ settings: HTTP2Settings, recentResetCount: Int? = nil,
        errors: ConnectionErrors
    ) -> NIOHTTP2Handler {
        var connection = ConnectionConfiguration()
        connection.initialSettings =
            settings + [
                .init(parameter: .maxHeaderListSize, value: ConnectionLimits.headerByteCountMax)
            ]
        connection.headerBlockValidation = .disabled
        connection.contentLengthValidation = .disabled
        if let recentResetCount { connection.maximumRecentlyResetStreams = recentResetCount }
        connection.controlFrameRateLimit.maximumCount = ConnectionLimits.controlFrameCountMax
        connection.controlFrameRateLimit.windowLength = ConnectionLimits.rateWindow
        var stream = StreamConfiguration()
        stream.streamResetFrameRateLimit.maximumCount = ConnectionLimits.resetCountMax
        stream.streamResetFrameRateLimit.windowLength = ConnectionLimits.rateWindow
        return NIOHTTP2Handler(
            mode: mode, frameDelegate: errors, connectionConfiguration: connection,
            streamConfiguration: stream)
    }
}

/// The errors of one connection as a whole.
final class ConnectionErrors: NIOHTTP2FrameDelegate {
    /// Whether the other end was sent GOAWAY with an error.
    private(set) var areFatal = false

    func wroteFrame(_ frame: HTTP2Frame) {
        if case .goAway(_, let code, _) = frame.payload, code != .noError { areFatal = true }
    }
}
