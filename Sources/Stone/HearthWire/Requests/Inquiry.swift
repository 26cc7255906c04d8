package import HearthEngine
package import HearthModel

/// A question of an operator. Answered by `Event.report`.
///
/// The daemon answers from its tables and by a reader of the store, mostly without a turn of an engine.
/// The question changes nothing.
package enum Inquiry: Hashable, Sendable {
    /// The daemon's state. Answered by `Report.status`.
    case status
    /// Figures, processes or listeners. Answered by `Report.inspection`, lists in parts.
    case inspection(Inspection.Subject, after: Inspection.Place = .start)
    /// A part of the queue. Answered by `Report.queue`.
    case queue(BatchPage)
    /// A part of the rejected batches. Answered by `Report.deadLetters`.
    case deadLetters(BatchPage)
    /// A part of the collections that the cache knows, or the backend. Answered by `Report.collections`.
    case collections(CollectionPage)
    /// A document's state on this machine. Answered by `Report.document`.
    case document(DocumentKey)
    /// The children of a place, by the cache of an instance and the first writes that wait, or by the backend.
    /// Answered by `Report.children`.
    case children(ChildPage)
    /// How many documents programs have read, and the price. Answered by `Report.ledger`, in a turn
    /// of the engine, which has the newest reads.
    case ledger(LedgerQuestion)
    /// What became of a document. Answered by `Report.history`.
    case history(HistoryQuestion)
}

/// The answer to an inquiry.
package enum Report: Hashable, Sendable {
    /// The daemon's state.
    case status(StatusReport)
    /// Figures, processes or listeners.
    case inspection(Inspection)
    /// A part of the queue.
    case queue(QueuePage)
    /// A part of the rejected batches.
    case deadLetters(DeadLetterPage)
    /// A part of the collections that the cache knows, or the backend.
    case collections(CollectionList)
    /// A document's state on this machine.
    case document(DocumentDescription)
    /// Children of a place.
    case children(ChildList)
    /// What programs have read, as far as the asker may know.
    case ledger(LedgerReport)
    /// A part of a document's history.
    case history(HistoryPage)
}

extension Inquiry {
    /// The inquiry's needs and contents.
    package var traits: RequestTraits {
        switch self {
        case .status, .inspection, .ledger: RequestTraits(.open)
        case .queue, .deadLetters: RequestTraits(.overview)
        case .collections(let page): RequestTraits(.contents, contents: .collections(page))
        case .children(let page):
            RequestTraits(.contents, contents: .subtree(page.path, [.read]))
        case .document(let key): RequestTraits(.contentsOrOverview, contents: .documents([key]))
        case .history(let question):
            RequestTraits(.contents, contents: .documents([question.key]))
        }
    }

    /// Which part of a list of batches, oldest first.
    package struct BatchPage: Hashable, Sendable {
        /// The last batch of the page before; `BatchID.none` for the first page.
        package var after: BatchID
        /// How many batches at most; `nil` lets the daemon choose.
        package var batchCountMax: Int?
        /// Whether the answer holds the writes. If not, the answer holds only the documents' names.
        package var withWrites: Bool
        /// Whether a page of dead letters tells what became of the batch right behind `after`, if that
        /// batch is no dead letter.
        package var withFate: Bool

        /// Asks for a page.
        package init(
            after: BatchID = .none, batchCountMax: Int? = nil, withWrites: Bool = false,
            withFate: Bool = false
        ) {
            self.after = after
            self.batchCountMax = batchCountMax
            self.withWrites = withWrites
            self.withFate = withFate
        }

        /// The batch whose fate the page tells; `nil` for none.
        ///
        /// - Parameter first: The first letter of the page.
        package func fateWanted(besides first: BatchID?) -> BatchID? {
            guard withFate, after.rawValue < .max else { return nil }
            let wanted = BatchID(after.rawValue + 1)
            return first == wanted ? nil : wanted
        }

        /// How many batches the answer has at most.
        package var countBound: Int {
            Inquiry.bound(batchCountMax, by: WireLimits.pageBatchCountMax)
        }
    }

