package import HearthEngine
package import HearthModel

extension FirestoreEngine {
    /// Takes the failure of an input whose transaction was undone.
    ///
    /// Whoever asked is told. What the backend sent is lost with its turn, so the network is off
    /// until the store works again; then the streams start anew from what is on disk.
    package mutating func turnFailed(_ input: Input, _ error: StoreError, at now: Timestamp)
        -> [Action]
    {
        var turn = Turn(now: now, store: nil)
        let refusal = HearthError.storeFailed(error)
        switch input {
        case .listen(let id, _, _):
            turn.actions.append(.fail(id, refusal))
        case .get(let id, _, _), .waitForPendingWrites(let id, _), .loadBundle(let id, _),
            .getNamedQuery(let id, _), .explain(let id, _), .manageIndexes(let id, _),
            .buildBundle(let id, _), .read(let id, _, _),
            .readForTransaction(let id, _), .aggregate(let id, _),
            .vote(let id, _), .withhold(let id, _), .translate(let id, _),
            .clearPersistence(let id), .steerQueue(let id, _, _), .learnCommit(let id, _, _):
            turn.actions.append(.refuse(id, refusal))
        case .commitTransaction(let id, _):
            turn.actions.append(.result(id, .commitFailed(refusal, mayHaveBeenApplied: false)))
        case .write(let request):
            turn.actions.append(.refuse(request.id, refusal))
        case .unlisten, .disclaim, .disconnected, .listenToSync, .unlistenToSync, .setQueueLimits,
            .networkReturned, .shutdown:
            withoutStore(input, &turn)
        case .start:
            recover(.start, after: error, &turn)
        case .changeUser(let user):
            recover(.changeUser(user), after: error, &turn)
        case .setNetwork(let isEnabled):
            if isEnabled {
                offlineCauses.remove(.administrator)
                recover(nil, after: error, &turn)
            } else {
                withoutStore(input, &turn)
            }
        case .upstream(.called):
            // The answer is for its session; the store has no part in it.
            withoutStore(input, &turn)
        case .upstream(.watched(_, .target(let change))) where change.isRefusal:
            refusalFailed(input, change, error, &turn)
        case .upstream(let event):
            let lost = recovery(of: event)
            noteClosed(event, &turn)
            recover(lost, after: error, &turn)
        case .timerFired(let timer):
            timerFailed(timer, error, &turn)
        case .collectGarbage:
            turn.actions.append(.note(.storeFailed("\(error)")))
        }
        tellInSync(&turn)
        return turn.actions
    }

    /// Tries the store again, makes up for what was lost, and goes online.
    mutating func retryStore(_ turn: inout Turn) throws(StoreError) {
        guard offlineCauses.contains(.store), let store = turn.store else { return }
        try store.enter(.lastRemoteVersion)
        let lost = recoveries
        recoveries = []
        for recovery in lost {
            switch recovery {
            case .start: try start(&turn)
            case .acknowledge(let batch, let answer): try acknowledge(batch, answer, &turn)
            case .reject(let batch, let error, let isInDoubt):
                try reject(batch, error, mayHaveBeenApplied: isInDoubt, &turn)
            case .changeUser(let user): try changeUser(to: user, &turn)
            }
        }
        offlineCauses.remove(.store)
        storeBackoff.reset()
        try countVotes(&turn)
        turn.actions.append(.note(.storeRecovered))
        try goOnline(&turn)
    }

    /// The backend refused targets, and the store could not note the refusal.
    ///
    /// The refusal counts all the same: listeners hear of the refusal, and the other targets stay
    /// watched. Only a refused lookup has to wait, because the cache must lose the lookup's
    /// document.
    private mutating func refusalFailed(
        _ input: Input, _ change: TargetWatchChange, _ error: StoreError, _ turn: inout Turn
    ) {
        let isLookup = change.targets.contains { wire in
            aggregator.target(of: wire).map { limbo.key(of: $0) != nil } ?? false
        }
        withoutStore(input, &turn)
        if isLookup { recover(nil, after: error, &turn) }
    }

