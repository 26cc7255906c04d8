import HearthEngine
import HearthModel
import HearthRealtime

/// One daemon of a simulation: an engine with its store and timers, and the programs' views.
final class SimulatedDaemon {
    /// What a program is at.
    enum Task {
        case write(Int)
        case transaction
        case order(RealtimePath, OnDisconnectScope)
        case steering(QueueOrder<RealtimeChange>)
        case purging
    }

    let index: Int
    private let service: SimulatedService
    private let ledger: RealtimeLedger
    private let configuration: RealtimeEngine.Configuration
    private(set) var engine: RealtimeEngine
    private let store: any RealtimeStore
    private(set) var timers: [RealtimeTimer: Timestamp] = [:]
    /// The living sessions.
    private(set) var sessions: [UInt64] = []
    private(set) var screens: [ListenerID: (target: ListenTarget, node: Node?, isComplete: Bool)] =
        [:]
    private(set) var computing: [RequestID: (input: Node, round: Int)] = [:]
    private(set) var tasks: [RequestID: Task] = [:]
    /// What must not have happened.
    private(set) var faults: [String] = []
    /// Writes that an administrator held, and has perhaps let go.
    private var held: Set<BatchID> = []
    private var lastSession: UInt64
    private var lastNumber: UInt64 = 0
    private var lifeCount: UInt64 = 0

    init(
        _ index: Int, _ service: SimulatedService, _ ledger: RealtimeLedger,
        _ configuration: RealtimeEngine.Configuration, on store: any RealtimeStore,
        at now: Timestamp
    ) {
        self.store = store
        self.index = index
        self.service = service
        self.ledger = ledger
        self.configuration = configuration
        lastSession = UInt64(index) * 1_000_000
        engine = RealtimeEngine(configuration: configuration, seed: 0)
        live(at: now)
    }

    private func live(at now: Timestamp) {
        lifeCount += 1
        engine = RealtimeEngine(
            configuration: configuration, seed: UInt64(index) << 32 | lifeCount)
        timers = [:]
        sessions = []
        screens = [:]
        computing = [:]
        tasks = [:]
        take(.start, at: now)
        for _ in 0..<2 { addSession() }
    }

    /// The process dies, and another begins. Its programs repeat the requests that they are not
    /// sure of.
    func restart(at now: Timestamp) {
        ledger.doubtfulCount += tasks.values.count {
            if case .transaction = $0 { true } else { false }
        }
        for session in sessions {
            let path = Self.presence(of: session)
            if ledger.presences[path] == .daemon(index) { ledger.presences[path] = nil }
        }
        service.lose(index)
        // The host tries a store that does not start again, before any program is let in.
        (store as? RealtimeMemoryStore)?.failing.remove(.start)
        live(at: now)
        for number in ledger.unheard(of: index) { write(number, at: now) }
    }

    // MARK: Turns

    func take(_ input: RealtimeEngine.Input, at now: Timestamp, dies: Bool = false) {
        var next = engine
        let actions: [RealtimeEngine.Action]
        do throws(StoreError) {
            actions = try store.transaction { transaction throws(StoreError) in
                try next.take(input, at: now, in: transaction)
            }
        } catch {
            next = engine
            actions = next.turnFailed(input, error, at: now)
        }
        engine = next
        for action in actions { note(action, isHeard: !dies) }
        if dies { return restart(at: now) }
        for action in actions { perform(action, at: now) }
    }

    /// Takes what is durable, whether anybody hears of it or not.
    private func note(_ action: RealtimeEngine.Action, isHeard: Bool) {
        switch action {
        case .accept(let id, let batch):
            guard case .write(let number)? = tasks[id],
                let fault = ledger.accepted(number, as: batch, isHeard: isHeard)
            else { return }
            faults.append(fault)
        case .note(.writeCommitted(let batch)): ledger.committed(batch, of: index)
        case .steered(let id, let batches):
            guard case .steering(let order)? = tasks[id] else { return }
            for batch in batches { steered(order, batch.id) }
        case .complete(let id):
            if case .purging? = tasks[id] { ledger.purged(index) }
        default: break
        }
    }

