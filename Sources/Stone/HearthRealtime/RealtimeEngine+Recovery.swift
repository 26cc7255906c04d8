import HashTreeCollections
package import HearthEngine
package import HearthModel

extension RealtimeEngine {
    /// Takes the failure of an input whose transaction was undone.
    ///
    /// Whoever asked is told. What the backend sent is lost with its turn, so the network is off
    /// until the store works again; then the connection starts anew from what is on disk.
    ///
    /// There is no turn here, only effects: memory moves alone.
    ///
    /// - Parameters:
    ///   - input: The input, which this value has not taken.
    ///   - error: Why the store undid the transaction.
    ///   - now: The time of the failed turn.
    package mutating func turnFailed(_ input: Input, _ error: StoreError, at now: Timestamp)
        -> [Action]
    {
        var effects = Effects(now: now)
        let refusal = HearthError.storeFailed(error)
        switch input {
        case .listen, .get, .write, .waitForPendingWrites, .purge, .runTransaction, .onDisconnect,
            .clearPersistence, .withhold, .steerQueue:
            effects.actions += input.refusal(refusal)
        case .propose(let id, _, _): failTransaction(id, refusal, &effects)
        case .unlisten(let id): unlisten(id, &effects)
        case .denyTransaction(let id, let error): denyTransaction(id, error, &effects)
        case .denyOrders(let session, let places, let error):
            denyOrders(at: places, of: session, error, &effects)
        case .setQueueLimits(let limits): setQueueLimits(limits)
        case .networkReturned: networkReturned(&effects)
        case .shutdown: shutDownInMemory(&effects)
        case .disconnected(let session):
            let hasOrders = onDisconnects.hasOrders(of: session)
            forget(session: session, &effects)
            if hasOrders { recover(.disconnected(session), after: error, &effects) }
        case .start: recover(.start, after: error, &effects)
        case .setKept(let targets): recover(.setKept(targets), after: error, &effects)
        case .changeUser(let user): recover(.changeUser(user), after: error, &effects)
        case .setNetwork(let isEnabled): networkFailed(toBe: isEnabled, error, &effects)
        case .upstream(let event):
            let lost = recovery(of: event)
            noteClosed(event, &effects)
            recover(lost, after: error, &effects)
        case .timerFired(let timer): timerFailed(timer, error, &effects)
        }
        noteSyncState(&effects)
        memory.hold(held)  // The turn that was undone may have claimed more.
        return effects.actions
    }

    /// Tries the store again, makes up for what was lost, and goes online.
    mutating func retryStore(_ turn: inout Turn) throws(StoreError) {
        guard offlineCauses.contains(.store) else { return }
        try turn.store.enter(.start)
        let lost = recoveries
        recoveries = []
        for recovery in lost {
            switch recovery {
            case .start: try start(&turn)
            case .answer(let write, let answer): try writeAnswered(write, answer, &turn)
            case .changeUser(let user): try changeUser(to: user, &turn)
            case .setKept(let targets): try setKept(targets, &turn)
            case .disconnected(let session): try carryOutOrders(ofSession: session, &turn)
            }
        }
        offlineCauses.remove(.store)
        storeBackoff.reset()
        turn.effects.actions.append(.note(.storeRecovered))
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
    private mutating func noteClosed(_ event: RealtimeUpstreamEvent, _ effects: inout Effects) {
        guard case .closed(let number, let error) = event, takeEnd(of: number, error, &effects)
        else { return }
        linkLostInMemory(&effects)
        apply(online.streamFailed(), &effects)
    }

    /// An administrator's word on the network counts, whether its turn held or not.
    private mutating func networkFailed(
        toBe isEnabled: Bool, _ error: StoreError, _ effects: inout Effects
    ) {
        if isEnabled {
            offlineCauses.remove(.administrator)
            recover(nil, after: error, &effects)
        } else {
            offlineCauses.insert(.administrator)
            goOfflineInMemory(&effects)
        }
    }

    private mutating func timerFailed(
        _ timer: RealtimeTimer, _ error: StoreError, _ effects: inout Effects
    ) {
        switch timer {
        case .storeRetry: scheduleRetry(&effects)
        case .garbageCollection:
            collecting = nil
            effects.actions.append(.note(.storeFailed("\(error)")))
            effects.actions.append(.schedule(timer, after: RealtimeCollection.period))
        case .hashing:
            effects.actions.append(.note(.storeFailed("\(error)")))
            hashMoreInMemory(&effects)
        case .onlineState: apply(online.timerFired(), &effects)
        case .idle:
            guard isIdle else { return }
            stopConnectionInMemory(&effects)
            apply(online.set(.unknown), &effects)
        case .backoff: connectionWaited(&effects)
        case .health: connectionLives(&effects)
        case .readGrace: endReadGraceInMemory(&effects)
        case .reading: failFirstBegun(because: .storeFailed(error), &effects)
        case .unlistening: endLingering(&effects)
        case .fence: fenceWaited(&effects)
        }
    }

    private mutating func recover(
        _ recovery: Recovery?, after error: StoreError, _ effects: inout Effects
    ) {
        if let recovery { recoveries.append(recovery) }
        let isFirst = offlineCauses.insert(.store).inserted
        goOfflineInMemory(&effects)
        guard isFirst else { return }
        effects.actions.append(.note(.storeFailed("\(error)")))
        scheduleRetry(&effects)
    }

    private mutating func scheduleRetry(_ effects: inout Effects) {
        let delay = storeBackoff.next(at: effects.now, using: &random)
        storeBackoff.attempted(at: effects.now.advanced(by: delay))
        effects.actions.append(.schedule(.storeRetry, after: delay))
    }

    // MARK: The connection without the store

    private mutating func shutDownInMemory(_ effects: inout Effects) {
        refuseAllForShutdown(&effects)
        stopConnectionInMemory(&effects)
        cancelTimers(&effects)
    }

    private mutating func goOfflineInMemory(_ effects: inout Effects) {
        stopConnectionInMemory(&effects)
        apply(online.set(.offline), &effects)
        answerReadsInMemory(&effects)
    }

    private mutating func stopConnectionInMemory(_ effects: inout Effects) {
        if closeConnection(&effects) { linkLostInMemory(&effects) }
    }

    /// The late farewells are dropped when the store works again.
    private mutating func linkLostInMemory(_ effects: inout Effects) {
        listens.connectionLost()
        showLateWritesInMemory(&effects)
        // Disk and memory differ now, so no hash of the tree in memory holds for the disk.
        if !forgetLink(&effects).isEmpty { hashes.isTrusted = false }
        transactionsLinkClosed(&effects)
    }
}
