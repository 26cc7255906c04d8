/// The bytes that a connection holds for its client, and the number that the connection last told
/// its service.
struct HeldBytes: Equatable {
    /// Bytes of requests that are not whole, and of the headers of calls under way.
    var unfinished = 0
    /// Bytes of messages that the client has not taken.
    private(set) var unread = 0
    /// Whether the client has left too much unread, and has not taken half of it since.
    private(set) var isFull = false
    private var toldUnfinished = 0
    private var toldUnread = 0

    /// Whether the service knows less than there is to know.
    var isChanged: Bool { unfinished != toldUnfinished || unread != toldUnread }

    /// Whether the change is large enough to be told at once.
    var isChangedMuch: Bool {
        let change = max(abs(unfinished - toldUnfinished), abs(unread - toldUnread))
        return change >= ConnectionLimits.toldByteCountMin
    }

    /// Counts bytes of messages that the client has not taken, or less than none for bytes that it
    /// has taken.
    ///
    /// - Parameter byteCountMax: How many of those bytes there may be before calls wait.
    /// - Returns: Whether calls that waited may go on.
    mutating func count(unread byteCount: Int, within byteCountMax: Int) -> Bool {
        unread += byteCount
        if unread > byteCountMax { isFull = true }
        guard isFull, unread <= byteCountMax / 2 else { return false }
        isFull = false
        return true
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
        if held.count(unread: unread, within: unreadByteCountMax) {
            wakeAll()
        }
        if held.isChangedMuch { tellHeld() }
    }

    /// Lets all calls go on, in turn: first the calls behind the one that sent last.
    private func wakeAll() {
        let all = calls.values.sorted { $0.id < $1.id }
        let next = all.firstIndex { $0.id > lastSender } ?? 0
        for call in all[next...] + all[..<next] { sendSoon(call) }
    }

    /// Tells the service what the connection holds, if that has changed.
    func tellHeld() {
        guard held.isChanged else { return }
        held.told()
        service.holds(unfinished: held.unfinished, unread: held.unread)
    }
}
