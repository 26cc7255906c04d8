package import HearthEngine
package import HearthModel

extension FirestoreEngine {
    /// What enters an engine: one turn each.
    package enum Input: Hashable, Sendable {
        /// The first input: recovers counters and queue from the store.
        case start

        /// A session subscribes to a query, or to a document by its path.
        case listen(ListenerID, Query, ListenOptions)
        /// A session ends a subscription. Unknown ids are a race and ignored.
        case unlisten(ListenerID)
        /// A session wants to know when all its listeners are told of a change.
        case listenToSync(ListenerID)
        /// It no longer does.
        case unlistenToSync(ListenerID)
        /// A session asks once. Answered by `.answer` or `.refuse`.
        case get(RequestID, Query, ReadSource)
        /// A session reads documents once, by name. Answered by `.result` or `.refuse`.
        ///
        /// What the backend answers goes into the cache.
        case read(RequestID, [DocumentKey], ReadSource)
        /// A session has read documents from the cache without a turn. Answered by `.complete` or
        /// `.refuse`.
        case noteReads(RequestID, [DocumentKey])
        /// A session writes. Answered by `.accept` and later `.settle`, or by `.refuse`.
        case write(WriteRequest)
        /// Puts the backend's times in the place of settled promises in preconditions.
        ///
        /// For writes that go past the queue. Answered by `.result` or `.refuse`.
        case translate(RequestID, [Mutation])
        /// A client takes back a write of its own that was not sent.
        ///
        /// Answered by `.complete` or `.refuse`; the write by `.settle`.
        case cancelWrite(RequestID, BatchID, WriteIdentity)
        /// A session no longer waits for the outcome of its write, which stays in the queue.
        case disclaim(RequestID, BatchID)
        /// A caller that waited has been told that its batch was rejected: the session has handed
        /// the answer to the caller's connection.
        case told(BatchID)
        /// Nobody waits any more for the answer of a read, or of a question to the backend.
        ///
        /// A commit that was begun goes on.
        case abandon(RequestID)
        /// A session waits until writes accepted so far are answered by the backend.
        case waitForPendingWrites(RequestID, PendingWritesScope)
        /// A session is gone: its listeners, requests and votes go; its writes stay.
        case disconnected(session: UInt64)
        /// Loads a bundle that has been read and checked.
        case loadBundle(RequestID, Bundle)
        /// Looks up a named query.
        case getNamedQuery(RequestID, String)
        /// Answers a query from the cache and tells how. Answered by `.explained` or `.refuse`.
        case explain(RequestID, Query)
        /// Lists or changes the local indexes. Answered by `.indexes` or `.refuse`.
        case manageIndexes(RequestID, IndexRequest)
        /// Builds a bundle from the cache. Answered by `.result` or `.refuse`.
        case buildBundle(RequestID, BundleOrder)
        /// A session reads documents from the backend. Answered by `.result` or `.refuse`.
        case readForTransaction(RequestID, [DocumentKey])
        /// A session commits a transaction. Answered by `.result`.
        case commitTransaction(RequestID, [Mutation])
        /// The backend has committed writes that a session sent past the queue.
        ///
        /// The cache takes them as it takes an acknowledged batch. Answered by `.complete` or
        /// `.refuse`.
        case learnCommit(RequestID, [Mutation], WriteAnswer)
        /// A session asks for numbers. Answered by `.result` or `.refuse`.
        case aggregate(RequestID, AggregateRequest)
        /// A session forgets cache and queue, for all. Answered by `.complete` or `.refuse`.
        case clearPersistence(RequestID)
        /// A session is for or against the use of the network. Answered by `.complete`.
        ///
        /// Against the network, the session withholds its own listens and reads at once.
        case vote(RequestID, isEnabled: Bool)
        /// A session withholds its own listens and reads from the backend, or ends the withholding.
        ///
        /// Answered by `.complete`.
        case withhold(RequestID, isWithheld: Bool)

        /// An administrator, this Unix user, gives an order to the queue.
        ///
        /// Answered by `.result` or `.refuse`.
        case steerQueue(RequestID, QueueOrder<[Mutation]>, by: UInt32)
        /// From now on so much may wait for the backend.
        case setQueueLimits(QueueLimits)
        /// A session's program, for the ledger. In front of all that the session asks.
        case introduce(session: UInt64, LedgerProgram)
        /// From now on these budgets count.
        case setLedgerTerms(LedgerTerms)
        /// From now on so much of the documents' history is kept.
        case setHistoryTerms(HistoryTerms)
        /// A session asks what the ledger says of the programs of a Unix user; `nil` for all.
        ///
        /// Answered by `.result` or `.refuse`.
        case readLedger(RequestID, LedgerQuestion, ofUser: UInt32?)
        /// A session asks whether its program's budget lets it read past the engine.
        ///
        /// Answered by `.complete` or `.refuse`.
        case checkBudget(RequestID)
        /// A session has read from the backend past the engine.
        case bill(session: UInt64, ForwardedBill)
        /// From now on these queries are kept in step though nobody listens.
        ///
        /// Whoever ordered it, if anybody did, is answered by `.complete`.
        case setPins(PinSet, for: RequestID?)
        /// Tells how pins stand. Answered by `.result`.
        case tellPins(RequestID, [Pin.ID])
        /// A session waits until a pin is complete and fresh. Answered by `.complete` or `.refuse`.
        case waitForPin(RequestID, Pin.ID)
        /// Goes online or offline on an administrator's wish.
        case setNetwork(isEnabled: Bool)
        /// The machine has a network again, or another one.
        case networkReturned
        /// Another Firebase user signs in, or nobody.
        case changeUser(UserID)
        /// Something came from the backend.
        case upstream(UpstreamEvent)
        /// A survey that the engine ordered has come back.
        case surveyed(SurveyID, SurveyOutcome)
        /// A timer that was scheduled has run out.
        case timerFired(TimerID)
        /// Collects the least used down to a cache of so many bytes.
        ///
        /// For administrators and tests; the timer collects by itself.
        case collectGarbage(cacheByteCountMax: Int)
        /// Ends all work; only `.disconnected` and late events may follow.
        case shutdown
    }

