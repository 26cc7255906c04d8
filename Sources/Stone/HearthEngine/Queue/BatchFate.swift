package import HearthModel

/// What a store knows of a batch that is neither in the queue nor among the dead letters.
package struct BatchFate: Hashable, Sendable {
    /// How far the batch has come.
    package enum End: Hashable, Sendable {
        /// The batch has no answer.
        case pending
        /// The backend has applied the batch.
        case committed
        /// The batch was refused.
        case rejected(HearthError, mayHaveBeenApplied: Bool)
    }

    /// How far the batch has come.
    package let end: End
    /// When the end was noted. A store has no clock of its own: the time may be that of the last write
    /// that was accepted before.
    package let notedAt: Timestamp

    /// Takes the parts.
    package init(_ end: End, notedAt: Timestamp) {
        self.end = end
        self.notedAt = notedAt
    }
}
