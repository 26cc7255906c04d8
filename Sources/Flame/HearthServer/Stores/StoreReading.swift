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

    /// The answer to an operator's question; `nil` if no such store can answer the question.
    ///
    /// A page fits a frame. Throws for a store in memory alone, too.
    func report(on inquiry: Inquiry) throws(StoreError) -> Report?

    /// Copies the store, with every write that was accepted before the call, to a path.
    ///
    /// Throws for a store in memory alone, too.
    func copy(to path: String) throws(StoreError) -> StoreCopy
}

extension StoreReading {
    /// A part of the collections that hold anything or did lately, in order.
    ///
    /// Throws for a store without collections or in memory alone, too.
    package func collections(
        _ page: Inquiry.CollectionPage
    ) throws(StoreError) -> Report.CollectionList {
        guard case .collections(let list) = try report(on: .collections(page)) else {
            throw .io("it has no collections")
        }
        return list
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

    func report(on inquiry: Inquiry) throws(StoreError) -> Report? {
        if case .queue = inquiry { return .queue(QueuePage(batches: [], hasMore: false)) }
        if case .deadLetters = inquiry {
            return .deadLetters(DeadLetterPage(letters: [], hasMore: false))
        }
        throw .io("it is kept in memory alone, where nothing can be looked up")
    }

    func copy(to path: String) throws(StoreError) -> StoreCopy {
        throw .io("it is kept in memory alone, which has no copy")
    }
}
