package import HearthModel

/// What happened in a few seconds, in all databases of a daemon together.
package struct HourStep: Hashable, Sendable {
    /// How often something happened, and how long all together took.
    package struct Sum: Hashable, Sendable {
        /// How often.
        package var count: UInt64
        /// The seconds of all together.
        package var seconds: Double

        /// Joins the parts.
        package init(count: UInt64 = 0, seconds: Double = 0) {
            self.count = count
            self.seconds = seconds
        }
    }

    /// When the step ended.
    package var endedAt: Timestamp
    /// How long the step was, in seconds; greater than 0.
    package var seconds: Double
    /// Batches that waited at the end; `nil` if a store could not be read, so that nobody knows.
    package var queueBatchCount: Int? = 0
    /// Writes that became durable on the machine.
    package var acceptedCount: UInt64 = 0
    /// Batches that the backend committed.
    package var committedCount: UInt64 = 0
    /// Batches that the backend refused.
    package var rejectedCount: UInt64 = 0
    /// Snapshots that were handed to listeners.
    package var snapshotCount: UInt64 = 0
    /// How long the backend took to commit batches.
    package var commits = Sum()
    /// How long groups of turns took to become durable.
    package var storeCommits = Sum()
    /// Seconds that the slowest group took at most, as far as a histogram tells; `nil` without a group.
    package var longestSeconds: Double?

    /// A step in which nothing happened.
    package init(endedAt: Timestamp, seconds: Double) {
        self.endedAt = endedAt
        self.seconds = seconds
    }
}
