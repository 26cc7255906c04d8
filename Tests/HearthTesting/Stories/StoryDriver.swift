package import HearthEngine
package import HearthFirestore
package import HearthModel

/// A whole engine with a store, a fake backend and timers that stand still, for stories and specs.
///
/// It does what a host does: one turn for each input, in a transaction; a turn that throws leaves
/// engine and store as they were; actions after the commit. Events of the streams come on the
/// next tick, so nothing enters an engine while it acts.
package final class StoryDriver {
    /// What a listener has heard.
    package struct Heard: Sendable {
        /// Its session.
        package let session: UInt64
        /// Its query.
        package let query: Query
        /// A snapshot, or the listener's end.
        package let result: Result<ViewSnapshot, HearthError>
    }

    /// Opens the store again and again; the same store each time.
    private let backing: StoryBacking
    private var configuration: FirestoreEngine.Configuration
    private let seed: UInt64

    /// The time.
    package private(set) var clock = ManualClock()
    /// The engine.
    package private(set) var engine: FirestoreEngine
    /// The store, whose steps can be made to fail.
    package let store: FailingStore
    /// The timers.
    package private(set) var timers = TimerTable()
    /// The backend's end of the streams.
    package var upstream = FakeUpstream()
    /// Whether the client is shut down.
    package private(set) var isShutdown = false
    /// Whether the network is meant to be on.
    package private(set) var isNetworkEnabled = true
    /// The writes of the user that the backend has not answered for good.
    package var userWrites: [[Mutation]] {
        get { unanswered[configuration.user] ?? [] }
        set { unanswered[configuration.user] = newValue }
    }

    /// The writes that the backend has not answered for good, by their users.
    private var unanswered: [UserID: [[Mutation]]] = [:]
    private var inbox: [UpstreamEvent] = []
    private var surveys: [SurveyOrder] = []
    private var lastNumber: UInt64 = 0
    private var listeners: [(query: Query, id: ListenerID)] = []
    private var syncListeners: [ListenerID] = []
    private var writes: [RequestID: [DocumentKey]] = [:]
    private var waits: Set<RequestID> = []
    /// The session that acts: a story has one, a spec may have several.
    package var session: UInt64 = 1

    // What has been heard since it was last forgotten.

    /// Snapshots and ends, in order.
    package private(set) var heard: [Heard] = []
    /// How often snapshots-in-sync listeners were told.
    package private(set) var snapshotsInSyncCount = 0
    /// The sessions whose waits for pending writes ended well.
    package private(set) var endedWaits: [UInt64] = []
    /// How many waits for pending writes ended well.
    package var pendingWritesWaitCount: Int { endedWaits.count }
    /// The sessions whose writes were answered, in order.
    package private(set) var answeredWriters: [UInt64] = []
    /// The documents whose writes were acknowledged.
    package private(set) var acknowledgedDocuments: [DocumentKey] = []
    /// The documents whose writes were rejected.
    package private(set) var rejectedDocuments: [DocumentKey] = []
    /// Every action, in order.
    package private(set) var actions: [FirestoreEngine.Action] = []

    /// Opens the store and starts an engine.
    package init(
        _ backing: StoryBacking, configuration: FirestoreEngine.Configuration, seed: UInt64 = 1
    ) throws(StoreError) {
        self.backing = backing
        self.configuration = configuration
        self.seed = seed
        self.store = FailingStore(try backing.open())
        self.engine = FirestoreEngine(configuration: configuration, seed: seed)
        take(.start)
        drain()
    }

    // MARK: Turns

    /// Runs one turn and carries out the turn's actions. Its events wait for `drain`.
    package func take(_ input: FirestoreEngine.Input) {
        let now = clock.now
        var next = engine
        var turnActions: [FirestoreEngine.Action] = []
        do {
            turnActions = try store.transaction { transaction throws(StoreError) in
                try next.take(input, at: now, in: transaction)
            }
            engine = next
        } catch {
            turnActions = engine.turnFailed(input, error, at: now)
        }
        for action in turnActions { perform(action) }
    }

    /// Runs turns until no survey is on its way, and no stream has anything to say.
    package func drain() {
        while !surveys.isEmpty || !inbox.isEmpty {
            guard surveys.isEmpty else {
                let order = surveys.removeFirst()
                take(.surveyed(order.id, store.survey(order)))
                continue
            }
            let event = inbox.removeFirst()
            if upstream.isCurrent(event) { take(.upstream(event)) }
        }
    }

    /// Lets the backend's end of a stream say something, and runs what follows.
    package func receive(_ event: UpstreamEvent) {
        take(.upstream(event))
        drain()
    }

    private func perform(_ action: FirestoreEngine.Action) {
        actions.append(action)
        switch action {
        case .emit(let snapshot, let ids):
            for id in ids where listeners.contains(where: { $0.id == id }) {
                let query = snapshot.query
                heard.append(Heard(session: id.session, query: query, result: .success(snapshot)))
            }
        case .fail(let id, let error):
            guard let listener = listeners.first(where: { $0.id == id }) else { return }
            let query = listener.query
            heard.append(Heard(session: id.session, query: query, result: .failure(error)))
        case .inSync(let ids):
            snapshotsInSyncCount += ids.count
        case .settle(let id, _, .committed):
            acknowledgedDocuments += answered(id)
        case .settle(let id, _, .rejected), .refuse(let id, _):
            rejectedDocuments += answered(id)
            waits.remove(id)
        case .complete(let id):
            if waits.remove(id) != nil { endedWaits.append(id.session) }
        case .upstream(let command):
            let event = upstream.perform(command, wireNames: engine.wireTargetIDs())
            if let event { inbox.append(event) }
        case .survey(.begin(let order)), .survey(.handOn(let order, _)):
            surveys.append(order)
        case .survey(.end(let id)):
            surveys.removeAll { $0.id == id }
        case .survey(.join):
            break  // A story has one user.
        case .schedule(.garbageCollection, after: _):
            break  // A story says when.
        case .schedule(let timer, let delay):
            timers.schedule(timer, at: clock.now.advanced(by: delay))
        case .cancel(let timer):
            timers.cancel(timer)
        case .answer, .accept, .settle(_, _, .pending), .loaded, .found, .explained,
            .indexes, .result, .note:
            break
        }
    }

    private func answered(_ id: RequestID) -> [DocumentKey] {
        guard let keys = writes.removeValue(forKey: id) else { return [] }
        answeredWriters.append(id.session)
        return keys
    }

    /// Takes out the oldest that a query's listeners have heard: of one session, or of any.
    package func takeHeard(of query: Query, in session: UInt64? = nil) -> Heard? {
        let index = heard.firstIndex {
            $0.query == query && (session == nil || $0.session == session)
        }
        return index.map { heard.remove(at: $0) }
    }

    /// Forgets what has been heard, before the next step.
    package func forgetHeard() {
        heard = []
        snapshotsInSyncCount = 0
        forgetAnswers()
        actions = []
    }

    /// Forgets whose writes and waits were answered.
    package func forgetAnswers() {
        endedWaits = []
        answeredWriters = []
        acknowledgedDocuments = []
        rejectedDocuments = []
    }

    // MARK: Timers

    /// Lets a timer run out, if it runs, together with every timer due before it.
    ///
    /// The SDKs do not watch for a backend that falls silent, so the stories know no such timer: it
    /// runs out only where it is named.
    package func fire(upTo timer: TimerID) {
        guard timers.contains(timer) else { return }
        for due in timers.pending where due == timer || due != .backendSilence {
            fire(due)
            if due == timer { return }
        }
    }

    /// Lets all timers run out that run now, but for the timer that the SDKs do not have.
    package func fireAll() {
        for timer in timers.pending where timer != .backendSilence { fire(timer) }
    }

    /// An earlier timer may have stopped this one.
    private func fire(_ timer: TimerID) {
        guard let dueAt = timers.dueAt(timer) else { return }
        timers.cancel(timer)
        clock.advance(to: dueAt)
        take(.timerFired(timer))
        drain()
    }

    // MARK: Users

    /// Whether anybody listens.
    package var hasListeners: Bool { !listeners.isEmpty }

    /// Subscribes.
    package func listen(to query: Query, _ options: ListenOptions) {
        let id = ListenerID(session: session, number: nextNumber())
        listeners.append((query, id))
        take(.listen(id, query, options))
        drain()
        fire(upTo: .watchBackoff)
    }

    /// Ends the newest subscription to a query. Returns whether there was one.
    package func unlisten(from query: Query) -> Bool {
        let index = listeners.lastIndex { $0.query == query && $0.id.session == session }
        guard let index else { return false }
        let listener = listeners.remove(at: index)
        take(.unlisten(listener.id))
        drain()
        return true
    }

    /// Subscribes to being told when all listeners have been told.
    package func listenToSync() {
        let id = ListenerID(session: session, number: nextNumber())
        syncListeners.append(id)
        take(.listenToSync(id))
        drain()
    }

    /// Ends the newest such subscription. Returns whether there was one.
    package func unlistenToSync() -> Bool {
        guard let id = syncListeners.popLast() else { return false }
        take(.unlistenToSync(id))
        drain()
        return true
    }

    /// Writes.
    package func write(_ mutations: [Mutation]) {
        let id = RequestID(session: session, number: nextNumber())
        let writer = Writer(uid: 1_000, gid: 1_000, pid: 1)
        writes[id] = mutations.map(\.key)
        take(.write(WriteRequest(id: id, writer: writer, mutations: mutations)))
        // A write that could not be stored will never be sent.
        if writes[id] != nil { userWrites.append(mutations) }
        drain()
    }

    /// Waits until all writes so far are answered.
    package func waitForPendingWrites() {
        let id = RequestID(session: session, number: nextNumber())
        waits.insert(id)
        take(.waitForPendingWrites(id, .all))
        drain()
    }

    /// Makes these the local indexes.
    package func setIndexes(_ indexes: [FieldIndex]) {
        take(.manageIndexes(RequestID(session: session, number: nextNumber()), .configure(indexes)))
        drain()
    }

    /// Whether the store keeps indexes.
    package var keepsIndexes: Bool { backing.keepsIndexes }

    /// The local indexes.
    package func indexes() -> [FieldIndex] {
        take(.manageIndexes(RequestID(session: session, number: nextNumber()), .list))
        for action in actions.reversed() {
            if case .indexes(_, let report) = action { return report.indexes.map(\.index) }
        }
        return []
    }

    /// Loads a bundle.
    package func load(_ bundle: Bundle) {
        take(.loadBundle(RequestID(session: session, number: nextNumber()), bundle))
        drain()
        while timers.contains(.bundles), !store.mayFail { fire(.bundles) }
    }

    /// Lets the acting session be for or against the use of the network; who may not administer decides
    /// for itself alone.
    package func vote(isEnabled: Bool, administers: Bool = true) {
        let id = RequestID(session: session, number: nextNumber())
        take(administers ? .vote(id, isEnabled: isEnabled) : .withhold(id, isWithheld: !isEnabled))
        drain()
    }

    /// Lets a session's program end; what it wrote is still to be answered.
    package func disconnect(_ session: UInt64) {
        listeners.removeAll { $0.id.session == session }
        syncListeners.removeAll { $0.session == session }
        writes = writes.filter { $0.key.session != session }
        waits = waits.filter { $0.session != session }
        take(.disconnected(session: session))
        drain()
    }

    func nextNumber() -> UInt64 {
        lastNumber += 1
        return lastNumber
    }

    // MARK: The client

    /// Switches the network.
    package func setNetwork(isEnabled: Bool) {
        isNetworkEnabled = isEnabled
        take(.setNetwork(isEnabled: isEnabled))
        drain()
    }

    /// Lets another user sign in.
    package func changeUser(to user: UserID) {
        configuration.user = user
        take(.changeUser(user))
        drain()
    }

    /// Ends all work.
    package func shutDown() {
        take(.shutdown)
        drain()
        isShutdown = true
    }

    /// Lets the process die and start again: the store is opened anew, the user stays, and nobody
    /// listens or waits.
    package func restart() throws(StoreError) {
        try store.reopen(backing.open)
        revive()
    }

    /// Wipes the store. Only for a client that is shut down.
    package func clearPersistence() throws(StoreError) {
        try store.reopen { () throws(StoreError) in
            backing.erase()
            return try backing.open()
        }
    }

    private func revive() {
        engine = FirestoreEngine(configuration: configuration, seed: seed)
        timers = TimerTable()
        upstream = FakeUpstream()
        inbox = []
        surveys = []
        listeners = []
        syncListeners = []
        writes = [:]
        waits = []
        isShutdown = false
        isNetworkEnabled = true
        take(.start)
        drain()
    }
}