    /// What an event of the backend decided, beyond what the streams will say again.
    private func recovery(of event: UpstreamEvent) -> Recovery? {
        switch event {
        case .writeAnswered(let number, let answer):
            guard writeStream.openNumber == number else { return nil }
            return pipeline.batches.first.map { .acknowledge($0, self.answer(answer, to: $0)) }
        case .writeClosed(let number, let error?):
            guard writeStream.openNumber == number else { return nil }
            guard let culprit = culprit(of: error), !mustAskForMarker(of: culprit) else {
                return nil
            }
            return .reject(culprit, error, mayHaveBeenApplied: culprit.isInDoubt)
        case .writeUnsendable(let number, let id, let error):
            guard writeStream.openNumber == number else { return nil }
            return pipeline.batches.first { $0.batch.id == id }.map {
                .reject($0, error, mayHaveBeenApplied: false)
            }
        case .writeClosed, .watchOpened, .watched, .watchClosed, .writeOpened, .writeHandshaken,
            .called:
            return nil
        }
    }

    /// A stream that ended has ended, whether its turn held or not.
    private mutating func noteClosed(_ event: UpstreamEvent, _ turn: inout Turn) {
        switch event {
        case .watchClosed(let number, let error):
            performOnWatchStream(watchStream.closed(number, error) ?? [], &turn)
        case .writeClosed(let number, let error):
            performOnWriteStream(writeStream.closed(number, error) ?? [], &turn)
        case .writeUnsendable(let number, _, let error):
            performOnWriteStream(writeStream.closed(number, error) ?? [], &turn)
        case .watchOpened, .watched, .writeOpened, .writeHandshaken, .writeAnswered, .called:
            break
        }
    }

    private mutating func timerFailed(
        _ timer: TimerID, _ error: StoreError, _ turn: inout Turn
    ) {
        switch timer {
        case .storeRetry:
            scheduleRetry(&turn)
        case .garbageCollection:
            turn.actions.append(.note(.storeFailed("\(error)")))
            turn.actions.append(.schedule(timer, after: CollectionLimits.period))
        case .settling:
            turn.actions.append(.schedule(timer, after: .seconds(1)))
        case .indexBackfill, .markers:
            turn.actions.append(.note(.storeFailed("\(error)")))
            turn.actions.append(.schedule(timer, after: .seconds(60)))
        case .onlineState, .watchIdle, .watchBackoff, .watchHealth, .writeIdle, .writeBackoff,
            .writeHealth, .givingUp:
            withoutStore(.timerFired(timer), &turn)
        }
    }

    private mutating func recover(
        _ recovery: Recovery?, after error: StoreError, _ turn: inout Turn
    ) {
        if let recovery { recoveries.append(recovery) }
        let isFirst = offlineCauses.insert(.store).inserted
        stopStreams(&turn)
        applyQuietly(online.set(.offline), &turn)
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
        do throws(StoreError) {
            switch input {
            case .unlisten(let id): try unlisten(.listener(id), &turn)
            case .disclaim(let id, let batch): try disclaim(batch, by: id, &turn)
            case .disconnected(let session): try disconnected(session, &turn)
            case .listenToSync(let id): listenToSync(id, &turn)
            case .unlistenToSync(let id): listeners.removeSyncListener(id)
            case .setNetwork(let isEnabled): try setNetwork(isEnabled: isEnabled, &turn)
            case .shutdown: try shutdown(&turn)
            case .setQueueLimits(let limits): setQueueLimits(limits, &turn)
            case .networkReturned: networkReturned(&turn)
            case .timerFired(let timer): try fired(timer, &turn)
            case .upstream(.called(let id, let answer)): try called(id, answer, &turn)
            case .upstream(.watched(let number, .target(let change))) where change.isRefusal:
                try received(.watched(number, .target(change)), &turn)
            case .start, .listen, .get, .write, .translate, .waitForPendingWrites, .loadBundle,
                .getNamedQuery,
                .explain, .manageIndexes, .changeUser, .upstream, .collectGarbage, .buildBundle,
                .read, .readForTransaction, .commitTransaction, .learnCommit,
                .aggregate, .vote, .withhold, .clearPersistence, .steerQueue:
                preconditionFailure("This input needs the store")
            }
        } catch {
            preconditionFailure("A turn without a store failed in it: \(error)")
        }
    }

    /// Applies a change of reachability where the store is not at hand, or not needed.
    mutating func applyQuietly(_ actions: [OnlineStateMachine.Action], _ turn: inout Turn) {
        var memory = Turn(now: turn.now, store: nil)
        do throws(StoreError) {
            try apply(actions, &memory)
        } catch {
            preconditionFailure("A turn without a store failed in it: \(error)")
        }
        turn.actions += memory.actions
        turn.hasTold = turn.hasTold || memory.hasTold
    }

    /// Sets the reachability where nothing but memory is concerned.
    mutating func setOnlineStateQuietly(_ state: OnlineState, _ turn: inout Turn) {
        applyQuietly(online.set(state), &turn)
    }
}
