package import NIOCore

/// The limits of one connection.
package enum ConnectionLimits {
    /// Calls under way at once. A program with more listeners than this opens more connections.
    static let streamCountMax = 1_024
    /// Bytes that a client may send on a stream before the server opens the stream's window again.
    static let streamWindowByteCount = 1 << 20
    /// The window of all streams together.
    static let connectionWindowByteCount = 8 << 20
    /// The initial window of an HTTP/2 connection.
    static let defaultWindowByteCount = 65_535
    /// The smallest last message of a call that counts until the socket has taken it; a smaller one
    /// counts until its stream is closed.
    static let countedByteCountMin = 4_096
    /// Bytes of unfinished requests that may wait, of all streams together.
    static let waitingByteCountMax = 64 << 20
    /// Bytes of the text of an error in its header. Names in it may be as long as a request.
    static let errorByteCountMax = 2_048
    /// Bytes of an answer's headers together, as HTTP/2 counts them: more than this the clients of
    /// Java and of C refuse, and with it the call's status.
    static let answerHeaderByteCountMax = 8_192
    /// Bytes of all headers of a request together. Tokens of identity can be long.
    static let headerByteCountMax = 64 * 1_024
    /// Pings, settings and priorities in a minute. Clients that measure the line send many.
    static let controlFrameCountMax = 6_000
    /// Calls given up by their client in a minute. Suites of tests open and close listeners quickly.
    static let resetCountMax = 20_000
    /// The span in which control frames and resets are counted.
    static let rateWindow = TimeAmount.seconds(60)
    /// How long a connection may be open before its protocol is known.
    static let greetingTimeout = TimeAmount.seconds(30)
    /// How often the server pings a client.
    ///
    /// The server closes a connection on which nothing came since the last ping.
    static let keepaliveInterval = TimeAmount.seconds(60)
    /// How long to wait for a client's last calls when stopping.
    static let drainPingTimeout = TimeAmount.milliseconds(50)
    /// How long calls under way may take when stopping.
    package static let drainTimeout = TimeAmount.milliseconds(500)
    /// The largest body of a request of HTTP/1.1: as large as a request of gRPC.
    package static let bodyByteCountMax = requestByteCountMax
    /// The largest request of gRPC, as production has it: the message, unpacked.
    package static let requestByteCountMax = 10 * 1_024 * 1_024
    /// The smallest body that the server packs, if the client asks for gzip.
    ///
    /// Packing would not make a smaller body arrive sooner.
    static let packedByteCountMin = 4_096
}
