import HearthModel

/// How much connected clients may make the daemon hold: frames that have begun, requests without an
/// answer, begun bundles, what waits to be read, and what a connection and a listener take by themselves.
package struct ClientMemory: Hashable, Sendable {
    /// Bytes of all clients. When there are more, a client of whoever holds most is disconnected.
    package var byteCountMax = 512 << 20
    /// Bytes of all clients of one Unix user.
    package var uidByteCountMax = 256 << 20
    /// Bytes of all bundles that one client has begun to send.
    package var bundleByteCountMax = 64 << 20
    /// Seconds that a client may take from one part of a bundle to the next.
    package var bundleSecondsMax = 60

    /// The defaults.
    package init() {}

    /// Bytes of requests of one client that wait for the engine, above which no more is read from it until
    /// half of them are answered.
    package var waitingByteCountMax: Int { min(32 << 20, uidByteCountMax / 8) }

    /// What a connection holds before it has asked anything: handlers, buffers and tables.
    package static let clientByteCount = 8 << 10
    /// What a listener holds besides its query, in the session and in the engine.
    static let listenerByteCount = 1 << 10
    /// What is known of a request that has no answer, besides its bytes.
    static let requestByteCount = 128
    /// By how much a session's bytes change before the others are told: a lock that all share.
    static let grainByteCount = 16 << 10

    /// What the client is told that goes beyond its user's limit.
    func tooMuch(_ byteCount: Int, of uid: UInt32) -> HearthError {
        HearthError(
            code: .resourceExhausted,
            message: "The programs of uid \(uid) have the daemon hold \(byteCount) bytes, and the "
                + "limit is limits.uidHeldByteCountMax = \(uidByteCountMax) bytes. Read the answers, "
                + "end what was begun, or ask less at a time.")
    }

    /// What the client of the user who holds most is told when all hold too much.
    func tooMuchOfAll(_ byteCount: Int) -> HearthError {
        HearthError(
            code: .resourceExhausted,
            message: "All programs have the daemon hold \(byteCount) bytes, the limit is "
                + "limits.heldByteCountMax = \(byteCountMax) bytes, and yours hold most of it. Read "
                + "the answers, end what was begun, or ask less at a time.")
    }
}
