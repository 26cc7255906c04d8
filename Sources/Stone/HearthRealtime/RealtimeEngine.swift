import HashTreeCollections
package import HearthEngine
package import HearthModel

/// The Realtime Database's client engine: takes inputs, decides, and returns what must be done.
///
/// One input is one turn. In a turn the engine reads and writes the store inside one transaction,
/// and changes this value; after the commit the host carries out the actions. A value of this type
/// is cheap to copy, so a host undoes a failed turn by keeping the value from before.
///
///     local tree = server's tree + pending writes in their order        (SyncTree, WriteTree)
///     view       = query(local node at a place)                         (RealtimeView)
///     listens    = the topmost places that somebody wants to be told of (ListenTable)
package struct RealtimeEngine: Sendable {
    /// Why the network must not be used.
    enum OfflineCause: Hashable, Sendable {
        case notStarted, administrator, store, shutdown
    }

    /// What the engine must make up for when the store works again.
    enum Recovery: Sendable {
        case start
        case answer(QueuedWrite, RealtimeAnswer)
        case changeUser(UserID)
        case setKept([ListenTarget])
        /// A session was gone, and what it had ordered for then could not be done.
        case disconnected(UInt64)
    }

    /// What an answer of the backend is the answer to.
    enum PendingRequest: Hashable, Sendable {
        case listen(ListenTarget)
        case get(RequestID)
        case write(BatchID)
        case transaction(TransactionPut.Number)
        case onDisconnect(Int64)
        case fence(Fence.Call)
        /// Something that needs no answer.
        case notice
    }

    let configuration: Configuration
    var random: SeededRandom
    /// The Firebase user whose queue counts.
    var user: UserID
    var globals = RealtimeGlobals()
    var tree = SyncTree()
    var listeners = ListenerTable()
    var queries = ActiveQueries()
    var pendingWrites = PendingWrites()

    var connection = StreamMachine<RealtimeTimer>(.connection, backoff: .connection)
    /// The listens that the backend is asked for, or shall be once the connection is open.
    var listens = ListenTable()
    /// What the backend is told of the data that listens have.
    var hashes: KeptHashes
    var pipeline = PutPipeline()
    /// Answered writes that stay in the tree until listens have told of them.
    var lateWrites = LateWrites()
    /// Whether a write waits that may be sent.
    var hasUnsentWrites = false
    /// What the open connection was asked and has not answered, by the numbers of the requests.
    var requests: TreeDictionary<Int, PendingRequest> = [:]
    /// The number of the last request. The numbers below belong to the link itself.
    var lastRequest = Self.firstRequest - 1
    /// The reads that wait for the backend.
    var reads = PendingReads()
    /// What programs compute from what is there.
    var transactions = TransactionQueue()
    /// The silent listeners that keep the data of transactions' places in step.
    var transactionListeners: TreeDictionary<RealtimePath, ListenerName> = [:]
    /// What is to happen when programs or the connection end.
    var onDisconnects = OnDisconnectTree()
    /// Whether the queue may hold writes of ended programs from an earlier connection.
    var hasLateFarewells = true
    /// What is told below `.info`.
    var info = InfoTree()
    /// Tells which writes were applied whose answers were lost; `nil` if nobody wants to know.
    var fence: Fence?
    /// Whether the backend did not let the fence be kept when it was last asked.
    var isFenceDenied = false
    /// Whether operators were told that writes wait for the end of earlier connections.
    var isFenceAwaited = false
    /// The service's clock less ours, as of the last connection, in milliseconds.
    var serverTimeOffset: Int64 = 0
    var online = OnlineStateMachine()
    /// Whether a connection failed since the backend last answered.
    var hasConnectionFailed = false

    var offlineCauses: Set<OfflineCause> = [.notStarted]
    var syncState = SyncState.idle
    /// Sessions that keep their own listens and reads from the backend.
    var withheld: TreeSet<UInt64> = []
    /// Who was told the first children of a node and joins when the rest is read.
    var begun = BegunListeners()
    /// The queries that are kept in step for a while after their last listener.
    var lingering = LingeringListens()
    /// The queries that are kept in step without a listener.
    var keep = KeptPlaces()
    var recoveries: [Recovery] = []
    /// The collecting of the least used that goes on.
    var collecting: RealtimeCollection?
    var storeBackoff = Backoff()
    /// Lets writes into the queues, as much as may wait for the backend.
    var gate: QueueGate
    /// What the waiting writes of `tree` take.
    var heldQueue = HeldBytes()
    /// The memory that the waiting writes of all engines share.
    let memory: any WriteMemory
    var memoryGate = MemoryGate()
    /// Whether the turn has claimed memory; then the turn's end tells what the engine really holds.
    var hasClaimedMemory = false

    /// The number of the engine's first request. Lower numbers are the link's own.
    package static let firstRequest = 1_000

    /// Makes an engine that has not started.
    ///
    /// - Parameters:
    ///   - configuration: The database, its user, and the bounds of cache and queue.
    ///   - seed: The seed of the chance in the engine's waits.
    ///   - memory: What the waiting writes of all engines share.
    package init(
        configuration: Configuration, seed: UInt64, memory: any WriteMemory = OwnWriteMemory()
    ) {
        self.configuration = configuration
        self.memory = memory
        random = SeededRandom(seed: seed)
        user = configuration.user
        gate = QueueGate(limits: configuration.queueLimits)
        hashes = KeptHashes(byteCountMin: configuration.hashedByteCountMin)
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
        _ input: Input, at now: Timestamp, in store: any RealtimeTransaction
    ) throws(StoreError) -> [Action] {
        var turn = Turn(now: now, store: store)
        let heldBefore = heldByteCount
        // A race: the store failed at the start, and the counters are not known yet.
        if offlineCauses.contains(.notStarted), case .request = input.role {
            return input.refusal(.notStarted)
        }
        if input.placeDepth > RealtimePath.depthMax {
            return input.refusal(.tooDeep(input.placeDepth))
        }
        switch input {
        case .start: try start(&turn)
        case .listen(let id, let target, let kind): try listen(id, target, kind, &turn)
        case .unlisten(let id): unlisten(id, &turn.effects)
        case .get(let id, let target, let source): try get(id, target, source, &turn)
        case .write(let request): try write(request, &turn)
        case .waitForPendingWrites(let id, let scope): try waitForPendingWrites(id, scope, &turn)
        case .purge(let id, let client, let uid): try purge(id, client, uid: uid, &turn)
        case .runTransaction(let id, let path, let showsEstimate, let writer):
            try runTransaction(id, path, showsEstimate: showsEstimate, writer, &turn)
        case .propose(let id, let node, let round): try propose(id, node, round: round, &turn)
        case .onDisconnect(let id, let order, let scope, let writer):
            orderOnDisconnect(id, order, scope, writer, &turn.effects)
        case .denyTransaction(let id, let error): denyTransaction(id, error, &turn.effects)
        case .denyOrders(let session, let places, let error):
            denyOrders(at: places, of: session, error, &turn.effects)
        case .disconnected(let session): try disconnected(session, &turn)
        case .clearPersistence(let id): try clearPersistence(id, &turn)
        case .withhold(let id, let isWithheld): withhold(id, isWithheld: isWithheld, &turn.effects)
        case .setKept(let targets): try setKept(targets, &turn)
        case .steerQueue(let id, let order, let uid): try steer(id, order, by: uid, &turn)
        case .setQueueLimits(let limits): setQueueLimits(limits)
        case .setNetwork(let isEnabled): try setNetwork(isEnabled: isEnabled, &turn)
        case .networkReturned: networkReturned(&turn.effects)
        case .changeUser(let user): try changeUser(to: user, &turn)
        case .upstream(let event): try received(event, &turn)
        case .timerFired(let timer): try fired(timer, &turn)
        case .shutdown: try shutdown(&turn)
        }
        try showToldWrites(&turn)
        sendTransactions(&turn.effects)
        try noteEndedQueries(&turn)
        tendConnection(&turn.effects)
        noteSyncState(&turn.effects)
        if hasClaimedMemory || heldByteCount != heldBefore { memory.hold(held) }
        hasClaimedMemory = false
        return turn.effects.actions
    }
}

