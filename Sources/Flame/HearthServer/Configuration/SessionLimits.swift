import HearthWire

/// What clients may do, and what they may make the daemon hold. A reload replaces the whole value.
package struct SessionLimits: Hashable, Sendable {
    /// Clients that may be connected.
    package var clientCountMax = 1_024
    /// Clients of one Unix user that may be connected.
    package var uidClientCountMax = 512
    /// Of all clients, those that only root and administrators may connect.
    package var reservedClientCount = 16
    /// Clients of those whom the rules allow nothing.
    package var guestClientCountMax = 64
    /// Of these, those of one Unix user.
    package var uidGuestClientCountMax = 16
    /// Databases that the programs of one Unix user may have opened.
    package var uidDatabaseCountMax = 16
    /// What connected clients may make the daemon hold.
    package var memory = ClientMemory()
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
    /// Seconds that a client may take to end a frame that it has begun.
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
