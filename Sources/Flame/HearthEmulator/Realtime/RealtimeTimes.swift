/// How long the Realtime Database's server waits before it acts on its own.
package struct RealtimeTimes: Sendable {
    /// How long a client of the protocol may be silent.
    ///
    /// Clients send at least `0` every 45 seconds. A client is given up after its last word,
    /// between one and two spans later.
    package var silence = Duration.seconds(60)
    /// How often a stream of REST sends `keep-alive`.
    ///
    /// Clients notice a closed connection, and Python's client its own end, only when the next
    /// event is due.
    package var keepAlive = Duration.seconds(30)

    /// The times of the hosted service, as far as they are known.
    package init() {}
}
