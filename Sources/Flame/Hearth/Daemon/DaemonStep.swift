import HearthWire

/// What happened in a few seconds, in all databases of the daemon together.
public struct DaemonStep: Hashable, Sendable {
    /// How often something happened, and how long all together took.
    public struct Sum: Hashable, Sendable {
        /// How often.
        public let count: Int
        /// The seconds of all together.
        public let seconds: Double

        init(_ sum: HourStep.Sum) {
            count = Int(clamping: sum.count)
            seconds = sum.seconds
        }
    }

    /// When the step ended.
    public let endedAt: Timestamp
    /// How long the step was, in seconds; greater than 0.
    public let seconds: Double
    /// Batches that waited at the end; 0 if `hasUnknownCounts`.
    public let queueBatchCount: Int
    /// Whether the daemon could not read a store at the end, so that nobody knows how many batches waited.
    public let hasUnknownCounts: Bool
    /// Writes that became durable on the machine.
    public let acceptedCount: Int
    /// Batches that the backend committed.
    public let committedCount: Int
    /// Batches that the backend refused.
    public let rejectedCount: Int
    /// Snapshots that were handed to listeners.
    public let snapshotCount: Int
    /// How long the backend took to commit batches.
    public let commits: Sum
    /// How long groups of changes took to become durable.
    public let storeCommits: Sum
    /// Seconds that the slowest group of changes took at most; `nil` if there was none.
    ///
    /// That is the end of a bucket of a histogram. What took longer than the last end, half a minute, has the
    /// last end.
    public let longestSeconds: Double?

    init(_ step: HourStep) {
        endedAt = Timestamp(step.endedAt)
        seconds = step.seconds
        queueBatchCount = step.queueBatchCount ?? 0
        hasUnknownCounts = step.queueBatchCount == nil
        acceptedCount = Int(clamping: step.acceptedCount)
        committedCount = Int(clamping: step.committedCount)
        rejectedCount = Int(clamping: step.rejectedCount)
        snapshotCount = Int(clamping: step.snapshotCount)
        commits = Sum(step.commits)
        storeCommits = Sum(step.storeCommits)
        longestSeconds = step.longestSeconds
    }
}

extension DaemonDatabase {
    /// What happened in the last hour, in steps of 10 s or a little more, oldest first.
    ///
    /// The daemon keeps the steps while a service manager such as systemd watches it, for which the daemon
    /// looks at itself every few seconds anyway. Otherwise there are none.
    ///
    /// - Throws: `unavailable` if no daemon answers, `invalidArgument` by an older daemon.
    public func daemonHour() async throws -> [DaemonStep] {
        try await inspect(.hour).hour.map(DaemonStep.init)
    }
}
