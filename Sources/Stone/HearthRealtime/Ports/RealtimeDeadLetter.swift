package import HearthModel

/// A rejected write, kept until someone decides.
package struct RealtimeDeadLetter: Hashable, Sendable {
    /// The write as it was in the queue.
    package let write: QueuedWrite
    /// Why the write was refused.
    package let error: HearthError
    /// When.
    package let rejectedAt: Timestamp
    /// Whether an earlier sending got no answer: the backend may have applied the write.
    package let mayHaveBeenApplied: Bool

    /// Buries a write.
    ///
    /// - Parameters:
    ///   - write: The write as it was in the queue.
    ///   - error: Why the write was refused.
    ///   - rejectedAt: When the backend or an administrator refused the writes.
    ///   - mayHaveBeenApplied: Whether an earlier sending got no answer: the backend may have
    ///     applied the write.
    package init(
        write: QueuedWrite, error: HearthError, rejectedAt: Timestamp, mayHaveBeenApplied: Bool
    ) {
        self.write = write
        self.error = error
        self.rejectedAt = rejectedAt
        self.mayHaveBeenApplied = mayHaveBeenApplied
    }
}
