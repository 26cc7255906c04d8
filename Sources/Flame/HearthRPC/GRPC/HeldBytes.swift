/// The bytes that a connection holds for its client, and what its service was last told of them.
struct HeldBytes: Equatable {
    /// Bytes of requests that are not whole, and of the headers of calls under way.
    var unfinished = 0
    /// Bytes of messages that the client has not taken.
    var unread = 0
    private var toldUnfinished = 0
    private var toldUnread = 0

    /// Whether the service knows less than there is to know.
    var isChanged: Bool { unfinished != toldUnfinished || unread != toldUnread }

    /// Whether the change is large enough to be told at once.
    var isChangedMuch: Bool {
        let change = max(abs(unfinished - toldUnfinished), abs(unread - toldUnread))
        return change >= ConnectionLimits.toldByteCountMin
    }

    /// The service was told.
    mutating func told() {
        toldUnfinished = unfinished
        toldUnread = unread
    }
}

extension GRPCConnection {
    /// Bytes of messages that the client has not taken.
    var unreadByteCount: Int { held.unread }

    /// Counts bytes that the connection holds from now on, or no longer.
    func count(unfinished: Int = 0, unread: Int = 0) {
        held.unfinished += unfinished
        held.unread += unread
        if held.isChangedMuch { tellHeld() }
    }

    /// Tells the service what the connection holds, if that has changed.
    func tellHeld() {
        guard held.isChanged else { return }
        held.told()
        service.holds(unfinished: held.unfinished, unread: held.unread)
    }
}
