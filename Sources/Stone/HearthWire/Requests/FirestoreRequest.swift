package import HearthModel

/// A program's request to a Firestore database.
package enum FirestoreRequest: Hashable, Sendable {
    /// Reads a query, or a document by its path, once. Answered by `Event.answer`.
    case get(Query, ReadSource)
    /// Subscribes. Answered by `Event.snapshot` until `unlisten`, or by `Event.listenFailed`.
    case listen(Query, ListenOptions)
    /// Writes. Answered by `Event.writeAccepted`, then `writeCommitted` or `writeRejected`.
    case write(Write)
    /// Takes back a write of the own client that was not sent. Answered by `Event.done`.
    case cancelWrite(sequence: UInt64, batch: BatchID)
    /// Waits until the backend has answered all writes accepted so far. Answered by `Event.done`.
    case waitForPendingWrites
    /// Waits only for the session's own writes, and for the batch that the client knows as its
    /// last. Answered by `Event.done`.
    case waitForOwnWrites(last: BatchID)
    /// Asks for `Event.inSync` whenever all listeners have been told of the latest change. Answered
    /// repeatedly.
    case listenToSync
    /// Ends `listenToSync`. Not answered.
    case unlistenToSync
    /// Loads a part of a bundle. Answered by `Event.bundleProgress`.
    case loadBundle(BundlePart)
    /// Looks up a named query. Answered by `Event.namedQuery`.
    case getNamedQuery(String)
    /// Reads documents from the backend, for a transaction. Answered by `Event.documents`.
    case readDocuments([DocumentKey])
    /// Tells which documents the program has read from the cache. The cache's collector then counts
    /// the documents as used now. Answered by `Event.done`.
    case noteReads([DocumentKey])
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
    /// Tells whether this session wants the network to be used. Answered by `Event.done`.
    case voteNetwork(isEnabled: Bool)
    /// Tells or changes the queries that are kept in step for good.
    case pin(PinOrder)
}

extension FirestoreRequest {
    /// The request's needs and contents.
    package var traits: RequestTraits {
        switch self {
        case .get(let query, _), .explain(let query):
            RequestTraits(.contents, contents: .query(query))
        case .listen(let query, _):
            RequestTraits(.contents, room: .listener, contents: .query(query))
        case .write(let write): RequestTraits(.contents, contents: .mutations(write.mutations))
        case .waitForPendingWrites, .waitForOwnWrites, .cancelWrite: RequestTraits(.open)
        case .listenToSync: RequestTraits(.open, room: .listener)
        case .unlistenToSync: RequestTraits(.open, room: .none, number: .begun)
        // A bundle changes the cache that all programs share.
        case .loadBundle: RequestTraits(.everything(.write), number: .freshOrBegun)
        case .getNamedQuery, .voteNetwork: RequestTraits(.anything(.read))
        case .readDocuments(let keys), .noteReads(let keys):
            RequestTraits(.contents, contents: .documents(keys))
        case .commit(let mutations):
            RequestTraits(.contents, contents: .mutations(mutations), isRepeatable: false)
        case .aggregate(let request): RequestTraits(.contents, contents: .aggregate(request))
        case .buildBundle(let order): RequestTraits(.contents, contents: .bundle(order))
        case .manageIndexes(.none): RequestTraits(.anything(.read))
        case .manageIndexes(.add(let index)), .manageIndexes(.remove(let index)):
            RequestTraits(.everything(.write), contents: .index(index))
        case .manageIndexes: RequestTraits(.everything(.write))
        case .pin(let order): order.traits
        }
    }

    /// Writes that the backend applies all or none.
    package struct Write: Hashable, Sendable {
        /// The client's number for the write, which stays the same when the client sends the write
        /// again; 0 if the client never will.
        package var sequence: UInt64
        /// The client has the last answers to all its writes below this number.
        package var answeredBelow: UInt64
        /// The writes, in order. Not empty.
        package var mutations: [Mutation]
        /// When the writes are given up unsent.
        package var terms: SendingTerms
        /// Whether the daemon judges the preconditions at once, as far as the cache knows.
        package var isJudgedAtOnce: Bool
        /// If the write was sent before: the number of the stores that it was sent to; otherwise 0.
        package var sentTo: UInt64

        /// Takes the parts.
        ///
        /// - Parameters:
        ///   - sequence: The client's number for the write, which stays the same when the client
        ///     sends the write again; 0 if the client never will.
        ///   - answeredBelow: The client has the last answers to all its writes below this number.
        ///   - mutations: The writes, in order. Not empty.
        ///   - terms: When the writes are given up unsent.
        ///   - isJudgedAtOnce: Whether the daemon judges the preconditions at once, as far as the
        ///     cache knows.
        ///   - sentTo: If the write was sent before: the number of the stores that it was sent to;
        ///     otherwise 0.
        package init(
            sequence: UInt64, answeredBelow: UInt64, mutations: [Mutation],
            terms: SendingTerms = SendingTerms(), isJudgedAtOnce: Bool = false,
            sentTo: UInt64 = 0
        ) {
            self.sentTo = sentTo
            self.terms = terms
            self.isJudgedAtOnce = isJudgedAtOnce
            self.sequence = sequence
            self.answeredBelow = answeredBelow
            self.mutations = mutations
        }
    }

    /// A part of a bundle. All parts of one bundle come under one request number.
    package struct BundlePart: Hashable, Sendable {
        /// The bytes.
        package var data: [UInt8]
        /// Whether another part follows.
        package var hasMore: Bool

        /// Takes the parts.
        package init(data: [UInt8], hasMore: Bool) {
            self.data = data
            self.hasMore = hasMore
        }
    }
}
