/// What a restore does with the writes that wait in a backup.
///
/// A daemon that went on after the backup may have sent the writes. Only whoever restores knows.
package enum RestoredQueue: String, CaseIterable, Sendable {
    /// The writes are sent, under the store's old name: the daemon of the backup has sent nothing
    /// since, and never will again.
    case keep
    /// Every batch is held until an administrator lets the batch go or cancels the batch. The store
    /// gets a new name.
    case hold
    /// The batches and the dead letters are forgotten. The store gets a new name.
    case drop
}

/// How many batches a restored store has.
package struct RestoredCounts: Hashable, Sendable {
    /// Batches that wait, or waited before they were dropped.
    package var batchCount = 0
    /// Batches among `batchCount` that were on their way to the backend when the copy was made.
    package var sentCount = 0
    /// Rejected batches.
    package var deadLetterCount = 0

    /// Takes the counts.
    ///
    /// - Parameters:
    ///   - batchCount: Batches that wait, or waited before they were dropped.
    ///   - sentCount: Batches among `batchCount` that were on their way to the backend when the
    ///     copy was made.
    ///   - deadLetterCount: Rejected batches.
    package init(batchCount: Int = 0, sentCount: Int = 0, deadLetterCount: Int = 0) {
        self.batchCount = batchCount
        self.sentCount = sentCount
        self.deadLetterCount = deadLetterCount
    }
}
