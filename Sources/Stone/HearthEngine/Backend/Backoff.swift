package import HearthModel

/// How long to wait before a stream is tried again: at once, then 1 s, growing by half up to a
/// minute, each time give or take a half.
package struct Backoff: Hashable, Sendable {
    private static let initial = 1.0
    private static let factor = 1.5
    private static let longest = 60.0

    /// Seconds, before chance.
    private var base = 0.0
    private var lastAttemptAt: Timestamp?

    /// The next wait is none.
    package init() {}

    /// Makes the next wait none.
    package mutating func reset() { base = 0 }

    /// Makes the next wait the longest.
    package mutating func resetToLongest() { base = Self.longest }

    /// Returns the time to wait now, and grows the next. Time already spent counts.
    package mutating func next<Random: RandomNumberGenerator>(
        at now: Timestamp, using random: inout Random
    ) -> Duration {
        let wanted = base * Double.random(in: 0.5...1.5, using: &random)
        let spent = lastAttemptAt.map { max(0, now.since($0) / .seconds(1)) } ?? 0
        base = min(max(base * Self.factor, Self.initial), Self.longest)
        return .seconds(max(0, wanted - spent))
    }

    /// Whether the last attempt began so long ago.
    package func isRested(at now: Timestamp, for pause: Duration) -> Bool {
        lastAttemptAt.map { now.since($0) >= pause } ?? true
    }

    /// Notes that an attempt starts.
    package mutating func attempted(at now: Timestamp) { lastAttemptAt = now }
}