    /// Which part of the collections to list.
    package struct CollectionPage: Hashable, Sendable {
        /// The answer lists only collections below this document or collection.
        package var below: ResourcePath
        /// The last collection of the part before; the root for the first part.
        package var after: ResourcePath
        /// How many collections at most; `nil` lets the daemon choose.
        package var countMax: Int?
        /// Whether the backend is asked. Then the answer lists only what is right below a document or the
        /// root, and nothing comes behind the first part.
        package var isOfBackend: Bool

        /// Asks for a part.
        ///
        /// - Parameters:
        ///   - below: The answer lists only collections below this document or collection.
        ///   - after: The last collection of the part before; the root for the first part.
        ///   - countMax: How many collections at most; `nil` lets the daemon choose.
        ///   - isOfBackend: Whether the backend is asked. Then the answer lists only what is right
        ///     below a document or the root, and nothing comes behind the first part.
        package init(
            below: ResourcePath, after: ResourcePath = .root, countMax: Int? = nil,
            isOfBackend: Bool = false
        ) {
            self.below = below
            self.after = after
            self.countMax = countMax
            self.isOfBackend = isOfBackend
        }

        /// How many collections the answer has at most.
        package var countBound: Int { Inquiry.bound(countMax, by: WireLimits.pageNameCountMax) }
    }
}

extension Inquiry {
    /// Which children of a place to list.
    package struct ChildPage: Hashable, Sendable {
        /// Who is asked.
        package enum Source: Hashable, Sendable {
            /// The cache, for keys that begin with a text.
            case cache(beginningWith: String)
            /// The backend, for the keys behind the last key of the part before; `nil` for the first part.
            case backend(after: ChildKey?)
        }

        /// The place.
        package var path: RealtimePath
        /// Who is asked.
        package var source: Source
        /// How many children at most; `nil` lets the daemon choose.
        package var countMax: Int?

        /// Asks for children.
        ///
        /// - Parameters:
        ///   - path: The place.
        ///   - source: Who is asked.
        ///   - countMax: How many children at most; `nil` lets the daemon choose.
        package init(of path: RealtimePath, in source: Source, countMax: Int? = nil) {
            self.path = path
            self.source = source
            self.countMax = countMax
        }

        /// How many children the answer has at most.
        package var countBound: Int { Inquiry.bound(countMax, by: WireLimits.pageNameCountMax) }
    }

    /// As many as were asked for, 1 or more, within a limit.
    private static func bound(_ asked: Int?, by most: Int) -> Int {
        min(max(asked ?? most, 1), most)
    }
}

extension Report {
    /// Children of a place: whole numbers first, then the others.
    package struct ChildList: Hashable, Sendable {
        /// A child.
        package struct Child: Hashable, Sendable {
            /// The child's key.
            package var key: ChildKey
            /// Whether there are children below the child; of a backend's key, whether there may be.
            package var hasChildren: Bool

            /// Takes the parts.
            package init(key: ChildKey, hasChildren: Bool) {
                self.key = key
                self.hasChildren = hasChildren
            }
        }

        /// The children.
        package var children: [Child]
        /// Whether there are more children.
        package var hasMore: Bool

        /// Takes the parts.
        package init(children: [Child], hasMore: Bool) {
            self.children = children
            self.hasMore = hasMore
        }
    }

    /// A part of the collections, in the order of paths.
    package struct CollectionList: Hashable, Sendable {
        /// The collections.
        package var paths: [ResourcePath]
        /// Whether there are more collections after the last of the part.
        package var hasMore: Bool

        /// Takes the parts.
        package init(paths: [ResourcePath], hasMore: Bool) {
            self.paths = paths
            self.hasMore = hasMore
        }
    }
}
