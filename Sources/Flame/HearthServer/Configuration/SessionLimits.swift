import HearthWire

/// The limits of clients, and of the memory that the daemon holds for clients.
///
/// A reload replaces the whole value.
package struct SessionLimits: Hashable, Sendable {
    /// Clients that may be connected.
    package var clientCountMax = 1_024
    /// Clients of one Unix user that may be connected.
    package var uidClientCountMax = 512
    /// The places among `clientCountMax` that only root and administrators may take.
    package var reservedClientCount = 16
    /// Guests that may be connected: clients whom the rules allow nothing.
    package var guestClientCountMax = 64
    /// Guests of one Unix user that may be connected.
    package var uidGuestClientCountMax = 16
    /// Databases that the programs of one Unix user may have opened.
    package var uidDatabaseCountMax = 16
    /// Places that one Unix user may have kept in step for good.
    package var uidKeptPlaceCountMax = 100
    /// What connected clients may make the daemon hold.
    package var memory = ClientMemory()
    /// Bytes of the memory file in which programs read hot documents of the default database; the
    /// file of another database has a thirty-second part. 0 for no files.
    package var sharedReadByteCount = 8 << 20
    /// Listeners of one session.
    package var listenerCountMax = 10_000
    /// Listeners of all sessions of one Unix user.
    package var uidListenerCountMax = 100_000
    /// Requests of one session without an answer.
    package var requestCountMax = 4_096
    /// Requests without an answer of all sessions of one Unix user. Sixteen busy programs.
    package var uidRequestCountMax = 65_536
    /// Replies that a slow client may leave unread. About 4 s of a busy one.
    package var unreadReplyCountMax = 4_096
    /// Bytes of replies and answers that one client may leave unread, without snapshots of
    /// listeners. Two frames of the greatest size.
    package var unreadByteCountMax = 2 * WireLimits.frameByteCountMax
    /// Bytes of one frame that a client sends.
    package var frameByteCountMax = WireLimits.frameByteCountMax
    /// Seconds that a client may take to send a whole frame, from the beginning of the frame.
    package var frameSecondsMax = 30
    /// Seconds that a client may take to say Hello.
    package var greetingSecondsMax = 10

    /// The defaults.
    package init() {}

    /// The limits that a program is told at its start.
    var toldInWelcome: Welcome.Limits {
        Welcome.Limits(
            frameByteCountMax: frameByteCountMax, listenerCountMax: listenerCountMax,
            requestCountMax: requestCountMax)
    }
}
