package import HearthModel

/// What a client asks of the daemon. Under which number it asks, its frame says.
package enum Request: Hashable, Sendable {
    /// Opens the session. Answered by `Event.welcome`.
    case hello(Hello)
    /// Asks for a sign of life. Answered by `Event.done`.
    case ping
    /// Reads a query, or a document by its path, once. Answered by `Event.answer`.
    case get(Query, Source)
    /// Subscribes. Answered by `Event.snapshot` until `unlisten`, or by `Event.listenFailed`.
    case listen(Query, ListenOptions)
    /// Ends the subscription of the same number. Not answered.
    case unlisten
    /// Writes. Answered by `Event.writeAccepted`, then `writeCommitted` or `writeRejected`.
    case write(Write)
    /// Waits until the backend has answered all writes accepted so far. Answered by `Event.done`.
    case waitForPendingWrites
    /// Asks to be told when all listeners have been told. Answered by `Event.inSync`, repeatedly.
    case listenToSync
    /// No longer asks for that. Not answered.
    case unlistenToSync
    /// Loads a part of a bundle. Answered by `Event.bundleProgress`.
    case loadBundle(BundlePart)
    /// Looks up a named query. Answered by `Event.namedQuery`.
    case getNamedQuery(String)
    /// Asks how the daemon is. Answered by `Event.status`.
    case getStatus
    /// Asks for a part of the queue. Answered by `Event.queuePage`.
    case listQueue(Page)
    /// Asks for a part of the rejected batches. Answered by `Event.deadLetterPage`.
    case listDeadLetters(Page)
    /// Goes online or offline, for all processes. Answered by `Event.done`.
    case setNetwork(isEnabled: Bool)
}

extension Request {
    /// Where a one-time read may look.
    package enum Source: Hashable, Sendable {
        /// The backend if it can be reached, else the cache.
        case `default`
        /// The backend alone.
        case server
        /// The cache alone.
        case cache
    }

    /// How a listener wants to be told.
    package struct ListenOptions: Hashable, Sendable {
        /// Whether to tell of changes that concern only `isFromCache` and `hasPendingWrites`.
        package var includeMetadataChanges: Bool
        /// Whether to listen to the cache alone.
        package var isCacheOnly: Bool
        /// Whether to hold back the first snapshot until the backend has spoken or is offline.
        package var waitForSyncWhenOnline: Bool

        /// The options of a plain listener, unless told otherwise.
        package init(
            includeMetadataChanges: Bool = false, isCacheOnly: Bool = false,
            waitForSyncWhenOnline: Bool = false
        ) {
            self.includeMetadataChanges = includeMetadataChanges
            self.isCacheOnly = isCacheOnly
            self.waitForSyncWhenOnline = waitForSyncWhenOnline
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
