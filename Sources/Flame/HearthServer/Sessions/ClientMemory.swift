import HearthModel

/// How much connected clients may make the daemon hold: frames that have begun, requests without an
/// answer, begun bundles, what waits to be read, and what a connection and a listener take by themselves.
package struct ClientMemory: Hashable, Sendable {
    /// Bytes of all clients.
    ///
    /// When there are more, the daemon disconnects a client of the user who holds most.
    package var byteCountMax = 512 << 20
    /// Bytes of all clients of one Unix user.
    package var uidByteCountMax = 256 << 20
    /// Bytes of all bundles that one client has begun to send.
    package var bundleByteCountMax = 64 << 20
    /// Seconds that a client may take from one part of a bundle to the next.
    package var bundleSecondsMax = 60

    /// The defaults.
    package init() {}

    /// Bytes of one client's waiting requests above which the daemon stops reading.
    ///
    /// The daemon reads on from the client when the engine has answered half of the bytes.
    package var waitingByteCountMax: Int { min(32 << 20, uidByteCountMax / 8) }

    /// Bytes of a connection before its first request: handlers, buffers and tables.
    package static let clientByteCount = 8 << 10
    /// Bytes of a listener besides the query, in the session and in the engine.
    package static let listenerByteCount = 1 << 10
    /// Bytes of a database's state that a listener was told.
    package static let statusByteCount = 512
    /// Bytes of a request without an answer, besides the request itself.
    package static let requestByteCount = 128
    /// Bytes of a write without an answer, besides the request that it came with.
    package static let writeByteCount = 512
    /// By how much a session's bytes change before the session reports the change.
    ///
    /// A report takes a lock that all sessions share.
    static let grainByteCount = 16 << 10

    /// The error for a client that goes beyond the limit of the client's user.
    func tooMuch(_ byteCount: Int, of uid: UInt32) -> HearthError {
        HearthError(
            code: .resourceExhausted,
            message: "The programs of uid \(uid) have the daemon hold \(byteCount) bytes, and the "
                + "limit is limits.uidHeldByteCountMax = \(uidByteCountMax) bytes. Read the answers, "
                + "end what was begun, or ask less at a time.")
    }

    /// The error for a client of the user who holds most, when all clients hold too much.
    func tooMuchOfAll(_ byteCount: Int) -> HearthError {
        HearthError(
            code: .resourceExhausted,
            message: "All programs have the daemon hold \(byteCount) bytes, the limit is "
                + "limits.heldByteCountMax = \(byteCountMax) bytes, and yours hold most of it. Read "
                + "the answers, end what was begun, or ask less at a time.")
    }
}
