import HearthModel

/// The read times of one stream: never falling, and never ahead of the server.
///
/// A client with a cache of its own skips messages that are older than the cache. A time says in
/// its nanoseconds whether something waits and whether the backend may know better (`Marks`). If
/// only these marks change for the smaller, the time rises by the one microsecond that has passed
/// since.
struct ReadTimes: Sendable {
    /// The time where no server was ever heard. Zero would mean no time at all.
    static let first = Timestamp(microseconds: 1)

    private(set) var last: Timestamp

    /// Begins.
    ///
    /// - Parameter last: The last time that the client has from an earlier stream.
    init(after last: Timestamp? = nil) {
        self.last = last ?? Self.first
    }

    /// Raises the times to one that the client has.
    mutating func raise(to other: Timestamp) { last = max(last, other) }

    /// The time of a message.
    ///
    /// - Parameters:
    ///   - heard: Up to when the backend has told of the documents that the message completes.
    ///   - marks: What the time says besides.
    mutating func next(_ heard: Timestamp, _ marks: Marks) -> Timestamp {
        var time = marks.marked(max(heard, last))
        if time < last { time = marks.marked(Timestamp(microseconds: time.microseconds + 1)) }
        last = time
        return time
    }
}
