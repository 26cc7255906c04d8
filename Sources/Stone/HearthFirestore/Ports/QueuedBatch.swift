package import HearthEngine
package import HearthModel

/// A batch with all that is known of it besides.
package struct QueuedBatch: Hashable, Sendable {
    /// The writes.
    package let batch: MutationBatch
    /// Whose queue it is in.
    package let user: UserID
    /// How far it has come.
    package var state: BatchState
    /// Who wrote it.
    package let writer: Writer
    /// The stored size of the batch's writes, in bytes, if the batch was read from a store.
    ///
    /// The size tells no two batches apart.
    package let storedByteCount: Int?

    /// Puts a batch in a user's queue.
    ///
    /// - Parameters:
    ///   - batch: The writes.
    ///   - user: The Firebase user whose queue has the writes.
    ///   - state: How far the writes have come.
    ///   - writer: Who wrote.
    ///   - storedByteCount: The stored size of the batch's writes, in bytes; `nil` for a batch that
    ///     was read from no store.
    package init(
        batch: MutationBatch, user: UserID, state: BatchState = .queued, writer: Writer,
        storedByteCount: Int? = nil
    ) {
        self.batch = batch
        self.user = user
        self.state = state
        self.writer = writer
        self.storedByteCount = storedByteCount
    }

    /// Whether the batch was sent without an answer: the backend may have applied the batch.
    package var isInDoubt: Bool { state == .sentUnanswered }

    package static func == (lhs: Self, rhs: Self) -> Bool {
        lhs.batch == rhs.batch && lhs.user == rhs.user && lhs.state == rhs.state
            && lhs.writer == rhs.writer
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(batch)
        hasher.combine(user)
        hasher.combine(state)
    }
}
