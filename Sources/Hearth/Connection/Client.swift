import HearthModel
import HearthWire
import Synchronization

/// The connection of one `Firestore` to the daemon: it carries out what `ClientMachine` decides.
///
/// A caller's thread writes its own frame, so far as the socket takes it; one thread of our own
/// connects, reads, and writes the rest. Closures are called outside the lock, in order.
final class Client: Sendable {
    typealias OperationID = ClientMachine.OperationID

    /// To whom the news of an operation goes.
    enum Callback: Sendable {
        case answer(@Sendable (Result<Event, any Error>) -> Void)
        /// A request that tells how far it has come, and its answer.
        case task(
            @Sendable (Event.BundleProgress) -> Void,
            @Sendable (Result<Event, any Error>) -> Void)
        case listener(@Sendable (Result<ViewUpdate, FirestoreError>) -> Void)
        case sync(@Sendable () -> Void)
        case write(WriteTicket)
    }

    private struct State {
        var machine: ClientMachine
        var callbacks: [OperationID: Callback] = [:]
        var socket: UnixSocket?
        /// Bytes that the socket has not taken yet, or that our thread is about to write.
        var outbox: [UInt8] = []
        /// Whether our thread takes what has come. It writes the outbox when it is through with it,
        /// so that requests that answers give rise to go out together.
        var isReading = false
        var isRunning = false
        var isClosed = false
    }

    /// Bytes that the daemon may leave unread before we ask it for nothing more, 32 MiB: two of the
    /// greatest writes.
    private static let outboxByteCountMax = 32 * 1024 * 1024
    private static let unread = FirestoreError(
        .resourceExhausted, "The daemon does not read what it is sent. See `hearth status`.")

    /// Calls of the user's closures.
    let callbacks = CallbackThread()
    private let socketPath: String
    private let pause: ReconnectPause
    private let clock: any ClientClock
    private let wake = WakePipe()
    private let state: Mutex<State>

    /// A client that connects when it is first asked for something.
    init(
        _ configuration: ClientMachine.Configuration, pause: ReconnectPause = ReconnectPause(),
        clock: any ClientClock = SystemClock()
    ) {
        socketPath = configuration.socketPath
        self.pause = pause
        self.clock = clock
        state = Mutex(State(machine: ClientMachine(configuration)))
    }

    /// The session's database, once known; until then a name that stands for it.
    var database: DatabaseID {
        state.withLock { state in
            if let database = state.machine.database { return database }
            state.machine.mayHoldUnnamed = true
            return .ofSession
        }
    }

    /// Asks once. `answer` is called exactly once.
    func request(
        _ id: OperationID, _ request: Request,
        _ answer: @escaping @Sendable (Result<Event, any Error>) -> Void
    ) {
        begin(id, .answer(answer)) { $0.begin(id, request, at: $1) }
    }

    /// Asks once, and is told how far the daemon has come. `answer` is called exactly once, last.
    func request(
        _ id: OperationID, _ request: Request,
        progress: @escaping @Sendable (Event.BundleProgress) -> Void,
        _ answer: @escaping @Sendable (Result<Event, any Error>) -> Void
    ) {
        begin(id, .task(progress, answer)) { $0.begin(id, request, at: $1) }
    }

    /// Listens until `end`, or until `listener` is given an error.
    func listen(
        _ id: OperationID, to query: HearthModel.Query, _ options: Request.ListenOptions,
        _ listener: @escaping @Sendable (Result<ViewUpdate, FirestoreError>) -> Void
    ) {
        begin(id, .listener(listener)) { $0.listen(id, to: query, options, at: $1) }
    }

    /// Listens for sync until `end`.
    func listenToSync(_ id: OperationID, _ listener: @escaping @Sendable () -> Void) {
        begin(id, .sync(listener)) { $0.listenToSync(id, at: $1) }
    }

    /// Writes. The ticket is told twice.
    func write(_ id: OperationID, _ mutations: [Mutation], isAwaited: Bool, _ ticket: WriteTicket) {
        begin(id, .write(ticket)) { $0.write(id, mutations, isAwaited: isAwaited, at: $1) }
    }

    /// Makes a name for an operation that is about to begin.
    func nextOperation() -> OperationID {
        state.withLock { $0.machine.nextOperation() }
    }

    /// Nobody waits any more for what the backend says of a write.
    func release(_ id: OperationID) {
        change { $0.machine.release(id) }
    }

