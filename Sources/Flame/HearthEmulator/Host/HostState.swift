import HearthBackend
import HearthModel

/// The state that the host's lock guards: the backend, and the changes on their way to the disk.
struct HostState: Sendable {
    /// The work to do when a group is on disk, or could not be written.
    typealias Ending = @Sendable (HearthError?) -> Void

    /// The work that a turn leaves for the time after the lock.
    struct After {
        /// The backend's time in the turn.
        let now: Timestamp
        /// The turn's own answer, if the answer need not wait for the disk.
        var ending: Ending?
        /// Answers to other calls.
        var others: [Ending] = []
        /// Whether the disk's queue must start to save the waiting group.
        var startsSaving = false
        /// The new bound of the moments that answers name, which the disk must note.
        var noted: NotedTime?
        /// When the host must wake; `nil` if no new time is due.
        var deadline: Timestamp?
    }

    /// Changes that go to disk together, and the answers that wait for the changes.
    struct Group: Sendable {
        var actions: [BackendAction] = []
        var endings: [Ending] = []
        var rules: [KeptRules] = []
        var clock = SnapshotVersion.zero

        var isEmpty: Bool { actions.isEmpty && endings.isEmpty && rules.isEmpty }

        var saves: [(DatabaseID, BackendAction.Save)] {
            actions.compactMap { action in
                if case .save(let database, let save) = action { (database, save) } else { nil }
            }
        }
    }

    /// The backend as it is now.
    var backend: Backend {
        get { states.now }
        _modify { yield &states.now }
    }
    /// The answers to commits that wait for locks.
    var commits: [WaiterID: BackendHost.Reply<CommitOutcome>] = [:]
    /// When the host wakes next; `nil` for never.
    var deadline: Timestamp?

    /// The newest moment that any answer has named.
    var clock: SnapshotVersion { states.now.clock }
    /// What a later run needs to go on after a good end.
    var noted: NotedTime { NotedTime(bound: clock, ahead: steady.ahead) }

    private let isKept: Bool
    private var steady: SteadyClock
    private var reserve: MomentReserve
    private var states: DurableState<Backend>
    private var waiting = Group()
    private var outboxes: [StreamID: Outbox] = [:]
    private var lastStream: UInt64 = 0

    /// Begins with a backend.
    ///
    /// - Parameters:
    ///   - isKept: Whether there is a disk.
    ///   - ahead: How far an earlier run's time was ahead of the clock.
    init(_ backend: Backend, isKept: Bool, ahead: Duration = .zero) {
        states = DurableState(backend, isKept: isKept)
        self.isKept = isKept
        steady = SteadyClock(after: backend.clock.timestamp, ahead: ahead)
        reserve = MomentReserve(from: backend.clock)
    }

    /// The backend's present time.
    mutating func now(at reading: ClockReading) -> Timestamp { steady.time(at: reading) }

    /// Lets a call have its turn.
    mutating func take(
        _ reading: ClockReading, _ body: (inout HostState, Timestamp) -> Ending?
    ) -> After {
        let now = now(at: reading)
        let before = states.beforeTurn
        var after = After(now: now)
        let ruleCount = waiting.rules.count
        let ending = body(&self, now)
        let actions = backend.takeActions()
        states.turned(
            from: before,
            hasChanged: waiting.rules.count > ruleCount || actions.contains(where: \.isSave))
        if !states.isAhead {
            after.ending = ending
            if !actions.isEmpty { after.others = perform(actions) }
        } else {
            waiting.actions += actions
            if let ending { waiting.endings.append(ending) }
            after.startsSaving = states.beginsSaving(isWaiting: !waiting.isEmpty)
        }
        if isKept, let bound = reserve.extend(at: now) {
            after.noted = NotedTime(bound: bound, ahead: steady.ahead)
        }
        // Not by `backend`, which would copy the backend.
        if let next = states.now.nextDeadline, deadline.map({ next < $0 }) ?? true {
            deadline = next
            after.deadline = next
        }
        return after
    }

