import HearthEngine
import HearthModel
import Synchronization

/// How a host runs waiting inputs: in groups of limited time, and in the end for a limited time.
extension EngineHost {
    /// The inputs of a group: given at the start, or drawn from the mailbox one by one.
    struct Group {
        /// The inputs so far, in the order of their turns.
        fileprivate(set) var inputs: [Input]
        /// Sources that may send again.
        fileprivate var resumed: [MailboxSource] = []
        private var nextIndex = 0
        /// When the group stops drawing from the mailbox; `nil` if the group does not draw.
        fileprivate let deadline: Duration?
        /// The source of the running turn, and the time when the turn began.
        fileprivate var turn: (source: MailboxSource, began: Duration)?

        /// A group of these and no more.
        init(_ inputs: [Input]) {
            self.inputs = inputs
            deadline = nil
        }

        /// A group that draws from the mailbox until a deadline.
        fileprivate init(until deadline: Duration) {
            inputs = []
            self.deadline = deadline
        }

        /// The next input that was given or drawn already.
        fileprivate mutating func next() -> Input? {
            guard nextIndex < inputs.count else { return nil }
            nextIndex += 1
            return inputs[nextIndex - 1]
        }
    }

    /// Runs one group of the waiting inputs and schedules the next group.
    ///
    /// So timers and requests for a pulse have their turns between the groups.
    func drain() {
        let isDone = inbox.withLock { inbox in
            if inbox.mailbox.isEmpty { inbox.isDrainScheduled = false }
            return inbox.mailbox.isEmpty
        }
        guard !isDone, drainOnce() else { return }
        scheduleDrain()  // Behind the timers that rang meanwhile.
    }

    /// Runs one group of the waiting inputs.
    ///
    /// - Returns: Whether any input waited.
    private func drainOnce() -> Bool {
        guard inbox.withLock({ !$0.mailbox.isEmpty }) else { return false }
        var group = Group(until: parts.clock.uptime() + parts.limits.groupTimeMax)
        if store == nil {
            take(atMost: parts.limits.groupCountMax, into: &group)
            perform(refused(group.inputs))
        } else if failure?.isFull ?? false {
            take(atMost: parts.limits.sparingCountMax, into: &group)
            perform(run(group.inputs))
        } else {
            perform(runTogether(&group))
            charge(&group)
        }
        noteWishes(group.inputs)
        note { $0.figures.add(figures) }
        figures = EngineFigures()
        resume(group.resumed)
        return true
    }

    /// Takes inputs whose turns are not measured.
    private func take(atMost countMax: Int, into group: inout Group) {
        let (entries, resumed) = inbox.withLock { $0.mailbox.take(atMost: countMax) }
        group.inputs = entries.compactMap(due)
        group.resumed = resumed
    }

    /// Draws the inputs of a group that could not begin, so that the host can try each input alone.
    func fill(_ group: inout Group) {
        guard group.deadline != nil, group.inputs.isEmpty else { return }
        take(atMost: parts.limits.groupCountMax, into: &group)
    }

    /// Charges the source of a group's last turn.
    private func charge(_ group: inout Group) {
        guard let turn = group.turn else { return }
        group.turn = nil
        let work = parts.clock.uptime() - turn.began
        inbox.withLock { $0.mailbox.charge(work, to: turn.source) }
    }

    private func resume(_ sources: [MailboxSource]) {
        let sessions = sources.compactMap { source -> UInt64? in
            if case .session(let id, _) = source { id } else { nil }
        }
        if !sessions.isEmpty { parts.outlet.resume(sessions) }
        if sources.contains(.upstream) { resumeWaiters() }
    }

    /// The next input of a group; charges the source of the turn before.
    ///
    /// A group that draws holds at least one input. The group ends with the time or the count of
    /// `HostLimits`. The group also ends before an input that is likely to need more than the
    /// remaining time, so that the drawn inputs do not wait for the costly input.
    func next(of group: inout Group) -> Input? {
        if let input = group.next() { return input }
        guard let deadline = group.deadline else { return nil }
        while true {
            let now = parts.clock.uptime()
            let isOver =
                !group.inputs.isEmpty
                && (now >= deadline || group.inputs.count >= parts.limits.groupCountMax)
            let turn = group.turn
            group.turn = nil
            let taken = inbox.withLock { inbox in
                if let turn { inbox.mailbox.charge(now - turn.began, to: turn.source) }
                let timeLeft = group.inputs.isEmpty ? nil : deadline - now
                return isOver ? nil : inbox.mailbox.next(ifAtMost: timeLeft)
            }
            guard let taken else { return nil }
            if taken.mayResume { group.resumed.append(taken.source) }
            guard let input = due(taken.element) else { continue }
            group.inputs.append(input)
            group.turn = (taken.source, now)
            return group.next()
        }
    }

    private func due(_ entry: Entry) -> Input? {
        switch entry {
        case .input(let input): isRevoked(input) ? nil : input
        case .ring(let ring): timers?.accept(ring) == true ? .timerFired(ring.timer) : nil
        case .errandDone(let input, let count): count == openingCount ? input : nil
        }
    }

    /// Whether an input was given up while it waited, or gives up what had no turn.
    private func isRevoked(_ input: Input) -> Bool {
        let (revocable, revocation) = (input.revocable, input.revocation)
        guard revocable != nil || revocation != nil else { return false }
        return inbox.withLock { $0.revocations.drop(revocable, revocation) }
    }

    private func refused(_ inputs: [Input]) -> [Effect] {
        let reason =
            if case .failed(let error) = status.phase { error.description } else { "It is closed." }
        let error = HearthError(
            code: .unavailable,
            message: "The cache of \(parts.key) cannot be used. \(reason) "
                + "Hearth tries again by itself; `hearth status` tells more.")
        return inputs.flatMap { $0.refusal(error) }
    }

    /// Runs the waiting inputs for a while, shuts the engine down and closes the store.
    ///
    /// The host refuses later inputs.
    ///
    /// A client without an answer learns from the end of the connection that the daemon ended, and
    /// asks the next daemon again. The host takes the backend's answers to writes in any case;
    /// otherwise the next daemon would send the writes twice.
    package func close() async {
        inbox.withLock { $0.isClosed = true }
        let deadline = parts.clock.uptime() + parts.limits.closingTimeMax
        while parts.clock.uptime() < deadline, drainOnce() {}
        if store != nil {
            let left = inbox.withLock { $0.mailbox.take(atMost: .max).elements }
            perform(run(left.compactMap(\.writeAnswer) + [.lifecycle(.shutdown)]))
        }
        timers?.cancelAll()
        retryTimer?.stop()
        maintenanceTimer?.stop()
        upstream = nil
        // Nobody reads here any more once another daemon may have the store.
        parts.memory?.forgetAll()
        store = nil
        // A reserve shows that there was a store (`StoreRescue`).
        if openingCount > 0 { parts.keepReserve() }
        note { $0.phase = .closed }
    }
}

extension EngineHost.Entry {
    /// The input, if the input is the backend's answer on the write stream; otherwise `nil`.
    fileprivate var writeAnswer: EngineHost.Input? {
        guard case .input(let input) = self, case .upstream(settlesWrites: true) = input.role
        else { return nil }
        return input
    }
}
