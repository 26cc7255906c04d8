import HearthFirestore
import HearthModel

/// What a group decided, and what it read for programs.
struct GroupOutcome {
    /// What must be done, in the order of the inputs.
    var actions: [FirestoreEngine.Action] = []
    /// Documents that were read from the cache alone, as they were then.
    var reads: [CachedReads.Reading] = []
    /// The timers that a turn set, moved or stopped.
    fileprivate var movedTimers: Set<TimerID> = []

    /// Appends what the turn of one input decided.
    fileprivate mutating func append(
        _ decided: [FirestoreEngine.Action], to input: FirestoreEngine.Input
    ) {
        if let reading = CachedReads.Reading(decided, of: input) { reads.append(reading) }
        for action in decided {
            if let timer = action.movedTimer { movedTimers.insert(timer) }
        }
        actions += decided
    }

    fileprivate mutating func append(_ outcome: GroupOutcome) {
        actions += outcome.actions
        reads += outcome.reads
        movedTimers.formUnion(outcome.movedTimers)
    }
}

extension EngineHost {
    /// Takes inputs as one group, durable with one sync.
    ///
    /// First all turns go without savepoints, on the engine itself: nearly always they succeed. If
    /// one fails, the group is begun anew with a savepoint and an engine copy for each input, so that
    /// the failing one alone is refused. If the disk ended the group, or would not commit it, nothing
    /// of it has happened, and each input is tried again by itself.
    ///
    /// - Returns: What must be done. All of it is durable.
    func run(_ inputs: [FirestoreEngine.Input]) -> [FirestoreEngine.Action] {
        guard let failure, failure.isFull else { return runTogether(inputs) }
        return runSparingly(inputs, failure)
    }

    /// Takes inputs as one group, whatever they need.
    func runTogether(_ inputs: [FirestoreEngine.Input]) -> [FirestoreEngine.Action] {
        guard let store, !inputs.isEmpty else { return [] }
        return decide(inputs, in: store).actions
    }

    private func decide(_ inputs: [FirestoreEngine.Input], in store: Store) -> GroupOutcome {
        let engineAtBegin = engine
        do throws(GroupFailure) {
            return try commit(inputs, in: store, turns: together)
        } catch {
            store.rollback()
            engine = engineAtBegin
            guard inputs.count > 1 else { return failed(inputs[0], error.cause, in: store) }
            guard error.isOfTurn else { return alone(inputs, in: store) }
        }
        do throws(GroupFailure) {
            return try commit(inputs, in: store, turns: apart)
        } catch {
            store.rollback()
            engine = engineAtBegin
            return alone(inputs, in: store)
        }
    }

    /// One transaction around turns.
    ///
    /// - Throws: If nothing of the group has happened.
    private func commit(
        _ inputs: [FirestoreEngine.Input], in store: Store,
        turns: ([FirestoreEngine.Input], Store) throws(StoreError) -> GroupOutcome
    ) throws(GroupFailure) -> GroupOutcome {
        var isOfTurn = false
        do throws(StoreError) {
            try store.begin()
            isOfTurn = true
            let outcome = try turns(inputs, store)
            isOfTurn = false
            let begin = parts.clock.uptime()
            try store.commit()
            if store.hasWritten { figures.storeCommits.count(parts.clock.uptime() - begin) }
            remember(outcome, of: inputs, in: store)
            note {
                $0.turnCount += UInt64(inputs.count)
                $0.groupCount += 1
            }
            return outcome
        } catch {
            throw GroupFailure(cause: error, isOfTurn: isOfTurn)
        }
    }

    /// All turns as one step of the store: if one fails, none has happened.
    private func together(_ inputs: [FirestoreEngine.Input], in store: Store) throws(StoreError)
        -> GroupOutcome
    {
        try store.turn { transaction throws(StoreError) in
            var outcome = GroupOutcome()
            for input in inputs where !input.isRing(ofAny: outcome.movedTimers) {
                let decided = try engine.take(input, at: parts.clock.now(), in: transaction)
                outcome.append(decided, to: input)
            }
            return outcome
        }
    }

    /// A step of the store for each turn: one that fails undoes itself alone.
    private func apart(_ inputs: [FirestoreEngine.Input], in store: Store) throws(StoreError)
        -> GroupOutcome
    {
        var outcome = GroupOutcome()
        for input in inputs where !input.isRing(ofAny: outcome.movedTimers) {
            let now = parts.clock.now()
            var next = engine
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
    private func alone(_ inputs: [FirestoreEngine.Input], in store: Store) -> GroupOutcome {
        var outcome = GroupOutcome()
        for input in inputs where !input.isRing(ofAny: outcome.movedTimers) {
            outcome.append(decide([input], in: store))
        }
        return outcome
    }

    /// A read that failed for want of room is tried once more, with the room that is kept for it.
    private func failed(
        _ input: FirestoreEngine.Input, _ error: StoreError, in store: Store
    ) -> GroupOutcome {
        let isNews = noteFailure(error)
        guard isNews, error.isFull, !input.needsRoom else { return failed(input, error) }
        return decide([input], in: store)
    }

    private func failed(_ input: FirestoreEngine.Input, _ error: StoreError) -> GroupOutcome {
        GroupOutcome(actions: engine.turnFailed(input, error, at: parts.clock.now()))
    }

    /// Before anybody hears of the group, nothing remembered is older than it.
    private func remember(
        _ outcome: GroupOutcome, of inputs: [FirestoreEngine.Input], in store: Store
    ) {
        let changesUser = inputs.contains { if case .changeUser = $0 { true } else { false } }
        cachedReads.update(changesUser ? .all : store.changes, outcome.reads)
    }
}

/// Why nothing of a group has happened.
private struct GroupFailure: Error {
    let cause: StoreError
    /// Whether a turn failed, and neither the beginning nor the commit.
    let isOfTurn: Bool
}

extension FirestoreEngine.Action {
    /// The timer that the action sets, moves or stops.
    fileprivate var movedTimer: TimerID? {
        switch self {
        case .schedule(let id, _), .cancel(let id): id
        case .emit, .fail, .inSync, .answer, .accept, .settle, .complete, .refuse, .loaded, .found,
            .explained, .indexes, .result, .upstream, .note:
            nil
        }
    }
}

extension FirestoreEngine.Input {
    /// Whether this is the ring of a timer that an earlier turn has moved: a race, and stale.
    fileprivate func isRing(ofAny timers: Set<TimerID>) -> Bool {
        if case .timerFired(let id) = self { timers.contains(id) } else { false }
    }
}