    /// Makes writes, all or none.
    ///
    /// - Parameter reply: Gets the answer of a commit that waits for locks.
    /// - Returns: The answer; `nil` if the commit waits.
    mutating func commit(
        _ writes: [Mutation], in database: DatabaseID, transaction: TransactionID? = nil,
        by caller: NotedCaller, at now: Timestamp,
        then reply: @escaping BackendHost.Reply<CommitOutcome>
    ) -> Result<CommitOutcome, HearthError>? {
        let made = Result { () throws(HearthError) in
            try backend.judged(caller.record) { backend throws(HearthError) in
                try backend.commit(
                    writes, in: database, transaction: transaction, by: caller.caller, at: now)
            }
        }
        switch made {
        case .success(.done(let outcome)): return .success(outcome)
        case .failure(let error): return .failure(error)
        case .success(.waits(let waiter)):
            commits[waiter] = reply
            return nil
        }
    }

    /// Closes the group that waits; `nil` if the group is empty.
    mutating func takeGroup() -> Group? {
        states.closeGroup(isEmpty: waiting.isEmpty)
        if waiting.isEmpty { return nil }
        var group = waiting
        group.clock = states.now.clock
        waiting = Group()
        return group
    }

    /// A group is on disk: tells streams, and returns the answers that waited for the group.
    mutating func saved(_ group: Group) -> [Ending] {
        states.landed(isMoreWaiting: !waiting.isEmpty)
        return group.endings + perform(group.actions)
    }

    /// A group did not get to the disk: takes the backend back to the state on disk.
    ///
    /// - Returns: The answers to all calls that waited for the disk or for locks; the caller passes
    ///   the error to each.
    mutating func lost(_ group: Group) -> [Ending] {
        states.lost()
        var endings = group.endings + waiting.endings
        for commit in commits.values {
            endings.append { error in if let error { commit(.failure(error)) } }
        }
        commits = [:]
        waiting = Group()
        // A stream that was paused in the state on disk is paused again, even if the lost changes
        // had brought the stream up to date.
        for (stream, outbox) in outboxes where backend.isPaused(stream) { outbox.fellBehind() }
        return endings
    }

    /// Begins a watch stream.
    mutating func open(
        _ outbox: Outbox, in database: DatabaseID, by caller: Caller
    ) -> StreamID {
        lastStream += 1
        let stream = StreamID(lastStream)
        outboxes[stream] = outbox
        states.updateAll { $0.open(stream, in: database, by: caller) }
        return stream
    }

    /// Sets a project's rules, and has the folder keep the rules.
    mutating func keepRules(_ rules: KeptRules) throws(HearthError) {
        try backend.setRules(rules.source, project: rules.project, fileName: rules.fileName)
        // A client that sets rules by the endpoint runs tests, and may ask which rules the tests
        // reached.
        backend.coverRules(of: rules.project)
        if isKept { waiting.rules.append(rules) }
    }

    /// Sets rules in the backend, and in the older states that may come back.
    mutating func setRules(_ source: String, project: String?) throws(HearthError) {
        try states.updateAll { backend throws(HearthError) in
            try backend.setRules(source, project: project)
        }
    }

    /// Keeps verdicts from now on.
    mutating func keepVerdicts() {
        states.updateAll { $0.keepsVerdicts = true }
    }

    /// Ends a watch stream.
    mutating func close(_ stream: StreamID) {
        outboxes[stream] = nil
        states.updateAll { $0.close(stream) }
    }

    /// Puts messages into streams' outboxes in order, and gathers the answers to other calls.
    private mutating func perform(_ actions: [BackendAction]) -> [Ending] {
        var endings: [Ending] = []
        var slow: Set<StreamID> = []
        for action in actions {
            switch action {
            case .save: break
            case .answer(let waiter, let answer):
                guard let commit = commits.removeValue(forKey: waiter) else { continue }
                endings.append { failure in
                    switch answer {
                    case .committed(let outcome):
                        commit(failure.map { .failure($0) } ?? .success(outcome))
                    case .failed(let error): commit(.failure(error))
                    }
                }
            case .deliver(let stream, let messages):
                if outboxes[stream]?.put(messages) == false { slow.insert(stream) }
            }
        }
        for stream in slow { backend.pause(stream) }
        return endings
    }
}

extension BackendAction {
    fileprivate var isSave: Bool {
        if case .save = self { return true }
        return false
    }
}
