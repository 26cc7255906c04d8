package import HearthModel

/// The figures of the last hour: what the daemon kept, and what pages showed. Decides nothing; keeps and
/// divides.
package struct FigureHistory: Sendable {
    /// The figures of one step.
    package struct Sample: Equatable, Sendable {
        /// When the step ended.
        package var at: Timestamp
        /// Batches that waited at the end; `nil` if nobody knows.
        package var queue: Double?
        /// Writes a second.
        package var acceptedPerSecond: Double?
        /// Batches a second that the backend committed.
        package var committedPerSecond: Double?
        /// Batches a second that the backend refused.
        package var rejectedPerSecond: Double?
        /// Snapshots a second.
        package var snapshotsPerSecond: Double?
        /// Seconds that the backend took to commit a batch, on average.
        package var commitSeconds: Double?
        /// Seconds that a group took to become durable, on average.
        package var storeCommitSeconds: Double?
        /// Seconds that the slowest group took at most.
        package var longestTurnSeconds: Double?
    }

    /// The samples, oldest first.
    package private(set) var samples: [Sample] = []
    private var last: (reading: MetricReading, at: Timestamp)?

    /// No samples.
    package init() {}

    /// Takes a reading, and tells what happened since the last one.
    ///
    /// The first reading, and one of a daemon that was started anew, has nothing to be compared with.
    package mutating func take(_ reading: MetricReading, at now: Timestamp) -> Sample {
        let sample = sample(of: reading, at: now)
        last = (reading, now)
        samples.append(sample)
        if samples.count > ConsoleLimits.sampleCountMax { samples.removeFirst() }
        return sample
    }

    /// Takes what the daemon has kept of the last hour, where no page showed anything.
    ///
    /// - Parameter steps: What came of each of the daemon's steps, oldest first, and how long the step was.
    package mutating func fill(with steps: [(sample: Sample, duration: Duration)]) {
        let known = samples
        var next = known.startIndex
        let told = steps.compactMap { sample, duration -> Sample? in
            while next < known.endIndex, sample.at.since(known[next].at) >= duration { next += 1 }
            // A sample of a page within the step says more than the step.
            return next < known.endIndex && known[next].at <= sample.at ? nil : sample
        }
        let all = (known + told).sorted { $0.at < $1.at }
        samples = Array(all.suffix(ConsoleLimits.sampleCountMax))
    }

    private func sample(of reading: MetricReading, at now: Timestamp) -> Sample {
        guard let (earlier, then) = last, earlier.accepted <= reading.accepted,
            earlier.snapshots <= reading.snapshots, case let span = now.since(then) / .seconds(1),
            span > 0
        else { return Sample(at: now, queue: reading.queue) }
        return Sample(
            at: now, queue: reading.queue,
            acceptedPerSecond: (reading.accepted - earlier.accepted) / span,
            committedPerSecond: max(0, reading.committed - earlier.committed) / span,
            rejectedPerSecond: max(0, reading.rejected - earlier.rejected) / span,
            snapshotsPerSecond: (reading.snapshots - earlier.snapshots) / span,
            commitSeconds: reading.commit.mean(since: earlier.commit),
            storeCommitSeconds: reading.storeCommit.mean(since: earlier.storeCommit),
            longestTurnSeconds: reading.storeCommit.longest(since: earlier.storeCommit))
    }
}

extension FigureHistory.Sample {
    /// The sample as JSON.
    var json: JSONValue {
        .members([
            "at": .string(at.description), "queue": .number(queue),
            "acceptedPerSecond": .number(acceptedPerSecond),
            "committedPerSecond": .number(committedPerSecond),
            "rejectedPerSecond": .number(rejectedPerSecond),
            "snapshotsPerSecond": .number(snapshotsPerSecond),
            "commitSeconds": .number(commitSeconds),
            "storeCommitSeconds": .number(storeCommitSeconds),
            "longestTurnSeconds": .number(longestTurnSeconds),
        ])
    }
}
