/// The daemon's counters at one moment, read from its text for monitoring, of all databases together.
package struct MetricReading: Equatable, Sendable {
    /// A histogram of durations.
    package struct Histogram: Equatable, Sendable {
        /// How often it happened.
        package var count = 0.0
        /// The seconds of all together.
        package var seconds = 0.0
        /// How many samples took at most a number of seconds, by that number. The last number is
        /// infinite.
        package var buckets: [Double: Double] = [:]
    }

    /// Batches that wait; `nil` if the daemon does not know the number of every database.
    package var queue: Double? = 0
    /// Writes that became durable on this machine.
    package var accepted = 0.0
    /// Batches that the backend committed.
    package var committed = 0.0
    /// Batches that the backend refused.
    package var rejected = 0.0
    /// Snapshots handed to listeners.
    package var snapshots = 0.0
    /// How long the backend took to commit a batch.
    package var commit = Histogram()
    /// How long a group of changes took to become durable.
    package var storeCommit = Histogram()

    /// No figures.
    package init() {}

    /// Adds up the lines of Prometheus's text format; lines that it does not know are passed over.
    package init(_ text: String) {
        for line in text.utf8.split(separator: UInt8(ascii: "\n"))
        where line.first != UInt8(ascii: "#") {
            guard let space = line.lastIndex(of: UInt8(ascii: " ")),
                let value = Double(String(Substring(line[line.index(after: space)...])))
            else { continue }
            let name = line[..<space].prefix { $0 != UInt8(ascii: "{") }
            add(String(Substring(name)), value, labels: String(Substring(line[..<space])))
        }
    }

    private mutating func add(_ name: String, _ value: Double, labels: String) {
        switch name {
        case "hearth_queue_batches": queue = value.isNaN ? nil : queue.map { $0 + value }
        case "hearth_writes_accepted_total": accepted += value
        case "hearth_writes_committed_total": committed += value
        case "hearth_writes_rejected_total": rejected += value
        case "hearth_snapshots_total": snapshots += value
        default:
            add(name, value, labels, of: "hearth_upstream_commit_seconds", to: &commit)
            add(name, value, labels, of: "hearth_store_commit_seconds", to: &storeCommit)
        }
    }

    private func add(
        _ name: String, _ value: Double, _ labels: String, of metric: String,
        to histogram: inout Histogram
    ) {
        switch name {
        case metric + "_count": histogram.count += value
        case metric + "_sum": histogram.seconds += value
        case metric + "_bucket":
            guard let end = Self.end(labels) else { return }
            histogram.buckets[end, default: 0] += value
        default: break
        }
    }

    /// The end of a bucket, which stands last: `{database="demo",le="0.5"}`.
    private static func end(_ labels: String) -> Double? {
        let parts = labels.split(separator: "\"")
        guard parts.count >= 3, parts[parts.count - 3].hasSuffix("le=") else { return nil }
        let text = parts[parts.count - 2]
        return text == "+Inf" ? .infinity : Double(text)
    }
}

extension MetricReading.Histogram {
    /// The mean of the times since an earlier reading, in seconds; `nil` if there were none.
    package func mean(since earlier: Self) -> Double? {
        let count = count - earlier.count
        return count > 0 ? max(0, seconds - earlier.seconds) / count : nil
    }

    /// The end of the bucket that the slowest since an earlier reading fell into, in seconds.
    ///
    /// - Returns: `nil` if nothing happened, or if the slowest is beyond the last end.
    package func longest(since earlier: Self) -> Double? {
        let ends = buckets.keys.sorted()
        var previous = 0.0
        var longest: Double?
        for end in ends {
            let count = (buckets[end] ?? 0) - (earlier.buckets[end] ?? 0)
            if count > previous { longest = end }
            previous = max(previous, count)
        }
        return longest.flatMap { $0.isFinite ? $0 : nil }
    }
}
