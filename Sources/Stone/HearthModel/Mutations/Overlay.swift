/// The net effect of all pending batches on one document.
package struct Overlay: Hashable, Sendable {
    /// The newest batch in it; the overlay goes when that batch leaves the queue.
    package let largestBatchID: BatchID
    /// The time that the newest batch has promised, if it has.
    package let promisedAt: Timestamp?
    /// The promise of the batch that made the document; `nil` if the newest batch did, or none.
    ///
    /// What the backend has told since of the document's creation is later, and counts.
    package let createdAt: Timestamp?
    /// The effect as one write, without precondition.
    package let mutation: Mutation

    /// Joins an effect with its newest batch.
    ///
    /// - Parameters:
    ///   - largestBatchID: The newest batch in the effect; the overlay goes when that batch leaves
    ///     the queue.
    ///   - promisedAt: The time that the newest batch has promised; `nil` if the batch has promised
    ///     none.
    ///   - createdAt: The promise of the batch that made the document; `nil` if the newest batch
    ///     made the document, or no batch did.
    ///   - mutation: The effect as one write, without precondition.
    package init(
        largestBatchID: BatchID, promisedAt: Timestamp? = nil, createdAt: Timestamp? = nil,
        mutation: Mutation
    ) {
        self.largestBatchID = largestBatchID
        self.promisedAt = promisedAt
        self.createdAt = createdAt
        self.mutation = mutation
    }

    /// The document that the effect is on.
    package var key: DocumentKey { mutation.key }

    /// Shows the effect in the remote document. The fields it changed count as local writes.
    package func apply(to document: inout Document) {
        let existed = document.exists
        _ = mutation.apply(
            to: &document, mask: .empty, writtenAt: Timestamp(seconds: 0, nanoseconds: 0))
        if document.hasLocalMutations { document.promisedAt = promisedAt }
        if let createdAt {
            document.createdAt = max(document.createdAt, SnapshotVersion(createdAt))
        } else if !existed {
            document.becomeCreated(promisedAt)
        }
    }
}
