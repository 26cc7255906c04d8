package import HearthModel

/// A question of an operator. The daemon answers from its tables and by a reader of the store, without
/// a turn of an engine, and changes nothing. Answered by `Event.report`.
package enum Inquiry: Hashable, Sendable {
    /// How the daemon is. Answered by `Report.status`.
    case status
    /// What else there is to see. Answered by `Report.inspection`.
    case inspection(Inspection.Subject)
    /// A part of the queue. Answered by `Report.queue`.
    case queue(BatchPage)
    /// A part of the rejected batches. Answered by `Report.deadLetters`.
    case deadLetters(BatchPage)
    /// A part of the collections that the cache knows. Answered by `Report.collections`.
    case collections(CollectionPage)
    /// Where a document stands on this machine. Answered by `Report.document`.
    case document(DocumentKey)
}

/// The answer to an inquiry.
package enum Report: Hashable, Sendable {
    /// How the daemon is.
    case status(StatusReport)
    /// What else operators want to know.
    case inspection(Inspection)
    /// A part of the queue.
    case queue(QueuePage)
    /// A part of the rejected batches.
    case deadLetters(DeadLetterPage)
    /// A part of the collections that the cache knows.
    case collections(CollectionList)
    /// Where a document stands on this machine.
    case document(DocumentDescription)
}

extension Inquiry {
    /// What the inquiry needs and names.
    package var traits: RequestTraits {
        switch self {
        case .status, .inspection: RequestTraits(.open)
        case .queue, .deadLetters: RequestTraits(.overview)
        case .collections(let page): RequestTraits(.contents, contents: .collections(page))
        case .document(let key): RequestTraits(.overview, contents: .documents([key]))
        }
    }

    /// Which part of a list of batches, oldest first.
    package struct BatchPage: Hashable, Sendable {
        /// The last batch of the page before; `BatchID.none` for the first page.
        package var after: BatchID
        /// How many batches at most; `nil` lets the daemon choose.
        package var batchCountMax: Int?
        /// Whether to tell what is written, and not only to which documents.
        package var withWrites: Bool

        /// Asks for a page.
        package init(after: BatchID = .none, batchCountMax: Int? = nil, withWrites: Bool = false) {
            self.after = after
            self.batchCountMax = batchCountMax
            self.withWrites = withWrites
        }
    }

    /// Which part of the collections to tell.
    package struct CollectionPage: Hashable, Sendable {
        /// Only what is below this document or collection.
        package var below: ResourcePath
        /// The last collection of the part before; the root for the first part.
        package var after: ResourcePath
        /// How many at most; `nil` lets the daemon choose.
        package var countMax: Int?

        /// Asks for a part.
        package init(below: ResourcePath, after: ResourcePath = .root, countMax: Int? = nil) {
            self.below = below
            self.after = after
            self.countMax = countMax
        }
    }
}

extension Report {
    /// A part of the collections, in the order of paths.
    package struct CollectionList: Hashable, Sendable {
        /// The collections.
        package var paths: [ResourcePath]
        /// Whether there are more behind them.
        package var hasMore: Bool

        /// Tells of collections.
        package init(paths: [ResourcePath], hasMore: Bool) {
            self.paths = paths
            self.hasMore = hasMore
        }
    }
}
