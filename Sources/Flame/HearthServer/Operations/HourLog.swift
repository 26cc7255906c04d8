import HearthEngine
import HearthModel
import HearthWire

/// What happened in each step of the last hour. Decides nothing; keeps and subtracts.
///
/// Whoever looks at the daemon from time to time anyway notes the figures here; before a daemon without a
/// service manager nobody does, so such a daemon looks at itself once in a step.
struct HourLog: Sendable {
    /// The shortest step.
    static let stepMin = Duration.seconds(10)
    /// Steps that are kept: an hour of the shortest ones.
    static let stepCountMax = 360

    /// The steps, oldest first.
    private(set) var steps: [HourStep] = []
    /// The figures of each engine at the end of the last step, and when that was; `nil` before the first look.
    private var last: (figures: [EngineKey: EngineFigures], at: ContinuousClock.Instant)?

    /// Whether a step is over, so that the next look counts.
    func isDue(at now: ContinuousClock.Instant) -> Bool {
        last.map { now - $0.at >= Self.stepMin } ?? true
    }

    /// Ends a step. The first look has nothing to be compared with, and begins the first step.
    ///
    /// - Parameters:
    ///   - figures: What each engine has done since its start. An engine that was closed is missing; one that
    ///     was opened again counts from nothing.
    ///   - queueBatchCount: Batches that wait now; `nil` if nobody knows.
    ///   - time: What the clock on the wall shows.
    mutating func note(
        _ figures: [EngineKey: EngineFigures], queueBatchCount: Int?, at time: Timestamp,
        _ now: ContinuousClock.Instant
    ) {
        if let last, now <= last.at { return }  // Two looked at once.
        defer { self.last = (figures, now) }
        guard let last else { return }
        var step = HourStep(endedAt: time, seconds: (now - last.at) / .seconds(1))
        step.queueBatchCount = queueBatchCount
        for (key, figures) in figures {
            let before = last.figures[key].flatMap { figures.continues($0) ? $0 : nil }
            step.add(figures, since: before ?? EngineFigures())
        }
        steps.append(step)
        if steps.count > Self.stepCountMax { steps.removeFirst(steps.count - Self.stepCountMax) }
    }
}

extension EngineFigures {
    /// Whether these are later figures of the same engine, which only grow.
    fileprivate func continues(_ earlier: EngineFigures) -> Bool {
        acceptedCount >= earlier.acceptedCount && committedCount >= earlier.committedCount
            && rejectedCount >= earlier.rejectedCount && snapshotCount >= earlier.snapshotCount
            && upstreamCommits.continues(earlier.upstreamCommits)
            && storeCommits.continues(earlier.storeCommits)
    }
}

extension DurationHistogram {
    fileprivate func continues(_ earlier: DurationHistogram) -> Bool {
        earlier.counts.isEmpty
            || counts.count == earlier.counts.count
                && zip(counts, earlier.counts).allSatisfy { $0 >= $1 }
    }

    /// What was counted since earlier figures of the same engine.
    fileprivate func sum(since earlier: DurationHistogram) -> HourStep.Sum {
        HourStep.Sum(
            count: count - earlier.count, seconds: max(0, seconds - earlier.seconds))
    }

    /// The end of the bucket of the slowest since then; the last end for what took longer. `nil` if nothing
    /// was counted.
    fileprivate func longest(since earlier: DurationHistogram) -> Double? {
        let slowest = counts.indices.last {
            counts[$0] > (earlier.counts.isEmpty ? 0 : earlier.counts[$0])
        }
        return slowest.flatMap { ends.indices.contains($0) ? ends[$0] : ends.last }
    }
}

extension HourStep {
    /// Adds what an engine has done since earlier figures of the same engine.
    fileprivate mutating func add(_ figures: EngineFigures, since earlier: EngineFigures) {
        acceptedCount += figures.acceptedCount - earlier.acceptedCount
        committedCount += figures.committedCount - earlier.committedCount
        rejectedCount += figures.rejectedCount - earlier.rejectedCount
        snapshotCount += figures.snapshotCount - earlier.snapshotCount
        commits.add(figures.upstreamCommits.sum(since: earlier.upstreamCommits))
        storeCommits.add(figures.storeCommits.sum(since: earlier.storeCommits))
        if let longest = figures.storeCommits.longest(since: earlier.storeCommits) {
            longestSeconds = max(longestSeconds ?? 0, longest)
        }
    }
}

extension HourStep.Sum {
    fileprivate mutating func add(_ other: HourStep.Sum) {
        count += other.count
        seconds += other.seconds
    }
}
