package import HearthModel

/// What became of the time that a batch had promised.
///
/// A client may give the promised time back as a precondition long after the batch has left the
/// queue. Then the document's real version takes the promise's place.
package struct SettledPromise: Hashable, Sendable {
    /// What became of the batch.
    package enum Outcome: Hashable, Sendable {
        /// The backend has applied the batch at a time; some documents have another version.
        case committed(at: SnapshotVersion, besides: [DocumentKey: SnapshotVersion] = [:])
        /// The backend or an administrator refused the batch.
        case rejected
    }

    /// The promised time.
    package let promisedAt: Timestamp
    /// The batch that promised the time.
    package let batch: BatchID
    /// What became of the batch.
    package let outcome: Outcome

    /// Remembers a promise.
    ///
    /// - Parameters:
    ///   - promisedAt: The promised time.
    ///   - batch: The batch that promised the time.
    ///   - outcome: What became of the batch.
    package init(promisedAt: Timestamp, batch: BatchID, outcome: Outcome) {
        self.promisedAt = promisedAt
        self.batch = batch
        self.outcome = outcome
    }

    /// The promise of a batch that has left the queue; `nil` if the batch promised nothing.
    init?(of batch: MutationBatch, _ outcome: WriteOutcome) {
        guard let promisedAt = batch.promisedAt else { return nil }
        switch outcome {
        case .pending: return nil
        case .rejected:
            self.init(promisedAt: promisedAt, batch: batch.id, outcome: .rejected)
        case .committed(let version, let updateTimes):
            var others: [DocumentKey: SnapshotVersion] = [:]
            for (mutation, updatedAt) in zip(batch.mutations, updateTimes) {
                others[mutation.key] = updatedAt  // The last write to a document counts.
            }
            self.init(
                promisedAt: promisedAt, batch: batch.id,
                outcome: .committed(at: version, besides: others.filter { $0.value != version }))
        }
    }

    /// The version that a document got; `nil` if the batch was rejected.
    package func version(of key: DocumentKey) -> SnapshotVersion? {
        switch outcome {
        case .committed(let version, let others): others[key] ?? version
        case .rejected: nil
        }
    }
}
