package import NIOCore

/// How much one connection may ask for.
package enum ConnectionLimits {
    /// Calls under way at once. A program with more listeners than this opens more connections.
    static let streamCountMax = 1_024
    /// What a client may send on a stream before it hears that more is welcome.
    static let streamWindowByteCount = 1 << 20
    /// The same for all streams together.
    static let connectionWindowByteCount = 8 << 20
    /// What HTTP/2 begins with.
    static let defaultWindowByteCount = 65_535
    /// Bytes of requests that are not whole yet, of all streams together.
    static let waitingByteCountMax = 64 << 20
    /// All headers of a request together. Tokens of identity can be long.
    static let headerByteCountMax = 64 * 1_024
    /// Pings, settings and priorities in a minute. Clients that measure the line send many.
    static let controlFrameCountMax = 6_000
    /// Calls given up by their client in a minute. Suites of tests open and close listeners quickly.
    static let resetCountMax = 20_000
    /// The span of those two.
    static let rateWindow = TimeAmount.seconds(60)
    /// How long a connection may be without saying what it speaks.
    static let greetingTimeout = TimeAmount.seconds(30)
    /// How often a silent client is asked whether it is there.
    static let keepaliveInterval = TimeAmount.seconds(60)
    /// How long to wait for a client's last calls when stopping.
    static let drainPingTimeout = TimeAmount.milliseconds(50)
    /// How long calls under way may take when stopping.
    package static let drainTimeout = TimeAmount.milliseconds(500)
    /// The body of a request of HTTP/1.1, as large as a request of gRPC.
    package static let bodyByteCountMax = requestByteCountMax
    /// The largest request of gRPC, as production has it: the message, unpacked.
    package static let requestByteCountMax = 10 * 1_024 * 1_024
    /// The least that is worth packing for a client that asks for it. Below, it is not sent sooner.
    static let packedByteCountMin = 4_096
}