    /// What must be done after a turn is committed, in this order.
    package enum Action: Hashable, Sendable {
        /// Listeners are told of a snapshot.
        case emit(ViewSnapshot, to: [ListenerID])
        /// A listener ends with an error.
        case fail(ListenerID, HearthError)
        /// All listeners have been told of the latest change.
        case inSync([ListenerID])
        /// A one-time read has its result.
        case answer(RequestID, ViewSnapshot)
        /// A write is durable here.
        case accept(RequestID, BatchID)
        /// A write is answered by the backend.
        case settle(RequestID, BatchID, WriteOutcome)
        /// A wait, a network switch or another request without a result is done.
        case complete(RequestID)
        /// A request failed.
        case refuse(RequestID, HearthError)
        /// A bundle is loaded; or was loaded before, and no document of it was loaded now.
        case loaded(RequestID, BundleProgress)
        /// A named query was found, or is unknown.
        case found(RequestID, NamedQuery?)
        /// How a query is answered from the cache.
        case explained(RequestID, QueryPlanDescription)
        /// The local indexes, as a request left them.
        case indexes(RequestID, IndexReport)
        /// A request has its result.
        case result(RequestID, RequestResult)
        /// The connection to the backend has something to do.
        case upstream(UpstreamCommand)
        /// A look at a whole collection is to be taken beside the turns, or no longer.
        case survey(SurveyErrand)
        /// A timer must run; if it runs already, it is moved.
        case schedule(TimerID, after: Duration)
        /// A timer must not run.
        case cancel(TimerID)
        /// Something for the journal.
        case note(Note)
    }

