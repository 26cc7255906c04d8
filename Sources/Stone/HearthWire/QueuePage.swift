package import HearthEngine
package import HearthModel

/// A part of the queue, oldest batch first.
package struct QueuePage: Hashable, Sendable {
    /// One batch of writes on its way to the backend.
    package struct Batch: Hashable, Sendable {
        /// What must hold of a document before the batch writes to it.
        package struct Demand: Hashable, Sendable {
            /// The document.
            package var key: DocumentKey
            /// What must hold; never nothing.
            package var precondition: Precondition

            /// Takes the parts.
            package init(_ key: DocumentKey, _ precondition: Precondition) {
                self.key = key
                self.precondition = precondition
            }
        }

        /// The most demands that are told of a batch.
        package static let demandCountMax = 100

        /// The batch's number in the queue.
        package var id: BatchID
        /// How far the batch has come.
        package var state: BatchState
        /// When a program wrote the batch.
        package var writtenAt: Timestamp
        /// The batch's size in bytes.
        package var byteCount: Int
        /// The process that wrote the batch.
        package var writer: Writer
        /// What the batch writes.
        package var content: BatchContent
        /// The Firebase user whose queue holds the batch.
        package var user = UserID.unauthenticated
        /// The held batch that this batch waits behind.
        package var heldBy: BatchID?
        /// What the writer said of the sending.
        package var terms = SendingTerms()
        /// What must hold of documents, in the order of writes; at most `demandCountMax` of them.
        package var demands: [Demand] = []

        /// Describes a batch.
        ///
        /// - Parameters:
        ///   - id: The batch's number in the queue.
        ///   - state: How far the batch has come.
        ///   - writtenAt: When a program wrote the batch.
        ///   - byteCount: The batch's size in bytes.
        ///   - writer: The process that wrote the batch.
        ///   - content: What the batch writes.
        package init(
            id: BatchID, state: BatchState, writtenAt: Timestamp, byteCount: Int, writer: Writer,
            content: BatchContent
        ) {
            self.id = id
            self.state = state
            self.writtenAt = writtenAt
            self.byteCount = byteCount
            self.writer = writer
            self.content = content
        }
    }

    /// The batches.
    package var batches: [Batch]
    /// Whether there are more batches after the last of the page.
    package var hasMore: Bool

    /// Takes the parts.
    package init(batches: [Batch], hasMore: Bool) {
        self.batches = batches
        self.hasMore = hasMore
    }
}

/// A part of the rejected batches, oldest first.
package struct DeadLetterPage: Hashable, Sendable {
    /// A rejected batch, which the daemon keeps until an administrator retries, edits or drops the
    /// batch.
    package struct Letter: Hashable, Sendable {
        /// The batch.
        package var batch: QueuePage.Batch
        /// Why the batch was rejected.
        package var error: HearthError
        /// When the batch was rejected.
        package var rejectedAt: Timestamp
        /// Whether the batch was sent before without an answer.
        package var mayHaveBeenApplied: Bool

        /// Describes a letter.
        ///
        /// - Parameters:
        ///   - batch: The batch.
        ///   - error: Why the batch was rejected.
        ///   - rejectedAt: When the batch was rejected.
        ///   - mayHaveBeenApplied: Whether the batch was sent before without an answer.
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
    /// Whether there are more letters after the last of the page.
    package var hasMore: Bool
    /// What became of the batch that was asked for, if the batch is no letter and anything is known.
    package var fate: BatchFate?

    /// Takes the parts.
    package init(letters: [Letter], hasMore: Bool, fate: BatchFate? = nil) {
        self.letters = letters
        self.hasMore = hasMore
        self.fate = fate
    }
}
