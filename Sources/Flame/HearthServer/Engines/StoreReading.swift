package import HearthEngine
package import HearthFirestore
package import HearthModel

/// What the daemon tells of a store without disturbing its engine. Blocks on the disk.
package protocol StoreReading: Sendable {
    /// How much there is.
    func figures() throws(StoreError) -> StoreFigures
    /// A part of the queues of all users, oldest first.
    func queue(after: BatchID, countMax: Int) throws(StoreError) -> [ListedBatch]
    /// A part of the collections below a path that hold anything or did lately, in order.
    func collections(below path: ResourcePath, after: ResourcePath, countMax: Int)
        throws(StoreError) -> [ResourcePath]
    /// A part of the rejected batches, oldest first.
    func deadLetters(after: BatchID, countMax: Int) throws(StoreError) -> [ListedDeadLetter]
}

/// A batch that waits, with its size.
package struct ListedBatch: Hashable, Sendable {
    /// The batch.
    package let batch: QueuedBatch
    /// The size of its writes as stored; 0 if not known.
    package let byteCount: Int
    /// The held batch in front of it, for which it waits.
    package let heldBy: BatchID?

    /// Lists a batch.
    package init(batch: QueuedBatch, byteCount: Int, heldBy: BatchID? = nil) {
        self.batch = batch
        self.byteCount = byteCount
        self.heldBy = heldBy
    }
}

/// A batch that was rejected, with its size.
package struct ListedDeadLetter: Hashable, Sendable {
    /// The batch, and why it was rejected.
    package let letter: DeadLetter
    /// The size of its writes as stored.
    package let byteCount: Int

    /// Lists a dead letter.
    package init(letter: DeadLetter, byteCount: Int) {
        self.letter = letter
        self.byteCount = byteCount
    }
}

/// How much a store holds.
package struct StoreFigures: Hashable, Sendable {
    /// Batches that wait for the backend.
    package var queueBatchCount = 0
    /// Of these, the ones that an administrator keeps back.
    package var heldBatchCount = 0
    /// When the oldest of them was written.
    package var oldestWrittenAt: Timestamp?
    /// Rejected batches.
    package var deadLetterCount = 0
    /// Targets, watched or resumable.
    package var targetCount = 0
    /// Documents.
    package var documentCount = 0
    /// Bytes in use.
    package var byteCount = 0

    /// An empty store's.
    package init() {}
}
