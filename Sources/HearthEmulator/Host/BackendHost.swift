import HearthBackend
import HearthModel

/// Owns the backend, and carries out what it decides.
///
/// Every call runs alone. What it changes is written to disk together with what the calls just
/// behind it change, in one transaction, and only then is anybody answered or told: whoever has seen
/// a write will see it after a crash.
actor BackendHost {
    private let executor = BackendExecutor()
    private let keeper: Keeper?
    private var backend: Backend
    /// The backend as it is on disk, while changes wait for theirs.
    private var saved: Backend?
    private var actions: [BackendAction] = []
    private var calls: [CheckedContinuation<Void, any Error>] = []
    private var isFlushScheduled = false
    private var commits: [WaiterID: CheckedContinuation<CommitOutcome, any Error>] = [:]
    private var outboxes: [StreamID: Outbox] = [:]
    private var lastStream: UInt64 = 0
    private var timer: (deadline: Timestamp, task: Task<Void, Never>)?

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Reads what the folder holds.
    ///
    /// - Parameter keeper: `nil` keeps everything in memory.
    init(keeper: sending Keeper?, settings: BackendSettings) throws(HearthError) {
        self.keeper = keeper
        let run = UInt64.random(in: .min ... .max)
        guard let keeper else {
            backend = Backend(identity: .random(in: .min ... .max), run: run, settings: settings)
            return
        }
        backend = Backend(
            identity: keeper.identity, run: run, clock: keeper.clock, settings: settings)
        try keeper.restore(into: &backend)
    }
}

/// What the service asks for.
extension BackendHost {
    /// Makes writes, all or none; waits for locks and for the disk.
    func commit(
        _ writes: [Mutation], in database: DatabaseID, transaction: TransactionID? = nil,
        by caller: Caller = .admin
    ) async throws -> CommitOutcome {
        let reply = try await call { backend, now throws(HearthError) in
            try backend.commit(writes, in: database, transaction: transaction, at: now)
        } unless: { reply in
            if case .waits = reply { true } else { false }
        }
        switch reply {
        case .done(let outcome): return outcome
        case .waits(let waiter):
            // No other call came in between, so the answer cannot have come either.
            return try await withCheckedThrowingContinuation { commits[waiter] = $0 }
        }
    }

    /// Refuses a malformed batch; see `Backend.checkBatch`.
    func checkBatch(_ writes: [Mutation], in database: DatabaseID) throws {
        try backend.checkBatch(writes, in: database)
    }

    /// Takes a picture to read from; see `Backend.read`.
    func read(
        _ subject: ReadSubject, in database: DatabaseID, _ consistency: ReadConsistency,
        by caller: Caller = .admin
    ) async throws -> ReadView {
        try await call { backend, now throws(HearthError) in
            try backend.read(subject, in: database, consistency, at: now)
        }
    }

    /// Opens a transaction.
    func begin(
        _ options: TransactionOptions, in database: DatabaseID
    ) async throws -> TransactionID {
        try await call { backend, now throws(HearthError) in
            try backend.begin(options, in: database, at: now)
        }
    }

    /// Ends a transaction without writes.
    func rollback(_ id: TransactionID, in database: DatabaseID) async throws {
        try await call { backend, now throws(HearthError) in
            try backend.rollback(id, in: database, at: now)
        }
    }

    /// Begins a watch stream whose messages go to an outbox.
    func open(
        _ outbox: Outbox, in database: DatabaseID, by caller: Caller = .admin
    ) -> StreamID {
        lastStream += 1
        let stream = StreamID(lastStream)
        outboxes[stream] = outbox
        backend.open(stream, in: database)
        saved?.open(stream, in: database)
        return stream
    }

    /// Ends a watch stream.
    func close(_ stream: StreamID) {
        outboxes[stream] = nil
        backend.close(stream)
        saved?.close(stream)
    }

    /// Adds a target; see `Backend.watch`.
    func watch(_ request: WatchRequest, on stream: StreamID) async throws {
        try await call { backend, now throws(HearthError) in
            try backend.watch(request, on: stream, at: now)
        }
    }

    /// Takes a target away.
    func unwatch(_ target: WireTargetID, on stream: StreamID) async throws {
        try await call { backend, _ throws(HearthError) in
            backend.unwatch(target, on: stream)
        }
    }