    /// A listener is gone.
    func end(_ id: OperationID) {
        change { $0.machine.end(id) }
    }

    /// Whoever waited for a one-time request is gone; if it is not over, it is answered so.
    func cancel(_ id: OperationID) {
        let callback = state.withLock { $0.callbacks.removeValue(forKey: id) }
        change { $0.machine.end(id) }
        if case .answer(let answer)? = callback { answer(.failure(CancellationError())) }
    }

    /// Whether it was asked for anything and is not closed.
    var isInUse: Bool { state.withLock { $0.isRunning && !$0.isClosed } }

    /// Whether `close` was called.
    var isClosed: Bool { state.withLock { $0.isClosed } }

    /// Ends everything that is under way, and the connection.
    func close() {
        change { state in
            guard !state.isClosed else { return [] }
            state.isClosed = true
            return state.machine.shutDown()
        }
        wake.signal()
        callbacks.close()
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
            guard state.outbox.count <= Self.outboxByteCountMax else {
                return [.fail(id, Self.unread)]
            }
            let actions = body(&state.machine, clock.now)
            if !state.isRunning {
                state.isRunning = true
                WorkerThread.start { self.run() }
            } else if state.socket == nil {
                wake.signal()
            }
            return actions
        }
    }

    /// Lets the machine decide, writes what must be sent, and calls back outside the lock.
    private func change(_ body: (inout State) -> [ClientMachine.Action]) {
        let calls = state.withLock { state in
            let actions = body(&state)
            return perform(actions, &state)
        }
        for call in calls { call() }
    }

    private func perform(
        _ actions: [ClientMachine.Action], _ state: inout State
    ) -> [@Sendable () -> Void] {
        var calls: [@Sendable () -> Void] = []
        for action in actions {
            switch action {
            case .send(let frame):
                send(frame, &state)
            case .answer(let id, let event):
                switch state.callbacks.removeValue(forKey: id) {
                case .answer(let answer)?, .task(_, let answer)?:
                    calls.append { answer(.success(event)) }
                case .listener?, .sync?, .write?, nil:
                    break  // Nobody waits any more.
                }
            case .progress(let id, let progress):
                if case .task(let tell, _)? = state.callbacks[id] {
                    calls.append { tell(progress) }
                }
            case .show(let id, let update):
                if case .listener(let listener)? = state.callbacks[id] {
                    calls.append { listener(.success(update)) }
                }
            case .inSync(let id):
                if case .sync(let listener)? = state.callbacks[id] { calls.append(listener) }
            case .accept(let id, let batch):
                if case .write(let ticket)? = state.callbacks[id] {
                    calls.append { ticket.accepted(batch) }
                }
            case .commit(let id, let committed):
                if case .write(let ticket)? = state.callbacks.removeValue(forKey: id) {
                    calls.append { ticket.settled(.success(committed)) }
                }
            case .fail(let id, let error):
                if let callback = state.callbacks.removeValue(forKey: id) {
                    calls.append { Self.fail(callback, error) }
                }
            case .forget(let id):
                // It may hold the last reference to our `Firestore`, whose end closes us: not here,
                // under the lock.
                if let callback = state.callbacks.removeValue(forKey: id) {
                    calls.append { withExtendedLifetime(callback) {} }
                }
            case .disconnect:
                if let socket = state.socket { socket.shutDown() }
            }
        }
        return calls
    }

    private static func fail(_ callback: Callback, _ error: FirestoreError) {
        switch callback {
        case .answer(let answer), .task(_, let answer): answer(.failure(error))
        case .listener(let listener): listener(.failure(error))
        case .sync: break
        case .write(let ticket): ticket.settled(.failure(error))
        }
    }

    private func send(_ frame: Frame, _ state: inout State) {
        guard let socket = state.socket else { return }  // Lost; it will be sent again.
        var bytes = FrameEncoder.bytes(of: frame)[...]
        let mayWrite = state.outbox.isEmpty && !state.isReading
        if mayWrite, case .bytes(let count) = socket.write(bytes) {
            bytes = bytes.dropFirst(count)
        }
        guard !bytes.isEmpty else { return }
        state.outbox.append(contentsOf: bytes)
        if !state.isReading { wake.signal() }  // Our thread writes when the socket is ready.
    }
}

// MARK: - Our thread

