import HashTreeCollections
package import HearthEngine
package import HearthModel

extension FirestoreEngine {
    /// Takes the failure of an input whose transaction was undone.
    ///
    /// Whoever asked is told. What the backend sent is lost with its turn, so the network is off
    /// until the store works again; then the streams start anew from what is on disk.
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
        case .listen(let id, _, _):
            effects.actions.append(.fail(id, refusal))
        case .get(let id, _, _), .waitForPendingWrites(let id, _), .loadBundle(let id, _),
            .getNamedQuery(let id, _), .explain(let id, _), .manageIndexes(let id, _),
            .buildBundle(let id, _), .read(let id, _, _), .noteReads(let id, _),
            .readForTransaction(let id, _), .aggregate(let id, _),
            .vote(let id, _), .withhold(let id, _), .translate(let id, _),
            .clearPersistence(let id), .steerQueue(let id, _, _), .learnCommit(let id, _, _),
            .readLedger(let id, _, _), .cancelWrite(let id, _, _):
            effects.actions.append(.refuse(id, refusal))
        case .commitTransaction(let id, _):
            effects.actions.append(.result(id, .commitFailed(refusal, mayHaveBeenApplied: false)))
        case .write(let request):
            effects.actions.append(.refuse(request.id, refusal))
        case .unlisten(let id): unlisten(.listener(id), &effects)
        case .disclaim(let id, let batch):
            if !stopTelling(of: batch, to: id) {
                recover(.markUntold(batch), after: error, &effects)
            }
        case .told: break  // A letter too many, which the next start forgets or has wait.
        case .abandon(let id): abandon(id, &effects)
        case .disconnected(let session):
            forget(session: session, &effects)
            if applyVotes(without: session, &effects) { fillLater(&effects) }
        case .listenToSync(let id): listenToSync(id, &effects)
        case .unlistenToSync(let id): listeners.removeSyncListener(id)
        case .setQueueLimits(let limits): setQueueLimits(limits, &effects)
        case .introduce(let session, let program): introduce(session, as: program)
        case .setLedgerTerms(let terms): ledger.setTerms(terms)
        case .setHistoryTerms(let terms):
            local.history.terms = terms
            scheduleHistory(after: HistoryLimits.lookPeriod.lowerBound, &effects)
        case .checkBudget(let id): checkBudget(id, &effects)
        case .bill(let session, let bill): self.bill(bill, of: session, now)
        case .setPins(let pins, let id): setPins(pins, answering: id, &effects)
        case .tellPins(let id, let pins): tellPins(pins, to: id, &effects)
        case .waitForPin(let id, let pin): waitForPin(pin, id, &effects)
        case .networkReturned: networkReturned(&effects)
        case .shutdown: shutdown(&effects)
        case .start: recover(.start, after: error, &effects)
        case .changeUser(let user): recover(.changeUser(user), after: error, &effects)
        case .setNetwork(let isEnabled): networkFailed(toBe: isEnabled, error, &effects)
        case .upstream(let event): eventFailed(event, error, &effects)
        case .surveyed(let id, _): surveyFailed(id, error, &effects)
        case .timerFired(let timer): timerFailed(timer, error, &effects)
        case .collectGarbage: effects.actions.append(.note(.storeFailed("\(error)")))
        }
        tendLedger(&effects)
        tellInSync(&effects)
        notePins(&effects)
        noteLoads(&effects)
        return effects.actions
    }

    /// Tries the store again, makes up for what was lost, and goes online.
    mutating func retryStore(_ turn: inout Turn) throws(StoreError) {
        guard offlineCauses.contains(.store) else { return }
        try turn.store.enter(.lastRemoteVersion)
        let lost = recoveries
        recoveries = []
        for recovery in lost {
            switch recovery {
            case .start: try start(&turn)
            case .acknowledge(let batch, let answer): try acknowledge(batch, answer, &turn)
            case .reject(let batch, let error, let isInDoubt):
                try reject(batch, error, mayHaveBeenApplied: isInDoubt, &turn)
            case .changeUser(let user): try changeUser(to: user, &turn)
            case .markUntold(let batch): try markUntold(batch, &turn)
            }
        }
        offlineCauses.remove(.store)
        storeBackoff.reset()
        try countVotes(&turn)
        turn.effects.actions.append(.note(.storeRecovered))
        try goOnline(&turn)
    }

    // MARK: What counts all the same

    /// An administrator's word on the network counts, whether its turn held or not.
    private mutating func networkFailed(
        toBe isEnabled: Bool, _ error: StoreError, _ effects: inout Effects
    ) {
        if isEnabled {
            offlineCauses.remove(.administrator)
            recover(nil, after: error, &effects)
        } else {
            goOffline(because: .administrator, &effects)
        }
    }

    private mutating func eventFailed(
        _ event: UpstreamEvent, _ error: StoreError, _ effects: inout Effects
    ) {
        switch event {
        case .called(let id, let answer):
            if let lost = rejectionUnread(id, answer) {
                recover(lost, after: error, &effects)
            } else {
                // The answer is for its session; the store has no part in it.
                calledInMemory(id, answer, &effects)
            }
        case .watched(let number, .target(let change)) where change.isRefusal:
            refusalFailed(change, on: number, error, &effects)
        case .watchUnreadable(let number, let wires, let cause):
            let isLookup = hasLookup(among: wires)
            receivedUnreadableInMemory(wires, cause, on: number, &effects)
            if isLookup { recover(nil, after: error, &effects) }
        case .watchOpened, .watched, .watchClosed, .watchBroken, .writeOpened, .writeHandshaken,
            .writeAnswered, .writeClosed, .writeBroken, .writeUnsendable:
            let lost = recovery(of: event)
            noteClosed(event, &effects)
            recover(lost, after: error, &effects)
        }
    }

    /// The backend refused targets, and the store could not note the refusal.
    ///
    /// The refusal counts all the same: listeners hear of the refusal, and the other targets stay
    /// watched. Only a refused lookup has to wait, because the cache must lose the lookup's
    /// document.
    private mutating func refusalFailed(
        _ change: TargetWatchChange, on number: StreamNumber, _ error: StoreError,
        _ effects: inout Effects
    ) {
        let isLookup = hasLookup(among: change.targets)
        if heard(on: number, &effects), case .removed(let cause?) = change.kind {
            rejectedInMemory(change.targets, cause, &effects)
        }
        if isLookup { recover(nil, after: error, &effects) }
    }

    private func hasLookup(among wires: [WireTargetID]) -> Bool {
        wires.contains { wire in
            aggregator.target(of: wire).map { limbo.key(of: $0) != nil } ?? false
        }
    }

    /// The backend has answered, and the cache can neither take the answer in nor stand in for it.
    private mutating func calledInMemory(
        _ id: RequestID, _ answer: BackendAnswer, _ effects: inout Effects
    ) {
        guard let pending = calls.removeValue(forKey: id) else { return }
        silence.ended(id)
        switch (pending, answer) {
        case (.markers(let call), _): markersAnsweredInMemory(call, answer, &effects)
        case (.late, _): break
        case (.documents, .read):
            effects.actions.append(.refuse(id, .answerLostByStore))
        case (.documents(_, .default), .failed(let error)) where error.code.letsCacheAnswer:
            effects.actions.append(.refuse(id, .answerLostByStore))
        case (.read, _), (.documents, _), (.commit, _), (.aggregate, _):
            pass(answer, to: id, pending, &effects)
        }
    }

    /// The rejection of a batch in doubt whose documents could not be read: nothing that is read
    /// later would change the rejection.
    private mutating func rejectionUnread(_ id: RequestID, _ answer: BackendAnswer) -> Recovery? {
        guard case .failed = answer, case .markers(.question(let batch))? = calls[id],
            let question = markers.question, question.batch == batch, !question.isMarked,
            let culprit = pipeline.batches.first, culprit.batch.id == batch
        else { return nil }
        calls[id] = nil
        markers.question = nil
        return .reject(culprit, question.error, mayHaveBeenApplied: true)
    }

    /// The queue stands still until it can be read. A batch that was asked about is then sent again,
    /// fails again, and is asked about again.
    private mutating func markersAnsweredInMemory(
        _ call: MarkerCall, _ answer: BackendAnswer, _ effects: inout Effects
    ) {
        switch (call, answer) {
        case (.trialWrite, _), (.trialRead, _):
            if trialAnswered(call, answer, &effects) { fillLater(&effects) }
        case (.question(let batch), .failed(let error)) where !error.code.isPermanent:
            guard takeQuestion(about: batch) != nil else { return }
            startWriteStreamIfNeeded(&effects)
            fillLater(&effects)
        case (.question(let batch), _):
            guard takeQuestion(about: batch) != nil else { return }
            endWait(&effects)
            fillLater(&effects)
        case (.deletion, .failed), (.leftovers, .failed): tidyingFailed(&effects)
        case (.deletion, _), (.leftovers, _): break
        }
    }

    /// What an event of the backend decided, beyond what the streams will say again.
    private func recovery(of event: UpstreamEvent) -> Recovery? {
        switch event {
        case .writeAnswered(let number, let answer):
            guard writeStream.openNumber == number else { return nil }
            return pipeline.batches.first.map { .acknowledge($0, self.answer(answer, to: $0)) }
        case .writeClosed(let number, let error?):
            guard writeStream.openNumber == number else { return nil }
            guard let culprit = culprit(of: error), !mustAsk(about: culprit, error) else {
                return nil
            }
            return .reject(
                culprit, error,
                mayHaveBeenApplied: pipeline.mayHaveApplied(culprit, refusedWith: error))
        case .writeUnsendable(let number, let id, let error):
            guard writeStream.openNumber == number else { return nil }
            return pipeline.batches.first { $0.batch.id == id }.map {
                .reject($0, error, mayHaveBeenApplied: false)
            }
        case .writeClosed, .writeBroken, .watchOpened, .watched, .watchUnreadable, .watchClosed,
            .watchBroken, .writeOpened, .writeHandshaken, .called:
            return nil
        }
    }

    /// A stream that ended has ended, whether its turn held or not.
    private mutating func noteClosed(_ event: UpstreamEvent, _ effects: inout Effects) {
        switch event {
        case .watchClosed(let number, let error):
            performOnWatchStream(watchStream.closed(number, error) ?? [], &effects)
        case .watchBroken(let number, let error):
            let actions = watchStream.closed(number, error, wasUnreadable: true)
            performOnWatchStream(actions ?? [], &effects)
        case .writeBroken(let number, let error):
            let actions = writeStream.closed(number, error, wasUnreadable: true)
            performOnWriteStream(actions ?? [], &effects)
        case .writeClosed(let number, let error):
            performOnWriteStream(writeStream.closed(number, error) ?? [], &effects)
        case .writeUnsendable(let number, _, let error):
            performOnWriteStream(writeStream.closed(number, error) ?? [], &effects)
        case .watchOpened, .watched, .watchUnreadable, .writeOpened, .writeHandshaken,
            .writeAnswered, .called:
            break
        }
    }

    private mutating func timerFailed(
        _ timer: TimerID, _ error: StoreError, _ effects: inout Effects
    ) {
        switch timer {
        case .storeRetry:
            scheduleRetry(&effects)
        case .garbageCollection:
            effects.actions.append(.note(.storeFailed("\(error)")))
            effects.actions.append(.schedule(timer, after: CollectionLimits.period))
        case .settling:
            effects.actions.append(.schedule(timer, after: .seconds(1)))
        case .indexBackfill, .markers:
            effects.actions.append(.note(.storeFailed("\(error)")))
            effects.actions.append(.schedule(timer, after: .seconds(60)))
        case .onlineState: apply(online.timerFired(), &effects)
        case .backendSilence: effects.actions.append(.schedule(timer, after: .seconds(1)))
        case .watchIdle: watchStreamIdled(&effects)
        case .writeIdle: writeStreamIdled(&effects)
        case .watchBackoff, .watchHealth:
            performOnWatchStream(watchStream.fired(timer, at: effects.now), &effects)
        case .writeBackoff, .writeHealth:
            performOnWriteStream(writeStream.fired(timer, at: effects.now), &effects)
        case .mismatches: mismatchesFired(&effects)
        case .filling: fillLater(&effects)
        case .bundles: loadFailed(error, &effects)
        case .ledger:  // The rows wait in memory for the next try.
            isLedgerTimerSet = false
        case .history:
            effects.actions.append(.schedule(timer, after: HistoryLimits.lookPeriod.lowerBound))
        case .pins, .terms: effects.actions.append(.schedule(timer, after: .seconds(1)))
        }
    }

    /// The queue may go on, and the store could not read the queue: the engine reads it a moment
    /// later.
    private func fillLater(_ effects: inout Effects) {
        effects.actions.append(.schedule(.filling, after: .seconds(1)))
    }

    // MARK: Until the store works again

    private mutating func recover(
        _ recovery: Recovery?, after error: StoreError, _ effects: inout Effects
    ) {
        if let recovery { recoveries.append(recovery) }
        let isFirst = !offlineCauses.contains(.store)
        goOffline(because: .store, &effects)
        guard isFirst else { return }
        effects.actions.append(.note(.storeFailed("\(error)")))
        scheduleRetry(&effects)
    }

    private mutating func scheduleRetry(_ effects: inout Effects) {
        let delay = storeBackoff.next(at: effects.now, using: &random)
        storeBackoff.attempted(at: effects.now.advanced(by: delay))
        effects.actions.append(.schedule(.storeRetry, after: delay))
    }
}
