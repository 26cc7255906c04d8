/// Times that stand for times of the backend which are not known yet.
///
/// The backend's times have whole microseconds. A promise has a nanosecond more, and every reader
/// recognises a promise by the nanosecond.
extension Timestamp {
    /// The promise of a microsecond.
    package init(promising microseconds: Int64) {
        let time = Timestamp(microseconds: microseconds)
        self.init(seconds: time.seconds, nanoseconds: time.nanoseconds + 1)
    }

    /// The microseconds that can be promised: before the last of the year 9999, which is the last
    /// that a time on the wire has room for, and behind 1970.
    package static let promisedMicroseconds: ClosedRange<Int64> = 1...253_402_300_799_999_998

    /// The promise of a microsecond that was read from a file; `nil` for one that nobody promises.
    package init?(storedPromise microseconds: Int64) {
        guard Self.promisedMicroseconds.contains(microseconds) else { return nil }
        self.init(promising: microseconds)
    }

    /// Whether the time is marked as a promise.
    ///
    /// A promise that came back without its nanoseconds is not.
    package var isPromise: Bool { nanoseconds % 2 == 1 }

    /// Whether two times are the same microsecond, as clients without nanoseconds compare them.
    package func isSameMicrosecond(as other: Timestamp) -> Bool {
        flooredToMicroseconds == other.flooredToMicroseconds
    }
}
