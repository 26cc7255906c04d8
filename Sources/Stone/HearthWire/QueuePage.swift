package import HearthEngine
package import HearthModel

/// A part of the queue, oldest batch first.
package struct QueuePage: Hashable, Sendable {
    /// One batch of writes on its way to the backend.
    package struct Batch: Hashable, Sendable {
        /// Its place.
        package var id: BatchID
        /// How far it has come.
        package var state: BatchState
        /// When it was written.
        package var writtenAt: Timestamp
        /// Its size.
        package var byteCount: Int
        /// Who wrote it.
        package var writer: Writer
        /// The documents it writes to, each once, in order.
        package var documents: [DocumentKey]
        /// What it writes; empty unless asked for.
        package var mutations: [Mutation]
        /// Firebase's user in whose queue it is.
        package var user = UserID.unauthenticated
        /// The held batch in front of it, for which it waits.
        package var heldBy: BatchID?

        /// Describes a batch.
        package init(
            id: BatchID, state: BatchState, writtenAt: Timestamp, byteCount: Int, writer: Writer,
            documents: [DocumentKey], mutations: [Mutation] = []
        ) {
            self.id = id
            self.state = state
            self.writtenAt = writtenAt
            self.byteCount = byteCount
            self.writer = writer
            self.documents = documents
            self.mutations = mutations
        }
    }

    /// The batches.
    package var batches: [Batch]
    /// Whether there are more after the last of them.
    package var hasMore: Bool

    /// Cuts out a page.
    package init(batches: [Batch], hasMore: Bool) {
        self.batches = batches
        self.hasMore = hasMore
    }
}

/// A part of the rejected batches, oldest first.
package struct DeadLetterPage: Hashable, Sendable {
    /// A batch that was rejected, kept until someone decides.
    package struct Letter: Hashable, Sendable {
        /// The batch.
        package var batch: QueuePage.Batch
        /// Why it was refused.
        package var error: HearthError
        /// When.
        package var rejectedAt: Timestamp
        /// Whether it was sent before without an answer.
        package var mayHaveBeenApplied: Bool

        /// Describes a letter.
        package init(
            batch: QueuePage.Batch, error: HearthError, rejectedAt: Timestamp,
            mayHaveBeenApplied: Bool
        ) {
            self.batch = batch
            self.error = error
            self.rejectedAt = rejectedAt
            self.mayHaveBeenApplied = mayHaveBeenApplied
        }
    }

    /// The letters.
    package var letters: [Letter]
    /// Whether there are more after the last of them.
    package var hasMore: Bool

    /// Cuts out a page.
    package init(letters: [Letter], hasMore: Bool) {
        self.letters = letters
        self.hasMore = hasMore
    }
}