    /// What operators are told.
    package enum Note: Hashable, Sendable {
        /// The connection's state changed.
        case onlineState(OnlineState)
        /// The cache stands to the backend otherwise than before.
        case syncState(SyncState, after: SyncState)
        /// The backend refused a target for good.
        case targetRejected(TargetID, HearthError)
        /// The backend committed a batch.
        case batchCommitted(BatchID)
        /// A stream to the backend failed, or could not be opened.
        case connectionFailed(HearthError)
        /// The backend answered, after a stream had failed.
        case connectionRecovered
        /// The backend's time is behind what the cache has, which takes nothing from the backend.
        case backendBehind(HearthError)
        /// Something came from the backend that cannot be read. Either its stream ended, or the
        /// targets of the document did.
        case messageUnreadable(HearthError)
        /// The backend refused a batch; it is among the dead letters.
        case batchRejected(BatchID, HearthError)
        /// A batch is among the dead letters because its answer was lost.
        case batchInDoubt(BatchID, HearthError)
        /// The backend does not let us make markers, so nothing is marked.
        case markersDenied(HearthError)
        /// What was said of markers holds no more.
        case markersAllowed
        /// An administrator ordered something of these batches.
        case queueSteered(String, [BatchID], by: UInt32)
        /// A write was refused because too much waits.
        case queueFull(HearthError)
        /// The store failed; the network is off until it works again.
        case storeFailed(String)
        /// The store works again.
        case storeRecovered
        /// A budget comes to its end, or is there.
        case budget(Ledger.News, LedgerTerms)
        /// So much was read since the last such note.
        case documentsRead(LedgerSums)
        /// There are other pins than before, or they take another number of bytes.
        case pinned(PinFigures)
        /// Nothing is kept of a pin any more.
        case pinStopped(Pin.ID, HearthError)
        /// The least used were collected.
        case collected(targets: Int, documents: Int)
        /// The bundles whose load goes on: a part is in the cache, and the rest is still to come.
        case bundlesLoading([BundleLoading])
        /// The cache has a part of a bundle, and nobody goes on with the load: an earlier process has left the
        /// load, or whoever loaded the bundle is gone, or the store has failed.
        case bundleCut(BegunBundle)
        /// The cache has all of a bundle.
        case bundleLoaded(BundleRecord)
        /// Nothing was taken of a bundle, because the cache has had the other one: the same, or a newer one of the
        /// name.
        case bundleSkipped(BundleRecord, because: BundleRecord)
        /// Cache and queue are forgotten, for a program that has asked for that.
        case cacheCleared
    }
}

/// A session's wish to write.
package struct WriteRequest: Hashable, Sendable {
    /// To whom the answers go.
    package let id: RequestID
    /// The identity that a resent write shares; `nil` for writers that never resend.
    package let identity: WriteIdentity?
    /// The client has all answers to writes below this number.
    package let answeredBelow: UInt64
    /// Who writes.
    package let writer: Writer
    /// The writes: they stand or fall together.
    ///
    /// At least one, unless `conditions` has promises told: then nothing becomes no batch, and is
    /// answered by `.promised` alone.
    package let mutations: [Mutation]
    /// Who judges the writes' preconditions, and when.
    ///
    /// If the promise is told, `.result` with `.promised` comes in front of `.accept`, and `.result`
    /// with `.transformed` in front of the `.settle` of a commit with transforms.
    package let conditions: WriteConditions
    /// Whether the writer is told what its documents show until the backend has spoken.
    package let tellsPromise: Bool
    /// When the writes are given up unsent.
    package let terms: SendingTerms
    /// Whether the client sent the write to earlier stores, which a restore has replaced. The
    /// earlier stores may have taken the write.
    package let wasSentElsewhere: Bool

    /// Asks to write.
    ///
    /// - Parameters:
    ///   - id: To whom the answers go.
    ///   - identity: The identity that a resent write shares; `nil` for writers that never resend.
    ///   - answeredBelow: The client has all answers to writes below this number.
    ///   - writer: Who writes.
    ///   - mutations: The writes: they stand or fall together.
    ///   - conditions: Who judges the writes' preconditions, and when.
    ///   - tellsPromise: Whether the writer is told what its documents show until the backend has
    ///     spoken; `nil` if `conditions` decide.
    ///   - terms: When the writes are given up unsent.
    ///   - wasSentElsewhere: Whether the client sent the write to earlier stores, which a restore
    ///     has replaced. The earlier stores may have taken the write.
    package init(
        id: RequestID, identity: WriteIdentity? = nil, answeredBelow: UInt64 = 0, writer: Writer,
        mutations: [Mutation], conditions: WriteConditions = .asSDK, tellsPromise: Bool? = nil,
        terms: SendingTerms = SendingTerms(), wasSentElsewhere: Bool = false
    ) {
        self.wasSentElsewhere = wasSentElsewhere
        self.tellsPromise = tellsPromise ?? (conditions != .asSDK)
        self.terms = terms
        self.conditions = conditions
        self.id = id
        self.identity = identity
        self.answeredBelow = answeredBelow
        self.writer = writer
        self.mutations = mutations
    }
}
