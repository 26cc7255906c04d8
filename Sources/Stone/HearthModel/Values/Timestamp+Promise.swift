/// Times that stand for times of the backend which are not known yet.
///
/// The backend's times have whole microseconds. A promise has a nanosecond more, by which whoever
/// gets the time back knows it for a promise.
extension Timestamp {
    /// The promise of a microsecond.
    package init(promising microseconds: Int64) {
        let time = Timestamp(microseconds: microseconds)
        self.init(seconds: time.seconds, nanoseconds: time.nanoseconds + 1)
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