    /// Tells a stream whose outbox is empty what it has missed, if it was paused.
    func resume(_ stream: StreamID) async throws {
        try await call { backend, now throws(HearthError) in
            backend.resume(stream, at: now)
        }
    }

    /// Forgets the past; see `Backend.forgetHistory`.
    func forgetHistory() async throws {
        try await call { backend, _ throws(HearthError) in
            backend.forgetHistory()
        }
    }

    /// Gives quiet streams a fresh token.
    func heartbeat() async {
        try? await call { backend, now throws(HearthError) in
            backend.heartbeat(at: now)
        }
    }
}

/// One call, one answer, and the disk in between.
extension BackendHost {
    /// Makes a call, and waits until all that it could have seen is on disk.
    ///
    /// - Parameter isLeft: Whether to leave at once, without an answer to anybody yet.
    private func call<Result: Sendable>(
        _ body: (inout Backend, Timestamp) throws(HearthError) -> Result,
        unless isLeft: (Result) -> Bool = { _ in false }
    ) async throws -> Result {
        let before = backend
        let result = Swift.Result { () throws(HearthError) in
            try body(&backend, WallClock.now)
        }
        let new = backend.takeActions()
        if keeper != nil, saved == nil, new.contains(where: \.isSave) { saved = before }
        actions += new
        if saved == nil {
            flush()
        } else {
            scheduleFlush()
            let leaves = if case .success(let value) = result { isLeft(value) } else { false }
            if !leaves { try await withCheckedThrowingContinuation { calls.append($0) } }
        }
        return try result.get()
    }

    /// Lets the calls that are waiting already have their turn, then writes for all of them.
    private func scheduleFlush() {
        if isFlushScheduled { return }
        isFlushScheduled = true
        Task { self.flush() }
    }

    private func flush() {
        let actions = actions
        let calls = calls
        self.actions = []
        self.calls = []
        isFlushScheduled = false
        do throws(HearthError) {
            try save(actions)
        } catch {
            fail(error, calls)
            return
        }
        saved = nil
        for call in calls { call.resume() }
        var slow: Set<StreamID> = []
        for action in actions {
            switch action {
            case .save: break
            case .answer(let waiter, let answer): self.answer(waiter, answer)
            case .deliver(let stream, let messages):
                if outboxes[stream]?.put(messages) == false { slow.insert(stream) }
            }
        }
        for stream in slow { backend.pause(stream) }
        schedule()
    }

    private func save(_ actions: [BackendAction]) throws(HearthError) {
        guard let keeper else { return }
        let saves = actions.compactMap { action in
            if case .save(let database, let save) = action { (database, save) } else { nil }
        }
        if saves.isEmpty { return }
        try keeper.save(saves, clock: backend.clock)
    }

    /// Goes back to what is on disk; whoever acted on anything newer is told so.
    private func fail(_ error: HearthError, _ calls: [CheckedContinuation<Void, any Error>]) {
        if let saved { backend = saved }
        saved = nil
        for call in calls { call.resume(throwing: error) }
        for commit in commits.values { commit.resume(throwing: error) }
        commits = [:]
        schedule()
    }

    private func answer(_ waiter: WaiterID, _ answer: CommitAnswer) {
        guard let commit = commits.removeValue(forKey: waiter) else { return }
        switch answer {
        case .committed(let outcome): commit.resume(returning: outcome)
        case .failed(let error): commit.resume(throwing: error)
        }
    }

    /// Wakes when a lock or a transaction may expire.
    private func schedule() {
        guard let deadline = backend.nextDeadline else { return }
        if let timer, timer.deadline <= deadline { return }
        timer?.task.cancel()
        let wait = deadline.since(WallClock.now)
        let task = Task { [weak self] in
            guard (try? await Task.sleep(for: max(wait, .zero))) != nil else { return }
            await self?.expire()
        }
        timer = (deadline, task)
    }

    private func expire() async {
        timer = nil
        try? await call { backend, now throws(HearthError) in
            backend.expire(at: now)
        }
        schedule()
    }
}

extension BackendAction {
    fileprivate var isSave: Bool {
        if case .save = self { return true }
        return false
    }
}