    private func steered(_ order: QueueOrder<RealtimeChange>, _ batch: BatchID) {
        switch order {
        case .hold: held.insert(batch)
        case .release: held.remove(batch)
        case .cancel: ledger.tookOut(batch, of: index, as: .cancelled)
        case .drop: ledger.tookOut(batch, of: index, as: .dropped)
        default: break
        }
    }

    private func perform(_ action: RealtimeEngine.Action, at now: Timestamp) {
        switch action {
        case .schedule(let timer, let delay): timers[timer] = now.advanced(by: delay)
        case .cancel(let timer): timers[timer] = nil
        case .upstream(let command):
            service.perform(command, of: index, serverTimeOffset: Int64(index))
        case .tell(let news, let listeners): for id in listeners { show(news, to: id) }
        case .fail(let id, let error):
            screens[id] = nil
            faults.append("a listener failed: \(error)")
        case .transaction(let id, let step): follow(id, step)
        case .complete(let id):
            if case .order(let path, let scope)? = tasks.removeValue(forKey: id) {
                ledger.presences[path] = scope == .program ? .daemon(index) : .service
            }
        case .refuse(let id, _): tasks[id] = nil
        case .settle(let id, _, _): tasks[id] = nil
        case .steered(let id, _): tasks[id] = nil
        case .answer, .accept, .note: break
        }
    }

    private func show(_ news: ViewNews, to id: ListenerID) {
        guard let screen = screens[id] else { return }  // A race: the program has left.
        switch news.content {
        case .whole(let node): screens[id]?.node = node
        case .changes(let changes):
            guard let node = screen.node else {
                faults.append("\(screen.target.path): changes before the whole")
                return
            }
            screens[id]?.node = changes.reduce(node) { $0.setting($1.place, to: $1.node) }
        }
        screens[id]?.isComplete = news.isComplete
    }

    private func follow(_ id: RequestID, _ step: TransactionStep) {
        if case .run(let node, let round) = step {
            computing[id] = (node, round)
            return
        }
        computing[id] = nil
        guard tasks.removeValue(forKey: id) != nil else { return }
        switch step {
        case .run, .aborted: break
        case .committed: ledger.committedCount += 1
        case .failed: ledger.doubtfulCount += 1
        }
    }

    // MARK: Programs

    func addSession() {
        lastSession += 1
        sessions.append(lastSession)
    }

    private func request(of session: UInt64, _ task: Task) -> RequestID {
        lastNumber += 1
        let id = RequestID(session: session, number: lastNumber)
        tasks[id] = task
        return id
    }

    private func writer(_ session: UInt64) -> Writer {
        Writer(uid: 1_000, gid: 1_000, pid: Int32(session % 1_000))
    }

    /// A program sends a write, which keeps its identity when it is sent again.
    func write(_ number: Int, at now: Timestamp, dies: Bool = false) {
        guard let session = sessions.first, let entry = ledger.entries[number] else { return }
        let client = ClientID(high: 1, low: UInt64(index))
        let wish = RealtimeWriteRequest(
            id: request(of: session, .write(number)),
            identity: WriteIdentity(uid: 1_000, client: client, sequence: UInt64(number)),
            writer: writer(session), change: entry.change)
        take(.write(wish), at: now, dies: dies)
    }

    func listen(_ target: ListenTarget, session: UInt64, at now: Timestamp) {
        lastNumber += 1
        let id = ListenerID(session: session, number: lastNumber)
        screens[id] = (target, nil, false)
        take(.listen(id, target, .observer), at: now)
    }

    func unlisten(_ id: ListenerID, at now: Timestamp) {
        screens[id] = nil
        take(.unlisten(id), at: now)
    }