extension Client {
    private func run() {
        var random = SystemRandomNumberGenerator()
        var pause = pause
        while true {
            while true {
                let (isClosed, isWanted) = state.withLock {
                    ($0.isClosed, $0.machine.wantsConnection)
                }
                if isClosed { return }
                if isWanted { break }
                wake.wait()
            }
            let reason: String
            do throws(UnixSocket.Failure) {
                let socket = try UnixSocket.connect(to: socketPath)
                reason = serve(socket, &pause)
            } catch {
                reason = error.description
            }
            let until = clock.now + pause.next(using: &random)
            rest(until: until, reason: reason)
        }
    }

    /// Waits before the next attempt; requests whose time is up fail meanwhile.
    private func rest(until: Duration, reason: String) {
        while true {
            let now = clock.now
            change { $0.machine.timePassed(now: now, reason: reason) }
            let (isClosed, deadline) = state.withLock { ($0.isClosed, $0.machine.nextDeadline) }
            guard !isClosed, now < until else { return }
            clock.wait(wake, until: min(until, deadline ?? until), socket: nil)
        }
    }

    /// Reads and writes until the connection is lost, and returns why it was.
    private func serve(_ socket: UnixSocket, _ pause: inout ReconnectPause) -> String {
        change { state in
            state.socket = socket
            state.outbox = []
            state.isReading = false
            return state.machine.opened()
        }
        var decoder = FrameDecoder()
        var buffer = [UInt8](repeating: 0, count: 64 * 1024)
        var reason = "it does not greet"
        reading: while true {
            switch socket.read(into: &buffer) {
            case .bytes(let count):
                do throws(FrameError) {
                    try receive(buffer.span.bytes.extracting(0..<count), &decoder)
                } catch {
                    reason = "\(error)"
                    break reading
                }
                if state.withLock({ $0.machine.isOpen }) { pause.reset() }
                // Fewer than there was room for: that was all, and the wait tells if more comes.
                guard count == buffer.count || flush(socket) else {
                    reason = "the connection broke"
                    break reading
                }
            case .wouldBlock:
                guard flush(socket) else {
                    reason = "the connection broke"
                    break reading
                }
            case .closed(let text):
                reason = text
                break reading
            }
        }
        let now = clock.now
        change { state in
            state.socket = nil
            state.outbox = []
            return state.machine.lost(at: now)
        }
        socket.close()
        return reason
    }

    /// Writes what is left, or waits until something can be read, written, or is asked for.
    ///
    /// - Returns: Whether the connection is of use.
    private func flush(_ socket: UnixSocket) -> Bool {
        let (outcome, isWriting, deadline) = state.withLock { state in
            var outcome = UnixSocket.Outcome.wouldBlock
            state.isReading = false
            if !state.outbox.isEmpty {
                outcome = socket.write(state.outbox[...])
                if case .bytes(let count) = outcome { state.outbox.removeFirst(count) }
            }
            return (outcome, !state.outbox.isEmpty, state.machine.nextDeadline)
        }
        if case .closed = outcome { return false }
        if deadline != nil {
            let now = clock.now
            change { $0.machine.timePassed(now: now, reason: "it does not greet") }
        }
        clock.wait(wake, until: deadline, socket: (socket.descriptor, isWriting))
        return true
    }

    /// Decodes what has come outside the lock, and takes it at once.
    private func receive(_ chunk: RawSpan, _ decoder: inout FrameDecoder) throws(FrameError) {
        var codec = state.withLock { state in
            state.isReading = true
            return state.machine.codec
        }
        var news: [(number: UInt64, event: Result<Event, WireError>)] = []
        let result = Result { () throws(FrameError) in
            try decoder.receive(chunk) { kind, number, body in
                let event = Result { () throws(WireError) in
                    try codec.event(kind: kind, body: body)
                }
                news.append((number, event))
                guard case .success(.welcome) = event else { return }
                take(news)  // What follows is read by the session's own codec.
                news = []
                codec = state.withLock { $0.machine.codec }
            }
        }
        take(news)
        try result.get()
    }

    private func take(_ news: [(number: UInt64, event: Result<Event, WireError>)]) {
        guard !news.isEmpty else { return }
        change { state in
            news.flatMap { number, event in
                switch event {
                case .success(let event): state.machine.received(event, number: number)
                case .failure(let error): state.machine.receivedUnreadable(error, number: number)
                }
            }
        }
    }
}
