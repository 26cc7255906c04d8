import HearthFirestore
import HearthModel

extension EngineHost {
    /// Takes inputs as one group, durable with one sync.
    ///
    /// An input whose turn fails leaves the engine as it was before it. If the disk ended the whole
    /// group, or would not commit it, nothing of it has happened: the engine returns to what it was
    /// at the beginning, and each input is tried again alone.
    ///
    /// - Returns: What must be done, in the order of the inputs. All of it is durable.
    func run(_ inputs: [FirestoreEngine.Input]) -> [FirestoreEngine.Action] {
        guard let store, !inputs.isEmpty else { return [] }
        let engineAtBegin = engine
        do throws(StoreError) {
            let actions = try group(inputs, in: store)
            note {
                $0.turnCount += UInt64(inputs.count)
                $0.groupCount += 1
            }
            return actions
        } catch {
            store.rollback()
            engine = engineAtBegin
            if inputs.count == 1 { return failed(inputs[0], error) }
            return alone(inputs)
        }
    }

    /// One transaction with a turn for each input.
    ///
    /// - Throws: If nothing of the group has happened.
    private func group(_ inputs: [FirestoreEngine.Input], in store: Store) throws(StoreError)
        -> [FirestoreEngine.Action]
    {
        try store.begin()
        var actions: [FirestoreEngine.Action] = []
        var movedTimers: Set<TimerID> = []
        for input in inputs where !input.isRing(ofAny: movedTimers) {
            let now = parts.clock.now()
            var next = engine
            do throws(StoreError) {
                let decided = try store.turn { transaction throws(StoreError) in
                    try next.take(input, at: now, in: transaction)
                }
                engine = next  // Memory moved only if the disk did.
                actions += decided
                movedTimers.formUnion(decided.compactMap(\.movedTimer))
            } catch {
                guard store.isGroupOpen else { throw error }
                actions += failed(input, error)
            }
        }
        try store.commit()
        return actions
    }

    /// Takes each input as a group of its own, after they failed together.
    private func alone(_ inputs: [FirestoreEngine.Input]) -> [FirestoreEngine.Action] {
        var actions: [FirestoreEngine.Action] = []
        var movedTimers: Set<TimerID> = []
        for input in inputs where !input.isRing(ofAny: movedTimers) {
            let decided = run([input])
            actions += decided
            movedTimers.formUnion(decided.compactMap(\.movedTimer))
        }
        return actions
    }

    private func failed(_ input: FirestoreEngine.Input, _ error: StoreError)
        -> [FirestoreEngine.Action]
    {
        engine.turnFailed(input, error, at: parts.clock.now())
    }
}

extension FirestoreEngine.Action {
    /// The timer that the action sets, moves or stops.
    fileprivate var movedTimer: TimerID? {
        switch self {
        case .schedule(let id, _), .cancel(let id): id
        case .emit, .fail, .inSync, .answer, .accept, .settle, .complete, .refuse, .loaded, .found,
            .upstream, .note:
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
