import HearthEngine
import HearthModel

extension EngineHost {
    /// The decisions of a group, and the group's readings for programs.
    struct GroupOutcome {
        /// The effects to perform, in the order of the inputs.
        var effects: [Effect] = []
        /// Answers of the group that the memory may keep.
        var readings: [Engine.Reading] = []
        /// The timers that a turn set, moved or stopped.
        fileprivate var movedTimers: Set<Timer> = []

        /// Appends what the turn of one input decided.
        fileprivate mutating func append(_ decided: [Effect], to input: Input) {
            if let reading = Engine.reading(in: decided, of: input) { readings.append(reading) }
            for effect in decided {
                if let timer = effect.movedTimer { movedTimers.insert(timer) }
            }
            effects += decided
        }

        fileprivate mutating func append(_ outcome: GroupOutcome) {
            effects += outcome.effects
            readings += outcome.readings
            movedTimers.formUnion(outcome.movedTimers)
        }
    }

    /// Takes inputs as one group, durable with one sync.
    ///
    /// First all turns run without savepoints, on the engine itself, because turns nearly always
    /// succeed. If a turn fails, the group begins anew with a savepoint and an engine copy for each
    /// input, so that only the failing input is refused. If the disk ended the group or refused the
    /// commit, no turn of the group has happened. Then the host tries each input by itself.
    ///
    /// - Returns: The effects to perform. Every effect is durable.
    func run(_ inputs: [Input]) -> [Effect] {
        guard let failure, failure.isFull else { return runTogether(inputs) }
        return runSparingly(inputs, failure)
    }

    /// Takes inputs as one group, even inputs that need room on a full disk.
    func runTogether(_ inputs: [Input]) -> [Effect] {
        guard !inputs.isEmpty else { return [] }
        var group = Group(inputs)
        return runTogether(&group)
    }

    /// Takes a group as `run` does; the group may draw inputs while it runs.
    func runTogether(_ group: inout Group) -> [Effect] {
        guard let store else { return [] }
        return decide(&group, in: store).effects
    }

    private func decide(_ group: inout Group, in store: Store) -> GroupOutcome {
        let engineAtBegin = engine
        do throws(GroupFailure) {
            return try commit(&group, in: store, turns: together)
        } catch {
            store.rollback()
            engine = engineAtBegin
            fill(&group)
            guard group.inputs.count > 1 else {
                return group.inputs.first.map { failed($0, error.cause, in: store) }
                    ?? GroupOutcome()
            }
            guard error.isOfTurn else { return alone(group.inputs, in: store) }
        }
        do throws(GroupFailure) {
            return try commit(&group, in: store, turns: apart)
        } catch {
            store.rollback()
            engine = engineAtBegin
            return alone(group.inputs, in: store)
        }
    }

    /// One transaction around turns.
    ///
    /// - Throws: If nothing of the group has happened.
    private func commit(
        _ group: inout Group, in store: Store,
        turns: (inout Group, Store) throws(StoreError) -> GroupOutcome
    ) throws(GroupFailure) -> GroupOutcome {
        var isOfTurn = false
        do throws(StoreError) {
            try store.begin()
            isOfTurn = true
            let outcome = try turns(&group, store)
            isOfTurn = false
            let begin = parts.clock.uptime()
            try store.commit()
            if store.hasWritten { figures.storeCommits.count(parts.clock.uptime() - begin) }
            remember(outcome, of: group.inputs, in: store)
            let count = UInt64(group.inputs.count)
            note {
                $0.turnCount += count
                $0.groupCount += 1
            }
            return outcome
        } catch {
            throw GroupFailure(cause: error, isOfTurn: isOfTurn)
        }
    }

    /// All turns as one step of the store: if one fails, none has happened.
    private func together(_ group: inout Group, in store: Store) throws(StoreError)
        -> GroupOutcome
    {
        try store.turn { transaction throws(StoreError) in
            var outcome = GroupOutcome()
            var meter = TurnMeter()
            defer { meter.finish(in: &figures.turns) }
            var began = parts.clock.uptime()
            while let input = next(of: &group) {
                if input.isRing(ofAny: outcome.movedTimers) { continue }
                engine.note(uptime: parts.clock.timeSinceBoot())
                let decided = try engine.take(input, at: parts.clock.now(), in: transaction)
                let ended = parts.clock.uptime()
                meter.ended(after: ended - began, in: &figures.turns)
                began = ended
                outcome.append(decided, to: input)
            }
            return outcome
        }
    }

    /// A step of the store for each turn: one that fails undoes itself alone.
    private func apart(_ group: inout Group, in store: Store) throws(StoreError)
        -> GroupOutcome
    {
        var outcome = GroupOutcome()
        for input in group.inputs where !input.isRing(ofAny: outcome.movedTimers) {
            let now = parts.clock.now()
            var next = engine
            next.note(uptime: parts.clock.timeSinceBoot())
            let began = ThreadClock.processorTime
            defer { figures.turns.count(ThreadClock.processorTime - began) }
            do throws(StoreError) {
                let decided = try store.turn { transaction throws(StoreError) in
                    try next.take(input, at: now, in: transaction)
                }
                engine = next  // Memory moved only if the disk did.
                outcome.append(decided, to: input)
            } catch {
                guard store.isGroupOpen else { throw error }
                noteFailure(error)
                outcome.append(failed(input, error))
            }
        }
        return outcome
    }

    /// Takes each input as a group of its own, after they failed together.
    private func alone(_ inputs: [Input], in store: Store) -> GroupOutcome {
        var outcome = GroupOutcome()
        for input in inputs where !input.isRing(ofAny: outcome.movedTimers) {
            // The reserve is for reads, not for the inputs behind the input that found the disk
            // full.
            if let failure, failure.isFull, input.needsRoom {
                outcome.append(failed(input, failure))
            } else {
                var group = Group([input])
                outcome.append(decide(&group, in: store))
            }
        }
        return outcome
    }

    /// A read that failed for want of room is tried once more, with the room that is kept for it.
    private func failed(
        _ input: Input, _ error: StoreError, in store: Store
    ) -> GroupOutcome {
        let isNews = noteFailure(error)
        guard isNews, error.isFull, !input.needsRoom else { return failed(input, error) }
        var group = Group([input])
        return decide(&group, in: store)
    }

    private func failed(_ input: Input, _ error: StoreError) -> GroupOutcome {
        GroupOutcome(effects: engine.turnFailed(input, error, at: parts.clock.now()))
    }

    /// Before anybody hears of the group, nothing remembered is older than it.
    private func remember(_ outcome: GroupOutcome, of inputs: [Input], in store: Store) {
        guard let memory = parts.memory else { return }
        if inputs.contains(where: \.changesUser) {
            memory.forgetAll()
        } else {
            memory.update(store.changes, outcome.readings)
        }
    }
}

/// Why nothing of a group has happened.
private struct GroupFailure: Error {
    let cause: StoreError
    /// Whether a turn failed, and neither the beginning nor the commit.
    let isOfTurn: Bool
}

extension EngineInput {
    /// Whether another Firebase user is signed in behind the input, to whom other answers are due.
    fileprivate var changesUser: Bool {
        if case .lifecycle(.changeUser) = role { true } else { false }
    }

    /// Whether this is the ring of a timer that an earlier turn has moved: a race, and stale.
    fileprivate func isRing(ofAny timers: Set<Effect.Timer>) -> Bool {
        if case .timerFired(let timer) = role { timers.contains(timer) } else { false }
    }
}
