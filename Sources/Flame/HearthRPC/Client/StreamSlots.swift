/// Where the next call of a connection begins, by the streams that the server counts.
///
/// A stream counts until both ends have ended the stream or one has reset it. So a stream of a call that was given
/// up takes the place of another call until its reset is sent, and few resets may be sent in a minute.
struct StreamSlots: Hashable, Sendable {
    /// What becomes of a call.
    enum Place: Hashable, Sendable {
        /// The call begins on this connection.
        case here
        /// The call waits until another call is over.
        case queue
        /// The call begins on another connection: no call's end makes room here soon, and the server has room.
        case elsewhere
    }

    /// Calls under way.
    let callCount: Int
    /// Streams of calls that were given up, whose resets are not sent.
    let leavingCount: Int
    /// Streams that the server takes at once.
    let countMax: Int
    /// Whether no more resets may be sent for now.
    let resetsRest: Bool

    /// Where the next call begins.
    var next: Place {
        if callCount < countMax - leavingCount { return .here }
        // Without the streams that leave there would be room.
        return resetsRest && leavingCount > 0 && callCount < countMax ? .elsewhere : .queue
    }
}
