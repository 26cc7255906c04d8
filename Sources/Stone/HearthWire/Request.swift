package import HearthModel

/// What a client asks of the daemon. Under which number it asks, its frame says.
package enum Request: Hashable, Sendable {
    /// Opens the session. Answered by `Event.welcome`.
    case hello(Hello)
    /// Asks for a sign of life. Answered by `Event.done`.
    case ping
    /// Reads a query, or a document by its path, once. Answered by `Event.answer`.
    case get(Query, ReadSource)
    /// Subscribes. Answered by `Event.snapshot` until `unlisten`, or by `Event.listenFailed`.
    case listen(Query, ListenOptions)
    /// Ends the subscription of the same number. Not answered.
    case unlisten
    /// Writes. Answered by `Event.writeAccepted`, then `writeCommitted` or `writeRejected`.
    case write(Write)
    /// Waits until the backend has answered all writes accepted so far. Answered by `Event.done`.
    case waitForPendingWrites
    /// Waits only for the session's own, and the batch that the client knows to be its last.
    /// Answered by `Event.done`.
    case waitForOwnWrites(last: BatchID)
    /// Asks to be told when all listeners have been told. Answered by `Event.inSync`, repeatedly.
    case listenToSync
    /// No longer asks for that. Not answered.
    case unlistenToSync
    /// Loads a part of a bundle. Answered by `Event.bundleProgress`.
    case loadBundle(BundlePart)
    /// Looks up a named query. Answered by `Event.namedQuery`.
    case getNamedQuery(String)
    /// Reads documents from the backend, for a transaction. Answered by `Event.documents`.
    case readDocuments([DocumentKey])
    /// Commits a transaction. Never sent twice. Answered by `Event.committed` or `commitFailed`.
    case commit([Mutation])
    /// Asks for numbers over a query's results. Answered by `Event.numbers`.
    case aggregate(AggregateRequest)
    /// Packs a bundle. Answered by `Event.bundle`, in parts.
    case buildBundle(BundleOrder)
    /// Asks how a query is answered from the cache. Answered by `Event.explanation`.
    case explain(Query)
    /// Lists or changes the cache's indexes. Answered by `Event.indexes`.
    case manageIndexes(IndexChange)
    /// Forgets cache and queue of the database, for all. Answered by `Event.done`.
    case clearPersistence
    /// Asks for a part of the collections that the cache knows. Answered by `Event.collections`.
    case listCollections(CollectionPage)
    /// Lets the network be used, or not, as far as this session is concerned. Answered by
    /// `Event.done`.
    case voteNetwork(isEnabled: Bool)
    /// Asks how the daemon is. Answered by `Event.status`.
    case getStatus
    /// Asks what else operators want to know. Answered by `Event.inspection`.
    case inspect(Inspection.Subject)
    /// Asks for a part of the queue. Answered by `Event.queuePage`.
    case listQueue(Page)
    /// Asks for a part of the rejected batches. Answered by `Event.deadLetterPage`.
    case listDeadLetters(Page)
    /// Steers what waits or was rejected. Answered by `Event.queueSteered`.
    case steerQueue(QueueSteering)
    /// Reads the configuration again. Answered by `Event.reloaded`.
    case reload
    /// Goes online or offline, for all processes. Answered by `Event.done`.
    case setNetwork(isEnabled: Bool)
    /// Asks or changes who is signed in, for all processes. Answered by `Event.signIn`.
    case authenticate(SignInOrder)
}

extension Request {
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

    /// Writes that stand or fall together.
    package struct Write: Hashable, Sendable {
        /// The client's number for it, the same when it is sent again; 0 if it never will be.
        package var sequence: UInt64
        /// The client has the last answer of all its writes below this number.
        package var answeredBelow: UInt64
        /// The writes, in order. Not empty.
        package var mutations: [Mutation]

        /// Joins writes.
        package init(sequence: UInt64, answeredBelow: UInt64, mutations: [Mutation]) {
            self.sequence = sequence
            self.answeredBelow = answeredBelow
            self.mutations = mutations
        }
    }

    /// A part of a bundle; the parts of one bundle come under one number.
    package struct BundlePart: Hashable, Sendable {
        /// The bytes.
        package var data: [UInt8]
        /// Whether another part follows.
        package var hasMore: Bool

        /// Cuts out a part.
        package init(data: [UInt8], hasMore: Bool) {
            self.data = data
            self.hasMore = hasMore
        }
    }

    /// Which part of a list of batches, oldest first.
    package struct Page: Hashable, Sendable {
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
}
