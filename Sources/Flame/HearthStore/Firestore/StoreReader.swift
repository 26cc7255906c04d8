package import HearthEngine
package import HearthFirestore
package import HearthModel
import HearthSQLite

/// What can be read of a store beside its engine.
///
/// Valid inside `ReaderPool.read` only. Each call throws `StoreError` if the disk fails or a row is
/// damaged.
package struct StoreReader {
    private let transaction: SQLiteTransaction

    init(_ transaction: SQLiteTransaction) {
        self.transaction = transaction
    }

    /// A document as a user sees it: the remote document with the user's pending effect.
    package func localDocument(_ key: DocumentKey, of user: UserID) throws(StoreError)
        -> Document
    {
        var document = try transaction.remoteDocument(key)
        if let overlay = try transaction.overlay(key, of: user) { overlay.apply(to: &document) }
        return document
    }

    /// A document as the backend had it when it was last read.
    package func remoteDocument(_ key: DocumentKey) throws(StoreError) -> Document {
        try transaction.remoteDocument(key)
    }

    /// Whether any target holds the document. O(log n).
    package func isInAnyTarget(_ key: DocumentKey) throws(StoreError) -> Bool {
        try transaction.isInAnyTarget(key)
    }

    /// Answers the question of a survey.
    ///
    /// - Parameters:
    ///   - room: Where the survey has room for what it holds; `nil` if nobody counts.
    ///   - isWanted: Whether somebody still waits. If nobody does, any outcome will do.
    /// - Complexity: O(documents where the query looks).
    package func answer(
        _ order: SurveyOrder, in room: (any SurveyRoom)? = nil,
        while isWanted: @escaping @Sendable () -> Bool
    ) throws(StoreError) -> SurveyOutcome {
        try order.answer(from: transaction, in: room, while: isWanted)
    }

    /// The queued batches of all users behind a batch, in the order of numbers.
    package func queuedBatches(after batch: BatchID = .none, count: Int) throws(StoreError)
        -> [QueueEntry]
    {
        try transaction.queueEntries(after: batch, count: count)
    }

    /// The first queued batches of all users that write to a document, in the order of numbers.
    ///
    /// - Complexity: O(users + batches that write to it + count * log n).
    package func queuedBatches(
        writingTo key: DocumentKey, count: Int
    ) throws(StoreError) -> [QueueEntry] {
        let users = try transaction.connection.statement("SELECT user FROM mutation_queues").map {
            UserID($0.text(0) ?? "")
        }
        var ids: [BatchID] = []
        for user in users { ids += try transaction.batchIDs(writingTo: key, of: user) }
        var entries: [QueueEntry] = []
        for id in ids.sorted().prefix(count) {
            entries += try transaction.queueEntries(after: BatchID(id.rawValue - 1), count: 1)
        }
        return entries
    }

    /// What the writer of a queued batch said of the sending. O(log n).
    package func terms(of batch: BatchID) throws(StoreError) -> SendingTerms? {
        try transaction.terms(of: batch)
    }

    /// One queued batch with its writes.
    package func queuedBatch(_ id: BatchID) throws(StoreError) -> QueuedBatch? {
        guard let user = try transaction.user(of: id) else { return nil }
        return try transaction.batch(id, of: user)
    }

    /// The first held batch of each queue that has one.
    package func firstHeldBatches() throws(StoreError) -> [UserID: BatchID] {
        try transaction.firstHeldBatches()
    }

    /// The size of a dead letter's writes as stored.
    package func deadLetterByteCount(_ id: BatchID) throws(StoreError) -> Int {
        try transaction.deadLetterByteCount(id)
    }

    /// What is known of a batch that is no dead letter; `nil` if nothing is.
    package func fate(of id: BatchID) throws(StoreError) -> BatchFate? {
        if let letter = try transaction.deadLetter(id), letter.wasTold {
            return BatchFate(
                .rejected(letter.error, mayHaveBeenApplied: letter.mayHaveBeenApplied),
                notedAt: letter.rejectedAt)
        }
        return try transaction.fate(of: id)
    }

    /// Dead letters behind a batch, in the order of numbers.
    package func deadLetters(after batch: BatchID = .none, count: Int) throws(StoreError)
        -> [DeadLetter]
    {
        try transaction.deadLetters(after: batch, count: count)
    }

    /// The collections below a path, behind another, that hold anything or did lately, in order.
    ///
    /// - Parameters:
    ///   - after: The collection behind which the answer begins; the root for the first.
    ///   - count: How many collections at most.
    /// - Throws: `StoreError` if the store cannot be read.
    /// - Complexity: O(log n + count).
    package func collections(
        below path: ResourcePath, after: ResourcePath = .root, count: Int
    ) throws(StoreError) -> [ResourcePath] {
        try transaction.collections(below: path, after: after, count: count)
    }

    /// Documents of a collection that exist, as the backend last told them, behind another, in the order of
    /// names.
    ///
    /// - Returns: So many that a page is neither long nor large (`StoreLimits`); none at the end.
    /// - Complexity: O(log n + page).
    package func remoteDocuments(
        in collection: ResourcePath, after key: DocumentKey?
    ) throws(StoreError) -> [Document] {
        try transaction.remoteDocuments(in: collection, after: key)
    }

    /// A part of a document's history, the newest step first.
    ///
    /// - Complexity: O(log n + page); for a time, O(log n + the document's entries since).
    package func history(_ question: HistoryQuestion) throws(StoreError) -> HistoryPage {
        try transaction.history(question)
    }

    /// A part of the history of all documents behind a step's number, the oldest step first; empty at the
    /// end.
    ///
    /// - Complexity: O(log n + page).
    package func history(after number: Int64) throws(StoreError) -> [HistoryEntry] {
        try transaction.historyEntries(after: number)
    }

    /// Every document that a user's queue writes to. O(queue).
    package func writtenKeys(of user: UserID) throws(StoreError) -> Set<DocumentKey> {
        try transaction.writtenKeys(of: user)
    }

    /// The users whose queues have batches. O(users).
    package func usersWithBatches() throws(StoreError) -> [UserID] {
        try transaction.usersWithBatches()
    }

    /// Whether nobody has ever written anything here, nor the backend told of a document.
    package func isBlank() throws(StoreError) -> Bool {
        try transaction.isBlank()
    }

    /// How much of everything there is. O(log n).
    package func counts() throws(StoreError) -> StoreCounts {
        try transaction.counts()
    }
}

/// A queued batch as a list shows it, without its writes.
package struct QueueEntry: Hashable, Sendable {
    /// The number.
    package let id: BatchID
    /// The user of the batch's queue.
    package let user: UserID
    /// How far it has come.
    package let state: BatchState
    /// When it was accepted; its age is counted from here.
    package let writtenAt: Timestamp
    /// Who wrote it.
    package let writer: Writer
    /// The size of its writes as stored.
    package let byteCount: Int
}

/// How much there is in a store.
package struct StoreCounts: Hashable, Sendable {
    /// Batches in all queues.
    package let batchCount: Int
    /// How many of the batches an administrator keeps back.
    package let heldBatchCount: Int
    /// The size of all batches' writes.
    package let batchByteCount: Int
    /// When the oldest batch was accepted.
    package let oldestWrittenAt: Timestamp?
    /// Documents that the store knows something of.
    package let documentCount: Int
    /// Targets remembered.
    package let targetCount: Int
    /// Dead letters that wait for a decision.
    package let deadLetterCount: Int
    /// Bytes of the file in use.
    package let cacheByteCount: Int
    /// How much history of documents there is.
    package let history: HistoryFigures
}
