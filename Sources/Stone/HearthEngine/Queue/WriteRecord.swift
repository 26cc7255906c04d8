package import HearthModel

/// What a store remembers of a write; the engine recognises a resent write by the record.
///
/// Each engine defines its own `Outcome`.
package struct WriteRecord<Outcome: Hashable & Sendable>: Hashable, Sendable {
    /// The batch that the write became.
    package let batch: BatchID
    /// What became of the write.
    package let outcome: Outcome

    /// Remembers a write.
    package init(batch: BatchID, outcome: Outcome) {
        self.batch = batch
        self.outcome = outcome
    }
}
