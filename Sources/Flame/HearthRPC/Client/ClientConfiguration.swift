package import NIOCore

/// How a client's channel reaches its server, and the limits and times it keeps.
package struct ClientConfiguration: Sendable {
    /// Opens a connection to the server, on a loop.
    ///
    /// The dialer adds its own handlers, such as TLS, and then calls its second argument, both
    /// before the connection is active.
    package typealias Dial =
        @Sendable (
            any EventLoop, _ initializer: @escaping @Sendable (any Channel) throws -> Void
        ) -> EventLoopFuture<any Channel>

    /// Opens a connection.
    package let dial: Dial
    /// The server's name in the header `:authority`.
    package let authority: String
    /// Whether TLS protects the connection.
    package let isSecure: Bool
    /// The server in messages for people, such as `backend at 127.0.0.1:8080`.
    package let name: String

    /// What broke a connection, in words for people.
    package var explain: @Sendable (any Error) -> String = { "\($0)" }
    /// The largest message of an answer, unpacked.
    package var messageByteCountMax = 16 << 20
    /// Bytes that the server may send on a stream before the listener has taken any.
    package var streamWindowByteCount = 1 << 20
    /// Bytes of unfinished and untaken messages that may wait, of all calls together.
    package var waitingByteCountMax = 64 << 20
    /// How long a connection may take until the server has spoken.
    package var connectTimeout = TimeAmount.seconds(20)
    /// The pause after the first failed attempt to connect; doubled for each further attempt.
    package var pauseMin = TimeAmount.milliseconds(100)
    /// The longest pause between two attempts to connect.
    package var pauseMax = TimeAmount.seconds(1)
    /// How often a silent connection is asked whether it lives, while there are calls.
    package var keepalivePeriod = TimeAmount.seconds(30)
    /// How long its answer may take.
    package var keepaliveTimeout = TimeAmount.seconds(10)
    /// Streams of a connection that are reset in a minute. Beyond this count, the streams of
    /// abandoned calls end when the server ends them, or are reset later. A server closes the
    /// connection of a client that resets too many streams, and with the connection all calls.
    var resetCountMax = 1_000
    /// How long a connection without calls is kept.
    package var idleTimeout = TimeAmount.minutes(30)

    /// The client's name in its calls.
    static let userAgent = "hearth-rpc/0.1"
    /// Calls that a server takes at once, until it has said how many.
    static let streamCountMax = 100
    /// Bytes that the server may send on a connection: as much as a few streams' windows.
    static let connectionWindowByteCount = ConnectionLimits.connectionWindowByteCount

    /// Names a server.
    ///
    /// - Parameters:
    ///   - authority: The server's name in the header `:authority`.
    ///   - isSecure: Whether TLS protects the connection; `dial` adds the TLS.
    ///   - name: The server in messages for people, such as `backend at 127.0.0.1:8080`.
    ///   - dial: Opens a connection.
    package init(
        authority: String, isSecure: Bool = false, name: String, dial: @escaping Dial
    ) {
        self.authority = authority
        self.isSecure = isSecure
        self.name = name
        self.dial = dial
    }
}
