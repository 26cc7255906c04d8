import HashTreeCollections
package import HearthEngine
package import HearthModel

/// The Firestore client engine: takes inputs, decides, and returns what must be done.
///
/// One input is one turn. In a turn the engine reads and writes the store inside one transaction,
/// and changes this value; after the commit the host carries out the actions. A value of this type
/// is cheap to copy, so a host undoes a failed turn by keeping the value from before.
///
///     local document  = remote document + overlay                      (LocalStore)
///     view            = query(local documents), limited, ordered        (View)
///     limbo(view)     = documents in the view - documents the backend named, once current
package struct FirestoreEngine: Sendable {
    /// Why the network must not be used.
    enum OfflineCause: Hashable, Sendable {
        case notStarted, administrator, votes, store, shutdown
    }

    /// What the engine must make up for when the store works again.
    enum Recovery: Sendable {
        case start
        case acknowledge(QueuedBatch, WriteAnswer)
        case reject(QueuedBatch, HearthError, mayHaveBeenApplied: Bool)
        case changeUser(UserID)
        /// The writer of a batch has heard nothing of the batch's rejection.
        case markUntold(BatchID)
    }

    let configuration: Configuration
    var random: SeededRandom
    var local: LocalStore
    var views = ViewTable()
    var listeners = ListenerTable()
    var pins = PinTable()
    /// Reads that are answered, or ask for more, at the end of the turn.
    var openedReads: [OpenedRead] = []
    /// The looks at whole collections that are taken beside the turns.
    var surveys: Surveys
    /// The bundles on their way into the cache.
    var bundles = BundleLoads()
    /// What operators were told of them.
    var toldProgress: [BundleLoading] = []
    var terms = TermTable()
    var limbo: LimboResolver
    var pendingWrites = PendingWrites()
    /// Sessions that are told of promises and transforms with their writes.
    var promisedSessions: TreeSet<UInt64> = []

    /// The targets that the backend is asked to watch, or shall be once the stream is open.
    var watched: TreeDictionary<TargetID, TargetData> = [:]
    /// How the open stream knows them.
    var wireIDs: TreeDictionary<TargetID, WireTargetID> = [:]
    var lastWireID = WireTargetID(0)
    var aggregator: WatchChangeAggregator
    var mismatches = MismatchedTargets()
    var watchStream = StreamMachine<TimerID>(.watch)
    var writeStream = StreamMachine<TimerID>(.write)
    var pipeline = WritePipeline()
    var markers = WriteMarkers()
    var lastMarkerCall: UInt64 = 0
    var online = OnlineStateMachine()
    var silence = BackendSilence()
    var lag = BackendLag()
    /// Whether a stream failed since the backend last answered.
    var hasConnectionFailed = false

    var offlineCauses: Set<OfflineCause> = [.notStarted]
    var syncState = SyncState.idle
    /// The unconfirmed target that the last check found; the next check looks there first.
    var unconfirmedTarget: TargetID?
    /// Sessions that want something of the backend, and whether they let the network be used.
    var votes: TreeDictionary<UInt64, Bool> = [:]
    /// Sessions that keep their own listens and reads from the backend.
    var withheld: TreeSet<UInt64> = []
    /// Who waits for the backend outside the streams.
    var calls: TreeDictionary<RequestID, PendingCall> = [:]
    var recoveries: [Recovery] = []
    /// Whether views are settled soon.
    var settlesSoon = false
    /// The collecting of the least used that goes on.
    var collecting: CollectionRun?
    var storeBackoff = Backoff()
    /// Lets writes into the queues, as much as may wait for the backend.
    var gate: QueueGate
    /// Who has read how much.
    var ledger: Ledger
    /// Sessions whose program's budget keeps them from the backend.
    var stopped: TreeSet<UInt64> = []
    /// The ledger's `stopNumber` that `stopped` goes by.
    var heededStopNumber: UInt64 = 0
    /// Whether the ledger is saved soon.
    var isLedgerTimerSet = false
    /// Whether the rows of days that are over have been forgotten since the start.
    var hasTidiedLedger = false
    /// Whether the history is looked after soon.
    var isHistoryTimerSet = false
    /// What the host was told of the ledger's total.
    var toldTotal = LedgerSums()

    /// Makes an engine that has not started.
    ///
    /// - Parameter seed: Of the chance in its waits.
    package init(configuration: Configuration, seed: UInt64) {
        self.configuration = configuration
        random = SeededRandom(seed: seed)
        local = LocalStore(user: configuration.user, policy: configuration.collection)
        local.history.terms = configuration.historyTerms
        surveys = Surveys(changeCountMax: configuration.surveys?.changeCountMax ?? 0)
        gate = QueueGate(limits: configuration.queueLimits)
        ledger = Ledger(configuration.ledgerTerms)
        limbo = LimboResolver(lookupCountMax: configuration.limboResolutionCountMax)
        aggregator = WatchChangeAggregator(configuration)
    }

    /// The answer to what came after a start that failed; `nil` if the turn may begin.
    private func refusalBeforeStart(of input: Input) -> [Action]? {
        let isTooEarly = offlineCauses.contains(.notStarted) && input.needsCounters
        return isTooEarly ? input.refusal(.notStarted) : nil
    }

    /// Takes an input inside a transaction, and returns the actions to carry out after the commit.
    ///
    /// - Parameters:
    ///   - input: The input.
    ///   - now: The time of the turn.
    ///   - store: The open transaction, which the caller commits.
    /// - Throws: Only the store's errors. The caller must then drop this value, go back to the
    ///   value from before, and call `turnFailed` on the value from before.
    package mutating func take(
        _ input: Input, at now: Timestamp, in store: any FirestoreTransaction
    ) throws(StoreError) -> [Action] {
        var turn = Turn(now: now, store: store)
        let changeNumber = store.changeNumber
        local.history.now = now
        if let refusal = refusalBeforeStart(of: input) { return refusal }
        switch input {
        case .start: try start(&turn)
        case .listen(let id, let query, let options): try listen(id, query, options, &turn)
        case .unlisten(let id): unlisten(.listener(id), &turn.effects)
        case .listenToSync(let id): listenToSync(id, &turn.effects)
        case .unlistenToSync(let id): listeners.removeSyncListener(id)
        case .get(let id, let query, let source): try get(id, query, source, &turn)
        case .write(let request): try write(request, &turn)
        case .cancelWrite(let id, let batch, let identity):
            try cancelWrite(id, batch, identity, &turn)
        case .translate(let id, let writes): try translate(writes, for: id, &turn)
        case .disclaim(let id, let batch): try disclaim(batch, by: id, &turn)
        case .told(let batch): try told(batch, &turn)
        case .abandon(let id): abandon(id, &turn.effects)
        case .waitForPendingWrites(let id, let scope): try waitForPendingWrites(id, scope, &turn)
        case .disconnected(let session): try disconnected(session, &turn)
        case .loadBundle(let id, let bundle): try load(bundle, for: id, &turn)
        case .getNamedQuery(let id, let name): try getNamedQuery(name, for: id, &turn)
        case .explain(let id, let query): try explain(id, query, &turn)
        case .manageIndexes(let id, let request): try manageIndexes(id, request, &turn)
        case .buildBundle(let id, let order): try buildBundle(id, order, &turn)
        case .read(let id, let keys, let source): try read(id, keys, source, &turn)
        case .noteReads(let id, let keys): try noteReads(of: keys, for: id, &turn)
        case .readForTransaction(let id, let keys): try readForTransaction(id, keys, &turn)
        case .commitTransaction(let id, let writes): try commitTransaction(id, writes, &turn)
        case .learnCommit(let id, let writes, let answer):
            try learnCommit(id, writes, answer, &turn)
        case .aggregate(let id, let request): try aggregate(id, request, &turn)
        case .clearPersistence(let id): try clearPersistence(id, &turn)
        case .vote(let id, let isEnabled): try vote(id, isEnabled: isEnabled, &turn)
        case .withhold(let id, let isWithheld): try withhold(id, isWithheld: isWithheld, &turn)
        case .steerQueue(let id, let order, let uid): try steer(id, order, by: uid, &turn)
        case .setQueueLimits(let limits): setQueueLimits(limits, &turn.effects)
        case .introduce(let session, let program): introduce(session, as: program)
        case .setLedgerTerms(let terms): ledger.setTerms(terms)
        case .setHistoryTerms(let terms): try setHistoryTerms(terms, &turn)
        case .readLedger(let id, let question, let uid):
            try readLedger(id, question, ofUser: uid, &turn)
        case .checkBudget(let id): checkBudget(id, &turn.effects)
        case .bill(let session, let bill): self.bill(bill, of: session, turn.now)
        case .setPins(let pins, let id): setPins(pins, answering: id, &turn.effects)
        case .tellPins(let id, let pins): tellPins(pins, to: id, &turn.effects)
        case .waitForPin(let id, let pin): waitForPin(pin, id, &turn.effects)
        case .setNetwork(let isEnabled): try setNetwork(isEnabled: isEnabled, &turn)
        case .networkReturned: networkReturned(&turn.effects)
        case .changeUser(let user): try changeUser(to: user, &turn)
        case .upstream(let event): try received(event, &turn)
        case .surveyed(let id, let outcome): try surveyed(id, outcome, &turn)
        case .timerFired(let timer): try fired(timer, &turn)
        case .collectGarbage(let byteCountMax): try collect(downTo: byteCountMax, &turn)
        case .shutdown: try shutdown(&turn)
        }
        try tendOpenedReads(&turn)
        tendLedger(&turn.effects)
        tellInSync(&turn.effects)
        notePins(&turn.effects)
        noteLoads(&turn.effects)
        noteUnsettled(&turn.effects)
        try noteEndings(&turn)
        try tendHistory(&turn)
        if configuration.collection == .eager {
            let views = views
            try local.collectTouched(store) { views.shows($0) }
        }
        try local.finishTurn(store)
        if !surveys.isEmpty, store.changeNumber != changeNumber { surveys.note(store.changes) }
        noteSyncState(&turn.effects)
        numberSnapshots(&turn)
        return turn.effects.actions
    }
}