    func beginTransaction(session: UInt64, isShown: Bool, at now: Timestamp) {
        let id = request(of: session, .transaction)
        take(.runTransaction(id, "total", showsEstimate: isShown, writer(session)), at: now)
    }

    /// A program counts one further.
    func compute(_ id: RequestID, at now: Timestamp) {
        guard let (input, round) = computing.removeValue(forKey: id) else { return }
        var number: Int64 = 0
        if case .integer(let known)? = input.leaf { number = known }
        let node = UnresolvedNode(Node(.integer(number + 1)))
        take(.propose(id, node, round: round), at: now)
    }

    /// A program says what is to be there when it is gone.
    func orderPresence(session: UInt64, _ scope: OnDisconnectScope, at now: Timestamp) {
        let path = Self.presence(of: session)
        let change = RealtimeChange.set(WritePath(path), UnresolvedNode(Node("gone")))
        let id = request(of: session, .order(path, scope))
        take(.onDisconnect(id, .write(change), scope, writer(session)), at: now)
    }

    private static func presence(of session: UInt64) -> RealtimePath {
        RealtimePath(["presence", ChildKey(unchecked: "s\(session)")])
    }

    /// A program is killed.
    func kill(_ session: UInt64, at now: Timestamp) {
        sessions.removeAll { $0 == session }
        for id in screens.keys where id.session == session { screens[id] = nil }
        for (id, task) in tasks where id.session == session {
            computing[id] = nil
            tasks[id] = nil
            if case .transaction = task { ledger.doubtfulCount += 1 }
        }
        take(.disconnected(session: session), at: now)
    }

    // MARK: Administrators

    /// A step of the next turn fails, if the store can be told to.
    func fail(_ steps: Set<RealtimeStep>) {
        (store as? RealtimeMemoryStore)?.failing = steps
    }

    /// An administrator gives an order to the queue.
    func steer(_ order: QueueOrder<RealtimeChange>, at now: Timestamp) {
        guard let session = sessions.first else { return }
        take(.steerQueue(request(of: session, .steering(order)), order, by: 0), at: now)
    }

    /// All that was held is let go.
    func releaseAll(at now: Timestamp) {
        for batch in held.sorted() { steer(.release([batch]), at: now) }
    }

    /// The programs take back what the backend has not answered.
    func purge(at now: Timestamp) {
        guard let session = sessions.first else { return }
        let client = ClientID(high: 1, low: UInt64(index))
        take(.purge(request(of: session, .purging), client, uid: 1_000), at: now)
    }

    // MARK: Time and the link

    /// The timer that runs out next.
    func nextTimer(besides ignored: Set<RealtimeTimer>) -> (timer: RealtimeTimer, at: Timestamp)? {
        timers.filter { !ignored.contains($0.key) }
            .min { ($0.value, $0.key.rawValue) < ($1.value, $1.key.rawValue) }
            .map { ($0.key, $0.value) }
    }

    func fire(_ timer: RealtimeTimer, at now: Timestamp) {
        timers[timer] = nil
        take(.timerFired(timer), at: now)
    }

    /// The connection breaks.
    func cut(at now: Timestamp) {
        guard let number = service.lose(index) else { return }
        let error = HearthError(code: .unavailable, message: "The connection broke.")
        take(.upstream(.closed(number, error)), at: now)
    }

    /// Whether a write is among the dead letters.
    func isDeadLetter(_ batch: BatchID) -> Bool {
        let letter = try? store.transaction { transaction throws(StoreError) in
            try transaction.deadLetter(batch)
        }
        return letter.flatMap { $0 } != nil
    }

    /// Whether a write still waits in the queue of some user.
    func isWaiting(among users: [UserID]) -> Bool {
        users.contains { user in
            let next = try? store.transaction { transaction throws(StoreError) in
                try transaction.nextWrite(after: .none, of: user)
            }
            return next.flatMap { $0 } != nil
        }
    }
}
