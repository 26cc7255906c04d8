/// The server's end of one HTTP/2 connection: bytes in, events and bytes out.
///
/// The machine cuts frames, keeps streams, windows and tables of headers, answers what HTTP/2
/// itself asks, and gathers in `output` all that is to be sent. The shell brings bytes, carries
/// events to calls, and sends `output` once for all that one read has caused.
///
///     preface --24 bytes--> SETTINGS --frame--> open --GOAWAY--> refusing
///       \--- a fault ends the connection from anywhere, with GOAWAY as its last frame
///
/// A stream lives from the client's headers until both sides have ended or one has reset it.
///
/// Source: RFC 9113.
struct HTTP2Connection {
    /// What the bytes of one frame brought.
    enum Event: Equatable {
        /// The headers of a new stream, or the trailers of a client.
        case headers(StreamID, HeaderFields, isLast: Bool)
        /// Bytes of a stream; the range is their place in the bytes that were read.
        case data(StreamID, Range<Int>, isLast: Bool)
        /// The client answers the server's ping.
        case pong
    }

    /// One frame that was read.
    struct Reading: Equatable {
        /// The bytes of the frame.
        let byteCount: Int
        /// What the frame brought, if a call must hear of it.
        let event: Event?
    }

    /// A stream that is over.
    struct End: Equatable {
        /// The stream.
        let stream: StreamID
        /// Bytes of messages that will not be sent.
        let droppedByteCount: Int
    }

    /// Bytes of messages of one stream that left together.
    struct Departure: Equatable {
        /// The stream.
        let stream: StreamID
        /// Bytes of messages, without the heads of frames.
        var byteCount: Int
    }

    /// A block of headers that goes on in further frames.
    struct OpenBlock {
        let stream: StreamID
        let isLast: Bool
        var bytes: [UInt8]
        var continuationCount = 0
    }

    /// The last frame of `output`, if it has bytes of messages and may take more.
    struct OpenFrame {
        let stream: StreamID
        let index: Int
        var length: Int
    }

    enum Stage {
        case preface
        case settings
        case open
    }

    static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

    var stage = Stage.preface
    var settings = PeerSettings()
    var areSettingsKnown = false
    var decoder = HeaderDecoder(
        byteCountMax: ConnectionLimits.headerByteCountMax,
        tableByteCountMax: ConnectionLimits.headerTableByteCountMax)
    var encoder = HeaderEncoder()
    var block: OpenBlock?

    var streams: [StreamID: HTTP2Stream] = [:]
    /// The last stream that the client has begun.
    var lastStream = StreamID.connection
    /// The last stream that will be served, once the end is announced.
    var lastServed = StreamID.greatest
    var ends: [End] = []
    /// The streams that are over, for frames that come late.
    var ended = EndedStreams()

    var sendWindow = ConnectionLimits.defaultWindowByteCount
    var windowDebt = 0
    /// Streams that have bytes to send and room for them, in turn.
    var queue: [StreamID] = []
    /// Whether the socket takes more; while it does not, messages wait.
    var isSocketWritable = true

    /// The frames that are to be sent.
    ///
    /// The connection adds no message beyond `outputByteCountMax`, and none while the socket takes
    /// no more. The connection does add answers to pings and settings, new room and resets, but the
    /// shell reads nothing while the socket takes no more. So a client that reads nothing makes the
    /// output grow by the answers to one read at most.
    var output: [UInt8] = []
    var openFrame: OpenFrame?
    var departures: [Departure] = []

    var controlRate = FrameRate(
        ConnectionLimits.controlFrameCountMax, in: ConnectionLimits.rateSpan)
    /// Pings since something was last answered.
    var pingRate = FrameRate(ConnectionLimits.pingCountMax, in: ConnectionLimits.rateSpan)
    var resetRate = FrameRate(ConnectionLimits.resetCountMax, in: ConnectionLimits.rateSpan)
    /// Streams that the client gave up before anything of an answer was sent.
    var earlyResetRate = FrameRate(
        ConnectionLimits.earlyResetCountMax, in: ConnectionLimits.rateSpan)
    var faultRate = FrameRate(ConnectionLimits.streamFaultCountMax, in: ConnectionLimits.rateSpan)
    /// Frames of data without a byte since anything else of a stream came.
    var emptyDataCount = 0

    /// A connection that begins, with the server's settings in `output`.
    init() {
        let values: [(number: UInt8, value: Int)] = [
            (3, ConnectionLimits.streamCountMax), (4, ConnectionLimits.streamWindowByteCount),
            (6, ConnectionLimits.headerByteCountMax),
        ]
        put(.settings, length: values.count * PeerSettings.settingByteCount)
        for (number, value) in values {
            output += [0, number]
            output.appendNumber(UInt32(value))
        }
        put(.windowUpdate, length: 4)
        output.appendNumber(
            UInt32(
                ConnectionLimits.connectionWindowByteCount
                    - ConnectionLimits.defaultWindowByteCount))
    }

    /// What was in `output` is on its way.
    mutating func outputLeft() {
        openFrame = nil
        output.removeAll(keepingCapacity: output.capacity <= ConnectionLimits.keptOutputByteCount)
    }

    /// Takes which streams had bytes of messages in the output.
    mutating func takeDepartures() -> [Departure] {
        if departures.isEmpty { return [] }
        defer { departures = [] }
        return departures
    }

    /// Takes the streams that are over.
    mutating func takeEnds() -> [End] {
        if ends.isEmpty { return [] }
        defer { ends = [] }
        return ends
    }

    /// Begins a frame; its payload follows.
    mutating func put(
        _ kind: FrameHead.Kind, _ flags: FrameHead.Flags = [], on stream: StreamID = .connection,
        length: Int
    ) {
        openFrame = nil
        output.appendFrameHead(kind, flags, on: stream, length: length)
    }

    /// Forgets a stream.
    mutating func remove(_ id: StreamID) {
        guard let stream = streams.removeValue(forKey: id) else { return }
        if streams.isEmpty, streams.capacity > ConnectionLimits.keptStreamCount { streams = [:] }
        ended.add(id, isClientDone: stream.hasClientEnded)
        ends.append(End(stream: id, droppedByteCount: stream.waitingByteCount))
    }

    /// The connection is gone: lets go of all streams, and of all that waits to be sent.
    ///
    /// A call that is answered late still holds its connection, and would hold the messages of all
    /// other calls.
    mutating func lost() {
        streams = [:]
        queue = []
        block = nil
        output = []
        openFrame = nil
    }
}
