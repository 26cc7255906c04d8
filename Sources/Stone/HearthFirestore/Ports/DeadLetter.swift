package import HearthModel

/// A rejected batch, kept until someone decides.
package struct DeadLetter: Hashable, Sendable {
    /// The batch as it was in the queue.
    package let batch: QueuedBatch
    /// Why the batch was refused.
    package let error: HearthError
    /// When.
    package let rejectedAt: Timestamp
    /// Whether an earlier sending got no answer: the backend may have applied the batch.
    package let mayHaveBeenApplied: Bool
    /// Whether the writer still waited and was told: then nobody needs to decide anything.
    package let wasTold: Bool

    /// Buries a batch. A dead letter promises nothing any more.
    ///
    /// - Parameters:
    ///   - batch: The batch as it was in the queue.
    ///   - error: Why the batch was refused.
    ///   - rejectedAt: When the backend or an administrator refused the writes.
    ///   - mayHaveBeenApplied: Whether an earlier sending got no answer: the backend may have
    ///     applied the batch.
    ///   - wasTold: Whether the writer still waited and was told: then nobody needs to decide
    ///     anything.
    package init(
        batch: QueuedBatch, error: HearthError, rejectedAt: Timestamp, mayHaveBeenApplied: Bool,
        wasTold: Bool = false
    ) {
        self.wasTold = wasTold
        self.batch = QueuedBatch(
            batch: batch.batch.promised(at: nil), user: batch.user, state: batch.state,
            writer: batch.writer, storedByteCount: batch.storedByteCount)
        self.error = error
        self.rejectedAt = rejectedAt
        self.mayHaveBeenApplied = mayHaveBeenApplied
    }

    /// The same letter, marked as told to nobody.
    package var untold: DeadLetter {
        DeadLetter(
            batch: batch, error: error, rejectedAt: rejectedAt,
            mayHaveBeenApplied: mayHaveBeenApplied)
    }
}
