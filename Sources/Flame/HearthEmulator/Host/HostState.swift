import HearthBackend
import HearthModel

/// What the host's lock guards: the backend, and what is on its way to the disk.
///
///     backend   as it is
///     flying    as it was when the group that is being written was closed
///     saved     as it is on disk; `nil` if nothing differs from `backend`
struct HostState: Sendable {
    /// What is to be done when a group is on disk, or has failed to get there.
    typealias Ending = @Sendable (HearthError?) -> Void

    /// What a turn leaves to be done outside the lock.
    struct After {
        /// The turn's own answer, if it need not wait.
        var ending: Ending?
        /// Answers to others.
        var others: [Ending] = []
        /// Whether the disk must be told that something waits.
        var startsSaving = false
        /// When to wake.
        var deadline: Timestamp?
    }

    /// Changes that go to disk together, and who waits for them.
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

    var backend: Backend
    /// Who waits for locks.
    var commits: [WaiterID: BackendHost.Reply<CommitOutcome>] = [:]
    /// When the host wakes next, if it does.
    var deadline: Timestamp?

    private let isKept: Bool
    private var saved: Backend?
    private var flying: Backend?
    private var waiting = Group()
    private var isSaving = false
    private var outboxes: [StreamID: Outbox] = [:]
    private var lastStream: UInt64 = 0

    /// Begins with a backend.
    ///
    /// - Parameter isKept: Whether there is a disk.
    init(_ backend: Backend, isKept: Bool) {
        self.backend = backend
        self.isKept = isKept
    }

    /// Lets a call have its turn.
    mutating func take(_ now: Timestamp, _ body: (inout HostState, Timestamp) -> Ending?) -> After {
        // Without a disk nobody needs the state before, and its trees may change in place.
        let before = isKept && saved == nil ? backend : nil
        var after = After()
        let ruleCount = waiting.rules.count
        let ending = body(&self, now)
        let actions = backend.takeActions()
        if let before, actions.contains(where: \.isSave) || waiting.rules.count > ruleCount {
            saved = before
        }
        if saved == nil {
            after.ending = ending
            if !actions.isEmpty { after.others = perform(actions) }
        } else {
            waiting.actions += actions
            if let ending { waiting.endings.append(ending) }
            after.startsSaving = !isSaving && !waiting.isEmpty
            if after.startsSaving { isSaving = true }
        }
        if let next = backend.nextDeadline, deadline.map({ next < $0 }) ?? true {
            deadline = next
            after.deadline = next
        }
        return after
    }

    /// Closes the group that waits; `nil` if nothing does.
    mutating func takeGroup() -> Group? {
        if waiting.isEmpty {
            isSaving = false
            return nil
        }
        var group = waiting
        group.clock = backend.clock
        waiting = Group()
        flying = backend
        return group
    }

    /// A group is on disk: streams are told, and who waited may be answered.
    mutating func saved(_ group: Group) -> [Ending] {
        saved = waiting.isEmpty ? nil : flying
        flying = nil
        return group.endings + perform(group.actions)
    }

    /// A group did not get to the disk: everything is again as the disk has it, and whoever acted on
    /// anything newer is told so.
    mutating func lost(_ group: Group) -> [Ending] {
        if let saved { backend = saved }
        saved = nil
        flying = nil
        var endings = group.endings + waiting.endings
        for commit in commits.values {
            endings.append { error in if let error { commit(.failure(error)) } }
        }
        commits = [:]
        waiting = Group()
        // Who was paused on disk is so again, even if what is lost had told them what they missed.
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
        backend.open(stream, in: database, by: caller)
        saved?.open(stream, in: database, by: caller)
        flying?.open(stream, in: database, by: caller)
        return stream
    }

    /// Gives a project rules that are kept.
    mutating func keepRules(_ rules: KeptRules) throws(HearthError) {
        try backend.setRules(rules.source, project: rules.project, fileName: rules.fileName)
        // Whoever gives rules in this way runs tests, and may ask what they reached.
        backend.coverRules(of: rules.project)
        if isKept { waiting.rules.append(rules) }
    }

    /// Gives rules to what is, and to what it may have to go back to.
    mutating func setRules(_ source: String, project: String?) throws(HearthError) {
        try backend.setRules(source, project: project)
        try saved?.setRules(source, project: project)
        try flying?.setRules(source, project: project)
    }

    /// Ends a watch stream.
    mutating func close(_ stream: StreamID) {
        outboxes[stream] = nil
        backend.close(stream)
        saved?.close(stream)
        flying?.close(stream)
    }

    /// Tells streams, in the order in which things happened, and gathers the answers to others.
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
