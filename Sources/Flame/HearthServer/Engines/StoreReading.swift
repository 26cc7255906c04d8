package import HearthEngine
package import HearthModel
package import HearthSQLite
package import HearthWire

/// What the daemon tells of a store without disturbing its engine. Blocks on the disk.
///
/// Each call throws `StoreError` if the store cannot be read.
package protocol StoreReading: Sendable {
    /// How much there is.
    func figures() throws(StoreError) -> StoreFigures

    /// A part of the queues of all users, oldest first, that fits a frame; what is written only if
    /// asked for.
    func queue(
        after batch: BatchID, countMax: Int, withWrites: Bool
    ) throws(StoreError) -> QueuePage

    /// A part of the rejected batches, oldest first, that fits a frame; what is written only if asked
    /// for.
    func deadLetters(
        after batch: BatchID, countMax: Int, withWrites: Bool
    ) throws(StoreError) -> DeadLetterPage

    /// A part of the collections below a path that hold anything or did lately, in order.
    ///
    /// Throws for a store without collections or in memory alone, too.
    func collections(
        below path: ResourcePath, after: ResourcePath, countMax: Int
    ) throws(StoreError) -> [ResourcePath]

    /// Children of a place whose keys begin with a text, in the cache and in the first writes that wait.
    ///
    /// Throws for a store without places or in memory alone, too.
    func children(
        of path: RealtimePath, beginningWith prefix: String, countMax: Int
    ) throws(StoreError) -> [Report.ChildList.Child]

    /// What the cache knows of a document.
    ///
    /// Throws for a store without documents or in memory alone, too.
    func description(of document: DocumentKey) throws(StoreError) -> DocumentDescription

    /// A part of a document's history, the newest step first.
    ///
    /// Throws for a store without documents or in memory alone, too.
    func history(_ question: HistoryQuestion) throws(StoreError) -> HistoryPage

    /// Copies the store, with every write that was accepted before the call, to a path.
    ///
    /// Throws for a store in memory alone, too.
    func copy(to path: String) throws(StoreError) -> StoreCopy
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
    /// Documents; 0 for the Realtime Database, whose tree has none.
    package var documentCount = 0
    /// Bytes in use.
    package var byteCount = 0
    /// How much history of documents there is.
    package var history = HistoryFigures()

    /// An empty store's.
    package init() {}
}

/// Tells of nothing: a store in memory belongs to its engine alone.
struct NoReading: StoreReading {
    func figures() throws(StoreError) -> StoreFigures { StoreFigures() }

    func queue(
        after batch: BatchID, countMax: Int, withWrites: Bool
    ) throws(StoreError) -> QueuePage { QueuePage(batches: [], hasMore: false) }

    func deadLetters(
        after batch: BatchID, countMax: Int, withWrites: Bool
    ) throws(StoreError) -> DeadLetterPage { DeadLetterPage(letters: [], hasMore: false) }

    func collections(
        below path: ResourcePath, after: ResourcePath, countMax: Int
    ) throws(StoreError) -> [ResourcePath] {
        throw .io("it is kept in memory alone, which no list can be made of")
    }

    func children(
        of path: RealtimePath, beginningWith prefix: String, countMax: Int
    ) throws(StoreError) -> [Report.ChildList.Child] {
        throw .io("it is kept in memory alone, which no list can be made of")
    }

    func description(of document: DocumentKey) throws(StoreError) -> DocumentDescription {
        throw .io("it is kept in memory alone, where no document can be looked up")
    }

    func history(_ question: HistoryQuestion) throws(StoreError) -> HistoryPage {
        throw .io("it is kept in memory alone, whose history nobody else can read")
    }

    func copy(to path: String) throws(StoreError) -> StoreCopy {
        throw .io("it is kept in memory alone, which has no copy")
    }
}