extension RealtimeEngine {
    /// What a host decides for an engine.
    package struct Configuration: Hashable, Sendable {
        /// The database.
        package var instance: InstanceID
        /// The Firebase user at the start.
        package var user: UserID
        /// How large the cache may be before the least used is collected; `nil` for any size.
        package var cacheByteCountMax: Int?
        /// How much may wait for the backend.
        package var queueLimits: QueueLimits
        /// The queries that are kept in step without a listener.
        package var keep: [ListenTarget]
        /// Where each write leaves its number, to be applied once; `nil` for nowhere.
        package var fence: RealtimePath?
        /// Hashes are kept for listens with at least this many bytes of known data. A thousand
        /// nodes or so are hashed within a turn.
        package var hashedByteCountMin = 64 << 10
        /// A listener hears the first children of a node in more parts on disk before the others are
        /// read. So many parts are read in 20 ms or so.
        package var begunPartCountMin = 16 << 10

        /// A cache of 100 MiB, and nothing kept.
        ///
        /// - Parameters:
        ///   - instance: The database.
        ///   - user: The Firebase user at the start.
        ///   - cacheByteCountMax: How large the cache may be before the least used is collected;
        ///     `nil` for any size.
        package init(
            instance: InstanceID, user: UserID = .unauthenticated,
            cacheByteCountMax: Int? = 100 << 20, queueLimits: QueueLimits = QueueLimits(),
            keep: [ListenTarget] = [], fence: RealtimePath? = nil
        ) {
            self.instance = instance
            self.user = user
            self.cacheByteCountMax = cacheByteCountMax
            self.queueLimits = queueLimits
            self.keep = keep
            self.fence = fence
        }
    }
}
