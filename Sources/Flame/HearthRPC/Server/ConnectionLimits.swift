/// The limits of one connection. Times are in `ConnectionLimits+Times.swift`.
package enum ConnectionLimits {
    /// Calls under way at once. A program with more listeners than this opens more connections.
    static let streamCountMax = 1_024
    /// Bytes that a client may send on a stream before the server opens the stream's window again.
    static let streamWindowByteCount = 1 << 20
    /// The window of all streams together.
    static let connectionWindowByteCount = 8 << 20
    /// The initial window of an HTTP/2 connection.
    static let defaultWindowByteCount = 65_535
    /// The largest payload of a frame from a client: what HTTP/2 begins with.
    static let frameByteCountMax = 16_384
    /// The largest payload of messages in one frame, even to a client that takes larger frames.
    static let answerFrameByteCountMax = 64 * 1_024
    /// How large a table of headers a client may use: what HTTP/2 begins with.
    static let headerTableByteCountMax = 4_096
    /// Frames in which a block of headers goes on. The largest block has four.
    static let continuationCountMax = 5
    /// How many empty frames of data, without a byte and without an end, a client may send in a
    /// row, on any streams, without headers in between.
    static let emptyDataCountMax = 1
    /// Bytes that are made ready to be sent at once; messages wait while there are more. It is as
    /// much as one call may have unsent, and keeps the channel's own buffer small.
    static let outputByteCountMax = 256 * 1_024
    /// Memory for what is to be sent that an idle connection keeps.
    static let keptOutputByteCount = 4_096
    /// The room for streams that an idle connection keeps.
    static let keptStreamCount = 32
    /// The smallest change of the bytes that a connection holds that is told at once; a smaller one
    /// is told at the end of the read.
    static let toldByteCountMin = 4_096
    /// The smallest last message of a call that counts until the socket has taken it; a smaller one
    /// counts until its stream is closed.
    static let countedByteCountMin = 4_096
    /// Bytes of unfinished requests that may wait, of all streams together.
    static let waitingByteCountMax = 64 << 20
    /// Bytes of messages, of all streams together, that a client may leave unread before its calls
    /// wait. Each call that has begun may add one message besides.
    static let unreadByteCountMax = 64 << 20
    /// Bytes of the text of an error in its header. Names in it may be as long as a request.
    static let errorByteCountMax = 2_048
    /// Bytes of an answer's headers together, as HTTP/2 counts them: more than this the clients of
    /// Java and of C refuse, and with it the call's status.
    static let answerHeaderByteCountMax = 8_192
    /// Bytes of all headers of a request together. Tokens of identity can be long.
    static let headerByteCountMax = 64 * 1_024
    /// Settings, priorities, and frames for streams that are over, in a minute.
    static let controlFrameCountMax = 6_000
    /// Pings in a minute without an answer between them. A client that measures the line, as Go's
    /// does, sends one for nearly every answer.
    static let pingCountMax = 6_000
    /// Calls given up by their client in a minute. Suites of tests open and close listeners quickly.
    static let resetCountMax = 20_000
    /// Calls given up in a minute before anything of an answer was sent: four times as many as can
    /// be under way. Who gives up more wants no answers.
    static let earlyResetCountMax = 4 * streamCountMax
    /// Streams that are remembered because the server ended them and the client may go on: as many
    /// as can be under way.
    static let unheardEndCountMax = streamCountMax
    /// Streams that are remembered because the client ended them.
    static let knownEndCountMax = 32
    /// Streams in a minute that end because their client broke a rule.
    static let streamFaultCountMax = 200
    /// The span in which control frames, pings, resets and faults are counted.
    static let rateSpan = Duration.seconds(60)
    /// The largest body of a request of HTTP/1.1: as large as a request of gRPC.
    package static let bodyByteCountMax = requestByteCountMax
    /// The largest request of gRPC, as production has it: the message, unpacked.
    package static let requestByteCountMax = 10 * 1_024 * 1_024
    /// Bytes of bodies of HTTP/1.1, of all connections of a server together: two of the largest.
    static let heldBodyByteCountMax = 512 << 20
    /// Every packed body may unpack to this many bytes, if a body of its kind may be as large.
    static let unpackedByteCountMax = requestByteCountMax
    /// How many times larger than the packed bytes an unpacked body may be if the body has more
    /// bytes than `unpackedByteCountMax`.
    ///
    /// JSON packs to a tenth or a twentieth; zlib could pack zeros to a thousandth.
    static let unpackedRatioMax = 32
    /// The largest body that is read on the event loop, where other connections wait meanwhile.
    static let promptBodyByteCountMax = 256 * 1_024
    /// The smallest body that the server packs, if the client asks for gzip.
    ///
    /// Packing would not make a smaller body arrive sooner.
    static let packedByteCountMin = 4_096
}
