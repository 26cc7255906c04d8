package import HearthModel

/// How long to wait before a stream is tried again: at once, then 1 s, then longer up to a limit.
package struct Backoff: Hashable, Sendable {
    private static let initial = 1.0

    private let factor: Double
    private let longest: Double
    private let chance: ClosedRange<Double>
    /// Seconds, before chance.
    private var base = 0.0
    private var lastAttemptAt: Timestamp?

    /// The next wait is none. Unless told otherwise, waits grow by half up to a minute, each give or
    /// take a half.
    ///
    /// - Parameters:
    ///   - factor: How much longer each wait is than the wait before.
    ///   - longest: The longest wait, in seconds, before chance.
    ///   - chance: The wait is multiplied by a number of this range.
    package init(
        factor: Double = 1.5, longest: Double = 60, chance: ClosedRange<Double> = 0.5...1.5
    ) {
        self.factor = factor
        self.longest = longest
        self.chance = chance
    }

    /// Makes the next wait none.
    package mutating func reset() { base = 0 }

    /// Makes the next wait the longest.
    package mutating func resetToLongest() { base = longest }

    /// Returns the time to wait now, and grows the next. Time already spent counts.
    package mutating func next<Random: RandomNumberGenerator>(
        at now: Timestamp, using random: inout Random
    ) -> Duration {
        let wanted = base * Double.random(in: chance, using: &random)
        let spent = lastAttemptAt.map { max(0, now.since($0) / .seconds(1)) } ?? 0
        base = min(max(base * factor, Self.initial), longest)
        return .seconds(max(0, wanted - spent))
    }

    /// Whether the last attempt began so long ago.
    package func isRested(at now: Timestamp, for pause: Duration) -> Bool {
        lastAttemptAt.map { now.since($0) >= pause } ?? true
    }

    /// Notes that an attempt starts.
    package mutating func attempted(at now: Timestamp) { lastAttemptAt = now }
}
