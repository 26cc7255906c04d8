package import HearthModel

/// A clock that stands still until a test moves it.
package struct ManualClock: Sendable {
    /// The time.
    package private(set) var now: Timestamp

    /// Starts at noon of 2001-09-09 unless told otherwise, well away from zero.
    package init(now: Timestamp = Timestamp(seconds: 1_000_036_800, nanoseconds: 0)) {
        self.now = now
    }

    /// Lets time pass. `duration` must not be negative.
    package mutating func advance(by duration: Duration) {
        precondition(duration >= .zero, "Time does not run backwards")
        now = now.advanced(by: duration)
    }

    /// Lets time pass until a moment; one that is over changes nothing.
    package mutating func advance(to moment: Timestamp) {
        now = max(now, moment)
    }
}
