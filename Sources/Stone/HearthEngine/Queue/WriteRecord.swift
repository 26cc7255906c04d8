package import HearthModel

/// What is remembered of a write, so that a resend is recognised. What may become of a write, its
/// engine says.
package struct WriteRecord<Outcome: Hashable & Sendable>: Hashable, Sendable {
    /// The batch that it became.
    package let batch: BatchID
    /// What became of it.
    package let outcome: Outcome

    /// Remembers a write.
    package init(batch: BatchID, outcome: Outcome) {
        self.batch = batch
        self.outcome = outcome
    }
}
