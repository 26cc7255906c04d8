package import HearthEngine
package import HearthFirestore
package import HearthModel
package import HearthStore

/// What the daemon tells of a store without disturbing its engine. Blocks on the disk.
package protocol StoreReading: Sendable {
    /// How much there is.
    func figures() throws(StoreError) -> StoreFigures
    /// Reads in one transaction; `nil` if there is no file, since a store in memory belongs to its
    /// engine alone.
    func read<Value>(_ body: (StoreReader) throws(StoreError) -> Value)
        throws(StoreError) -> Value?
}

extension StoreReading {
    /// A part of the queues of all users, oldest first.
    ///
    /// - Throws: `StoreError` if the store cannot be read.
    package func queue(after batch: BatchID, countMax: Int) throws(StoreError) -> [ListedBatch] {
        let batches = try read { reader throws(StoreError) in
            try reader.list(try reader.queuedBatches(after: batch, count: countMax))
        }
        return batches ?? []
    }

    /// A part of the collections below a path that hold anything or did lately, in order.
    ///
    /// - Throws: `StoreError` if the store cannot be read, or is kept in memory alone.
    package func collections(
        below path: ResourcePath, after: ResourcePath, countMax: Int
    ) throws(StoreError) -> [ResourcePath] {
        let paths = try read { reader throws(StoreError) in
            try reader.collections(below: path, after: after, count: countMax)
        }
        guard let paths else {
            throw .io("it is kept in memory alone, which no list can be made of")
        }
        return paths
    }

    /// A part of the rejected batches, oldest first.
    ///
    /// - Throws: `StoreError` if the store cannot be read.
    package func deadLetters(
        after batch: BatchID, countMax: Int
    ) throws(StoreError) -> [ListedDeadLetter] {
        let letters = try read { reader throws(StoreError) in
            var letters: [ListedDeadLetter] = []
            for letter in try reader.deadLetters(after: batch, count: countMax) {
                letters.append(
                    ListedDeadLetter(
                        letter: letter,
                        byteCount: try reader.deadLetterByteCount(letter.batch.batch.id)))
            }
            return letters
        }
        return letters ?? []
    }
}

extension StoreReader {
    /// Queued batches with their writes and the held batches in front.
    func list(_ entries: [QueueEntry]) throws(StoreError) -> [ListedBatch] {
        let held = try firstHeldBatches()
        var batches: [ListedBatch] = []
        for entry in entries {
            guard let batch = try queuedBatch(entry.id) else { continue }
            let heldBy = held[entry.user].flatMap { $0 < entry.id ? $0 : nil }
            batches.append(ListedBatch(batch: batch, byteCount: entry.byteCount, heldBy: heldBy))
        }
        return batches
    }
}

/// A batch that waits, with its size.
package struct ListedBatch: Hashable, Sendable {
    /// The batch.
    package let batch: QueuedBatch
    /// The size of its writes as stored; 0 if not known.
    package let byteCount: Int
    /// The held batch in front, for which this batch waits.
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
    /// Batches among `queueBatchCount` that an administrator keeps back.
    package var heldBatchCount = 0
    /// When the oldest waiting batch was written.
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
