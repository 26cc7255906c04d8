import HashTreeCollections
package import HearthEngine
package import HearthModel

extension RealtimeEngine {
    /// Takes the failure of an input whose transaction was undone.
    ///
    /// Whoever asked is told. What the backend sent is lost with its turn, so the network is off
    /// until the store works again; then the connection starts anew from what is on disk.
    package mutating func turnFailed(_ input: Input, _ error: StoreError, at now: Timestamp)
        -> [Action]
    {
        var turn = Turn(now: now, store: nil)
        let refusal = HearthError.storeFailed(error)
        switch input {
        case .listen, .get, .write, .waitForPendingWrites, .purge, .runTransaction, .onDisconnect,
            .clearPersistence, .withhold, .steerQueue:
            turn.actions += input.refusal(refusal)
        case .propose(let id, _, _):
            inMemory(&turn) { engine, memory throws(StoreError) in
                try engine.failTransaction(id, refusal, &memory)
            }
        case .unlisten, .denyTransaction, .denyOrders, .setQueueLimits, .networkReturned,
            .shutdown:
            withoutStore(input, &turn)
        case .disconnected(let session):
            let hasOrders = onDisconnects.hasOrders(of: session)
            withoutStore(input, &turn)
            if hasOrders { recover(.disconnected(session), after: error, &turn) }
        case .start: recover(.start, after: error, &turn)
        case .setKept(let paths): recover(.setKept(paths), after: error, &turn)
        case .changeUser(let user): recover(.changeUser(user), after: error, &turn)
        case .setNetwork(let isEnabled):
            if isEnabled {
                offlineCauses.remove(.administrator)
                recover(nil, after: error, &turn)
            } else {
                withoutStore(input, &turn)
            }
        case .upstream(let event):
            let lost = recovery(of: event)
            noteClosed(event, &turn)
            recover(lost, after: error, &turn)
        case .timerFired(let timer): timerFailed(timer, error, &turn)
        }
        noteSyncState(&turn)
        return turn.actions
    }

    /// Tries the store again, makes up for what was lost, and goes online.
    mutating func retryStore(_ turn: inout Turn) throws(StoreError) {
        guard offlineCauses.contains(.store), let store = turn.store else { return }
        try store.enter(.start)
        let lost = recoveries
        recoveries = []
        for recovery in lost {
            switch recovery {
            case .start: try start(&turn)
            case .answer(let write, let answer): try writeAnswered(write, answer, &turn)
            case .changeUser(let user): try changeUser(to: user, &turn)
            case .setKept(let paths): try setKept(paths, &turn)
            case .disconnected(let session): try carryOutOrders(ofSession: session, &turn)
            }
        }
        offlineCauses.remove(.store)
        storeBackoff.reset()
        turn.actions.append(.note(.storeRecovered))
        hasUnsentWrites = false  // What waits, the queue tells anew.
        try goOnline(&turn)
    }

    /// The answer to a write counts, though the store could not note it: it will not come again.
    private func recovery(of event: RealtimeUpstreamEvent) -> Recovery? {
        guard case .answered(let number, let answer) = event, connection.openNumber == number,
            case .write(let id)? = requests[answer.number], let write = pipeline[id],
            !answer.status.isPassing
        else { return nil }
        return .answer(write, answer)
    }

    /// A connection that ended has ended, whether its turn held or not.
    private mutating func noteClosed(_ event: RealtimeUpstreamEvent, _ turn: inout Turn) {
        guard case .closed = event else { return }
        withoutStore(.upstream(event), &turn)
    }

    private mutating func timerFailed(
        _ timer: RealtimeTimer, _ error: StoreError, _ turn: inout Turn
    ) {
        switch timer {
        case .storeRetry: scheduleRetry(&turn)
        case .garbageCollection:
            collecting = nil
            turn.actions.append(.note(.storeFailed("\(error)")))
            turn.actions.append(.schedule(timer, after: RealtimeCollection.period))
        case .hashing:
            turn.actions.append(.note(.storeFailed("\(error)")))
            turn.actions.append(.schedule(timer, after: KeptHashes.lookPause))
        case .readGrace, .unlistening, .fence, .onlineState, .idle, .backoff, .health:
            withoutStore(.timerFired(timer), &turn)
        }
    }

    private mutating func recover(
        _ recovery: Recovery?, after error: StoreError, _ turn: inout Turn
    ) {
        if let recovery { recoveries.append(recovery) }
        let isFirst = offlineCauses.insert(.store).inserted
        inMemory(&turn) { engine, memory throws(StoreError) in
            try engine.stopConnection(&memory)
            engine.apply(engine.online.set(.offline), &memory)
            try engine.answerReadsFromCache(&memory)
        }
        guard isFirst else { return }
        turn.actions.append(.note(.storeFailed("\(error)")))
        scheduleRetry(&turn)
    }

    private mutating func scheduleRetry(_ turn: inout Turn) {
        let delay = storeBackoff.next(at: turn.now, using: &random)
        storeBackoff.attempted(at: turn.now.advanced(by: delay))
        turn.actions.append(.schedule(.storeRetry, after: delay))
    }

    /// Runs an input in memory alone. Nothing in it can fail without a store.
    private mutating func withoutStore(_ input: Input, _ turn: inout Turn) {
        inMemory(&turn) { engine, memory throws(StoreError) in
            switch input {
            case .unlisten(let id): try engine.unlisten(id, &memory)
            case .disconnected(let session): try engine.disconnected(session, &memory)
            case .denyTransaction(let id, let error):
                try engine.denyTransaction(id, error, &memory)
            case .denyOrders(let session, let places, let error):
                engine.denyOrders(at: places, of: session, error, &memory)
            case .setNetwork(let isEnabled):
                try engine.setNetwork(isEnabled: isEnabled, &memory)
            case .shutdown: try engine.shutdown(&memory)
            case .setQueueLimits(let limits): try engine.setQueueLimits(limits, &memory)
            case .networkReturned: engine.networkReturned(&memory)
            case .timerFired(let timer): try engine.fired(timer, &memory)
            case .upstream(.closed(let number, let error)):
                try engine.connectionClosed(number, error, &memory)
            case .start, .listen, .get, .write, .waitForPendingWrites, .purge, .runTransaction,
                .propose, .onDisconnect, .clearPersistence, .withhold, .setKept, .steerQueue,
                .changeUser, .upstream:
                preconditionFailure("This input needs the store")
            }
        }
    }

    private mutating func inMemory(
        _ turn: inout Turn, _ body: (inout Self, inout Turn) throws(StoreError) -> Void
    ) {
        do throws(StoreError) {
            try body(&self, &turn)
        } catch {
            preconditionFailure("A turn without a store failed in it: \(error)")
        }
    }
}
