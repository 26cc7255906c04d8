package import NIOCore

/// How long a connection may take.
extension ConnectionLimits {
    /// The span in which the frames of a server are counted.
    static let rateWindow = TimeAmount(rateSpan)
    /// How long a connection may be open before its protocol is known.
    static let greetingTimeout = TimeAmount.seconds(30)
    /// How often the server pings a client.
    ///
    /// The server closes a connection on which nothing came since the last ping.
    static let keepaliveInterval = TimeAmount.seconds(60)
    /// How long an event loop waits between two requests that came behind others of their connections.
    ///
    /// Enough for the loop to find no task due, and to look at its sockets.
    static let pipelinedMoment = TimeAmount.microseconds(50)
    /// How long to wait for a client's last calls when stopping.
    static let drainPingTimeout = TimeAmount.milliseconds(50)
    /// How long calls under way may take when stopping.
    package static let drainTimeout = TimeAmount.milliseconds(500)
}
