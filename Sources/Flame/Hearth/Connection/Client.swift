import HearthEngine
import HearthModel
import HearthWire
import Synchronization

/// The connection of one `Firestore` to the daemon: it carries out what `ClientMachine` decides.
///
/// A caller's thread writes its own frame and the frames that other threads add meanwhile, until
/// the socket takes no more. The client's own thread connects, reads, and writes the rest. The
/// client makes system calls and calls the program's closures outside the lock, bytes in order and
/// closures in order.
final class Client: Sendable {
    typealias OperationID = ClientMachine.OperationID

    struct State {
        var machine: ClientMachine
        var callbacks: [OperationID: Callback] = [:]
        var line = OutgoingLine()
        var isRunning = false
        var isClosed = false
        /// Whether the client's own thread has ended. `endWaiters` are called when the thread ends.
        var hasEnded = false
        var endWaiters: [@Sendable () -> Void] = []
        /// Descriptors that have come, whose frames have not been handled.
        var descriptors: [Int32] = []
    }

    /// How many bytes may wait for the socket before new requests fail, 32 MiB: two of the greatest
    /// writes.
    private static let outboxByteCountMax = 32 * 1024 * 1024
    private static let unread = FirestoreError(
        .resourceExhausted, "The daemon does not read what it is sent. See `hearth status`.")

    /// Calls the user's closures.
    let callbacks = CallbackThread()
    let pause: ReconnectPause
    let clock: any ClientClock
    let wake = WakePipe()
    let state: Mutex<State>
    /// The daemon's memory file, while the session has one.
    let shared = Mutex<SharedReadMap?>(nil)
    /// Operations that may change documents and that the daemon has not accepted.
    let changeCount = Atomic<Int>(0)
    /// What the program has read from the cache, to be told to the daemon.
    let readNames = Mutex(ReadNames())

    /// A client that connects when it is first asked for something.
    init(
        _ configuration: ClientMachine.Configuration, pause: ReconnectPause = ReconnectPause(),
        clock: any ClientClock = SystemClock()
    ) {
        self.pause = pause
        self.clock = clock
        state = Mutex(State(machine: ClientMachine(configuration)))
    }

    /// Takes another configuration, if the client was not asked for anything yet.
    ///
    /// - Returns: Whether the client took the configuration.
    func configure(_ configuration: ClientMachine.Configuration) -> Bool {
        state.withLock { state in
            guard !state.isRunning else { return false }
            state.machine.configure(configuration)
            return true
        }
    }

    /// Makes other conditions on the daemon, if the client was not asked for anything yet.
    ///
    /// - Returns: Whether the client took the conditions.
    func demand(_ demands: DaemonDemands) -> Bool {
        var configuration = state.withLock { $0.machine.configuration }
        configuration.demands = demands
        return configure(configuration)
    }

    /// The session's database; until the daemon has named the database, `DatabaseID.ofSession`.
    var database: DatabaseID {
        guard case .firestore(let database)? = engine else { return .ofSession }
        return database
    }

    /// The session's database of either kind; `nil` until the daemon or the program has named it.
    var engine: EngineKey? { state.withLock { $0.machine.engine } }

    /// Asks once. `answer` is called exactly once.
    func request(
        _ id: OperationID, _ request: Request,
        _ answer: @escaping @Sendable (Result<Event, any Error>) -> Void
    ) {
        begin(id, .answer(answer)) { $0.begin(id, request, at: $1) }
    }

    /// Asks once, with reports of progress. `answer` is called exactly once, last.
    func request(
        _ id: OperationID, _ request: Request,
        progress: @escaping @Sendable (Event.BundleProgress) -> Void,
        _ answer: @escaping @Sendable (Result<Event, any Error>) -> Void
    ) {
        begin(id, .task(progress, answer)) { $0.begin(id, request, at: $1) }
    }

    /// Listens until `end`, or until `listener` gets an error.
    func listen(
        _ id: OperationID, to query: HearthModel.Query, _ options: ListenOptions,
        _ listener: @escaping @Sendable (Result<ViewUpdate, FirestoreError>) -> Void
    ) {
        begin(id, .listener(listener)) { $0.listen(id, to: query, options, at: $1) }
    }

    /// Listens for sync until `end`.
    func listenToSync(_ id: OperationID, _ listener: @escaping @Sendable () -> Void) {
        begin(id, .sync(listener)) { $0.listenToSync(id, at: $1) }
    }

    /// Listens to the daemon's state until the returned closure is called, or until `listener` gets an
    /// error.
    func listenToStatus(
        _ scope: StatusScope,
        _ listener: @escaping @Sendable (Result<StatusNews, FirestoreError>) -> Void
    ) -> @Sendable () -> Void {
        let id = nextOperation()
        begin(id, .status(listener)) { $0.listenToStatus(id, scope, at: $1) }
        wake.signal()  // From now on the client's own thread looks after the daemon's pulse.
        return { self.end(id) }
    }

