import Hearth
import HearthModel

/// The steps that the daemon keeps, as samples.
extension FigureHistory {
    /// Takes what the daemon has kept of the last hour, where no page showed anything.
    mutating func fill(with steps: [DaemonStep]) {
        fill(with: steps.map { (sample: Sample($0), duration: .seconds($0.seconds)) })
    }
}

extension FigureHistory.Sample {
    /// What a step of the daemon's comes to a second.
    fileprivate init(_ step: DaemonStep) {
        self.init(
            at: HearthModel.Timestamp(
                seconds: step.endedAt.seconds, nanoseconds: step.endedAt.nanoseconds),
            queue: step.hasUnknownCounts ? nil : Double(step.queueBatchCount))
        acceptedPerSecond = Double(step.acceptedCount) / step.seconds
        committedPerSecond = Double(step.committedCount) / step.seconds
        rejectedPerSecond = Double(step.rejectedCount) / step.seconds
        snapshotsPerSecond = Double(step.snapshotCount) / step.seconds
        commitSeconds = step.commits.mean
        storeCommitSeconds = step.storeCommits.mean
        longestTurnSeconds = step.longestSeconds
    }
}

extension DaemonStep.Sum {
    /// The mean in seconds; `nil` if nothing happened.
    fileprivate var mean: Double? { count > 0 ? seconds / Double(count) : nil }
}
