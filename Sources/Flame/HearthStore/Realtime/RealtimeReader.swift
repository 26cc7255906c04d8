package import HearthEngine
package import HearthModel
package import HearthRealtime
import HearthSQLite

/// What can be read of a Realtime Database's store beside its engine.
///
/// Valid inside `ReaderPool.read` only. Each call throws `StoreError` if the disk fails or a row is
/// damaged.
package struct RealtimeReader {
    private let transaction: RealtimeSQLiteTransaction

    init(_ transaction: RealtimeSQLiteTransaction) {
        self.transaction = transaction
    }

    // MARK: Queue

    /// The queued writes of all users behind a write, in the order of numbers.
    package func queuedWrites(after write: BatchID = .none, count: Int) throws(StoreError)
        -> [QueueEntry]
    {
        try transaction.queueEntries(after: write, count: count)
    }

    /// One queued write with its change.
    package func queuedWrite(_ id: BatchID) throws(StoreError) -> QueuedWrite? {
        guard let user = try transaction.user(of: id) else { return nil }
        return try transaction.write(id, of: user)
    }

    /// The first held write of each queue that has one.
    package func firstHeldWrites() throws(StoreError) -> [UserID: BatchID] {
        try transaction.firstHeldBatches()
    }

    /// What is known of a write that is no dead letter; `nil` if nothing is.
    package func fate(of id: BatchID) throws(StoreError) -> BatchFate? {
        try transaction.fate(of: id)
    }

    /// Dead letters behind a write, in the order of numbers.
    package func deadLetters(after write: BatchID = .none, count: Int) throws(StoreError)
        -> [RealtimeDeadLetter]
    {
        try transaction.deadLetters(after: write, count: count)
    }

    /// The size of a dead letter's change as stored.
    package func deadLetterByteCount(_ id: BatchID) throws(StoreError) -> Int {
        try transaction.deadLetterByteCount(id)
    }

    /// The users whose queues have writes. O(users).
    package func usersWithWrites() throws(StoreError) -> [UserID] {
        try transaction.usersWithBatches()
    }

    // MARK: Tree

    /// The cached node at a place with all below; empty for none.
    ///
    /// - Complexity: O(size of the node).
    package func cachedNode(at path: RealtimePath) throws(StoreError) -> Node {
        try transaction.serverNode(at: path)
    }

    /// The keys of a place's cached children behind another key, in order.
    ///
    /// - Complexity: O(count * log n).
    package func children(
        of path: RealtimePath, after key: ChildKey? = nil, count: Int
    ) throws(StoreError) -> [ChildKey] {
        try transaction.serverKeys(at: path, after: key, count: count)
    }

    /// Whether the cache has the whole node of a place, as of the last connection.
    package func isComplete(_ path: RealtimePath) throws(StoreError) -> Bool {
        try transaction.trackedQueries(atOrAbove: path).contains {
            $0.isComplete && $0.target.query.isComplete
        }
    }

    // MARK: Figures

    /// Whether nobody has ever written anything here, nor the server told of a node.
    package func isBlank() throws(StoreError) -> Bool {
        let tallies = try transaction.tallies()
        return try transaction.globals().lastWriteID == .none && tallies == RealtimeTallies()
    }

    /// How much of everything there is. O(tracked queries).
    package func counts() throws(StoreError) -> RealtimeCounts {
        let tallies = try transaction.tallies()
        return RealtimeCounts(
            writeCount: tallies.queue.batchCount, heldWriteCount: tallies.queue.heldBatchCount,
            writeByteCount: tallies.queue.batchByteCount,
            oldestWrittenAt: try transaction.oldestWrittenAt(),
            deadLetterCount: tallies.queue.deadLetterCount,
            queryCount: try transaction.trackedQueryCount(),
            cacheByteCount: tallies.cacheByteCount, byteCount: try transaction.cacheByteCount())
    }
}

/// How much there is in a Realtime Database's store.
package struct RealtimeCounts: Hashable, Sendable {
    /// Writes in all queues.
    package let writeCount: Int
    /// How many of the writes an administrator keeps back.
    package let heldWriteCount: Int
    /// The size of all writes' changes.
    package let writeByteCount: Int
    /// When the oldest write was accepted.
    package let oldestWrittenAt: Timestamp?
    /// Rejected writes that wait for a decision.
    package let deadLetterCount: Int
    /// Queries remembered.
    package let queryCount: Int
    /// Bytes of the cached tree.
    package let cacheByteCount: Int
    /// Bytes of the file in use.
    package let byteCount: Int
}