    /// Writes. The ticket gets two answers.
    func write(
        _ id: OperationID, _ content: ClientMachine.WriteContent, isAwaited: Bool,
        _ ticket: WriteTicket
    ) {
        begin(id, .write(ticket)) { $0.write(id, content, isAwaited: isAwaited, at: $1) }
    }

    /// Listens to the Realtime Database until `end`, or until `listener` gets an error.
    func observe(
        _ id: OperationID, _ target: ListenTarget, _ kind: ListenerKind,
        _ listener: @escaping @Sendable (Result<ObserverNews, FirestoreError>) -> Void
    ) {
        begin(id, .observer(listener)) { $0.observe(id, target, kind, at: $1) }
    }

    /// Begins a transaction in the Realtime Database. `listener` gets each round, and at last the
    /// end or an error.
    func runTransaction(
        _ id: OperationID, _ path: RealtimePath, showsEstimate: Bool,
        _ listener: @escaping @Sendable (Result<TransactionStep, FirestoreError>) -> Void
    ) {
        begin(id, .transaction(listener)) {
            $0.runTransaction(id, path, showsEstimate: showsEstimate, at: $1)
        }
    }

    /// Answers a round of a transaction; without a node, gives the transaction up.
    func propose(_ id: OperationID, _ node: UnresolvedNode?, round: Int) {
        change { $0.machine.propose(id, node, round: round) }
    }

    /// Makes a name for an operation that is about to begin.
    func nextOperation() -> OperationID {
        state.withLock { $0.machine.nextOperation() }
    }

    /// The client's number for a write that has no last answer.
    func sequence(of id: OperationID) -> UInt64? { state.withLock { $0.machine.sequence(of: id) } }

    /// Nobody waits any more for what the backend says of a write.
    func release(_ id: OperationID) {
        change { $0.machine.release(id) }
    }

    /// Ends a listener.
    func end(_ id: OperationID) {
        change { $0.machine.end(id) }
    }

    /// Cancels a one-time request. If the request is not over, its closure gets a
    /// `CancellationError`.
    func cancel(_ id: OperationID) {
        let callback = state.withLock { $0.callbacks.removeValue(forKey: id) }
        change { $0.machine.end(id) }
        if case .answer(let answer)? = callback { answer(.failure(CancellationError())) }
    }

    /// Whether the client was asked for anything and is not closed.
    var isInUse: Bool { state.withLock { $0.isRunning && !$0.isClosed } }

    /// The known lead of the backend's clock over this machine's, in milliseconds; a client in use
    /// follows the lead from the first call on.
    var serverTimeOffset: Int64 {
        guard isInUse else { return 0 }
        var offset: Int64 = 0
        change { state in
            offset = state.machine.serverTimeOffset
            return state.isClosed ? [] : state.machine.followServerTime(at: clock.now)
        }
        return offset
    }

    /// Whether `close` was called.
    var isClosed: Bool { state.withLock { $0.isClosed } }

    /// Ends all operations, and the connection.
    func close() {
        change { state in
            guard !state.isClosed else { return [] }
            state.isClosed = true
            return state.machine.shutDown()
        }
        dropSharedReads()
        wake.signal()
        callbacks.close()
    }

    /// Calls `body` when the client is closed and its thread has ended.
    func whenEnded(_ body: @escaping @Sendable () -> Void) {
        let hasEnded = state.withLock { state in
            if state.isRunning, !state.hasEnded {
                state.endWaiters.append(body)
                return false
            }
            return true
        }
        if hasEnded { body() }
    }

    private func begin(
        _ id: OperationID, _ callback: Callback,
        _ body: (inout ClientMachine, Duration) -> [ClientMachine.Action]
    ) {
        change { state in
            guard !state.isClosed else {
                state.callbacks[id] = callback
                return [
                    .fail(
                        id,
                        FirestoreError(.failedPrecondition, "This Firestore was terminated."))
                ]
            }
            state.callbacks[id] = callback
            guard state.line.byteCount <= Self.outboxByteCountMax else {
                return [.fail(id, Self.unread)]
            }
            let actions = body(&state.machine, clock.now)
            if !state.isRunning {
                state.isRunning = true
                WorkerThread.start { self.run() }
            } else if !state.machine.isOpen {
                wake.signal()  // The client's own thread waits no longer than the operation may.
            }
            return actions
        }
    }

    /// Lets the machine decide, writes what must be sent, and calls back outside the lock.
    func change(_ body: (inout State) -> [ClientMachine.Action]) {
        let (calls, stretch) = state.withLock { state in
            let actions = body(&state)
            changeCount.store(state.machine.changeCount, ordering: .releasing)
            return (perform(actions, &state), state.line.take())
        }
        // The client's own thread writes the bytes that the socket does not take now.
        if let stretch, write(stretch).isStuck { wake.signal() }
        for call in calls { call() }
    }
}