extension FirestoreEngine {
    /// What a host decides for an engine.
    package struct Configuration: Hashable, Sendable {
        /// The database.
        package var database: DatabaseID
        /// The Firebase user at the start.
        package var user: UserID
        /// Which documents leave the cache.
        package var collection: CollectionPolicy
        /// How many documents in limbo are looked up at a time.
        package var limboResolutionCountMax: Int
        /// How much memory the documents may take that the backend sends between two snapshots.
        package var gatheredByteCountMax = WatchChangeAggregator.byteCountMax
        /// How much may wait for the backend.
        package var queueLimits = QueueLimits()
        /// The budgets of programs, units and users, and how long the ledger keeps its rows.
        package var ledgerTerms = LedgerTerms()
        /// Whether, and how much, the history of documents is kept.
        package var historyTerms = HistoryTerms()
        /// How looks at whole collections are taken beside the turns; `nil` if nobody can take looks
        /// beside the turns, so that the turns take the looks.
        package var surveys: SurveyTerms?
        /// How much of a bundle goes into the cache in one turn.
        package var bundleSlices = BundleSlices()

        /// The defaults of the SDKs.
        ///
        /// - Parameters:
        ///   - database: The database.
        ///   - user: The Firebase user at the start.
        ///   - collection: Which documents leave the cache.
        package init(
            database: DatabaseID, user: UserID = .unauthenticated,
            collection: CollectionPolicy = .leastUsed(cacheByteCountMax: 100 << 20),
            limboResolutionCountMax: Int = 100
        ) {
            self.database = database
            self.user = user
            self.collection = collection
            self.limboResolutionCountMax = limboResolutionCountMax
        }
    }
}

/// Which documents leave the cache.
package enum CollectionPolicy: Hashable, Sendable {
    /// Whatever no target, queue or view holds, at once.
    case eager
    /// The least used, when the cache is larger than this; `nil` for never.
    case leastUsed(cacheByteCountMax: Int?)
}
