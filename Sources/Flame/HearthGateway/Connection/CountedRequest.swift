import HearthModel

/// A request that counts for the client's user in a session. The session counts the request until
/// the last holder of this object lets go.
///
/// The call holds the request until it is answered or given up; each write that the call asks for
/// holds it until the engine has taken the write. A client that gives up its calls at once
/// therefore has no more on the way than a client that waits. For the event loop of the connection.
final class CountedRequest {
    private let session: GatewaySession
    private let byteCount: Int
    private var holderCount = 1

    /// Counts a request, which the caller holds.
    ///
    /// - Throws: If the program's user has too many requests without an answer.
    init(_ byteCount: Int, of session: GatewaySession) throws(HearthError) {
        try session.began(byteCount: byteCount)
        self.session = session
        self.byteCount = byteCount
    }

    /// Somebody more holds the request.
    func hold() { holderCount += 1 }

    /// Somebody holds the request no longer.
    func letGo() {
        holderCount -= 1
        precondition(holderCount >= 0, "A request that nobody holds is let go")
        if holderCount == 0 { session.finished(byteCount: byteCount) }
    }
}
