/// How often something took how long, in buckets.
package struct DurationHistogram: Hashable, Sendable {
    /// The ends for waits, in seconds: from a fast disk's sync to a slow backend.
    package static let waitEnds = [
        0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30,
    ]
    /// The ends for work on one thread, in seconds: from an ordinary turn to one that everybody notices.
    package static let workEnds = [0.000_1, 0.000_3, 0.001, 0.003, 0.01, 0.03, 0.1]

    /// The upper ends of the buckets, in seconds. What took longer is counted above the last.
    package let ends: [Double]
    /// How often, for each bucket alone; the last is above all ends. Empty if never.
    private(set) var counts: [UInt64] = []
    /// The sum of all, in seconds.
    package private(set) var seconds = 0.0

    /// Nothing yet.
    package init(ends: [Double] = waitEnds) {
        self.ends = ends
    }

    /// How often in all.
    package var count: UInt64 { counts.reduce(0, +) }

    /// Counts one.
    package mutating func count(_ duration: Duration) {
        let time = duration / .seconds(1)
        if counts.isEmpty { counts = Array(repeating: 0, count: ends.count + 1) }
        counts[ends.firstIndex { time <= $0 } ?? ends.count] += 1
        seconds += time
    }

    /// Counts some that took a time together, each no longer than the first end.
    package mutating func count(_ count: UInt64, together duration: Duration) {
        guard count > 0 else { return }
        if counts.isEmpty { counts = Array(repeating: 0, count: ends.count + 1) }
        counts[0] += count
        seconds += duration / .seconds(1)
    }

    /// Counts all that another with the same ends did.
    package mutating func add(_ other: DurationHistogram) {
        guard !other.counts.isEmpty else { return }
        if counts.isEmpty { counts = Array(repeating: 0, count: ends.count + 1) }
        for (index, count) in other.counts.enumerated() { counts[index] += count }
        seconds += other.seconds
    }

    /// How often it took no longer than each end, and how often in all.
    package var cumulativeCounts: [UInt64] {
        var sum: UInt64 = 0
        return (counts.isEmpty ? Array(repeating: 0, count: ends.count + 1) : counts).map {
            sum += $0
            return sum
        }
    }
}
