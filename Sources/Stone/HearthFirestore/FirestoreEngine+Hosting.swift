package import HearthEngine
package import HearthModel

extension FirestoreEngine: Engine {
    /// From now on promises and the ages of markers count from this uptime.
    package mutating func note(uptime: Duration) { local.promises.uptime = uptime }

    /// How long the machine has been up. Runs on evenly, whatever becomes of the wall clock.
    var uptime: Duration { local.promises.uptime }

    /// The documents in what a read from the cache alone decided.
    package static func reading(in decided: [Action], of input: Input) -> DocumentReading? {
        DocumentReading(decided, of: input)
    }
}

extension FirestoreEngine.Input: EngineInput {
    /// The input of a step that every engine takes.
    package static func lifecycle(_ step: LifecycleStep) -> Self {
        switch step {
        case .start: .start
        case .setNetwork(let isEnabled): .setNetwork(isEnabled: isEnabled)
        case .networkReturned: .networkReturned
        case .changeUser(let user): .changeUser(user)
        case .setQueueLimits(let limits): .setQueueLimits(limits)
        case .disconnected(let session): .disconnected(session: session)
        case .shutdown: .shutdown
        }
    }

    package var role: InputRole<TimerID> {
        switch self {
        case .start: .lifecycle(.start)
        case .setNetwork(let isEnabled): .lifecycle(.setNetwork(isEnabled: isEnabled))
        case .networkReturned: .lifecycle(.networkReturned)
        case .changeUser(let user): .lifecycle(.changeUser(user))
        case .setQueueLimits(let limits): .lifecycle(.setQueueLimits(limits))
        case .disconnected(let session): .lifecycle(.disconnected(session: session))
        case .shutdown: .lifecycle(.shutdown)
        case .timerFired(let timer): .timerFired(timer)
        case .upstream(let event): .upstream(settlesWrites: event.settlesWrites)
        case .surveyed: .errandDone
        case .listen, .unlisten, .listenToSync, .unlistenToSync, .get, .write, .disclaim, .told,
            .abandon, .translate, .cancelWrite, .waitForPendingWrites, .loadBundle, .getNamedQuery,
            .explain,
            .manageIndexes,
            .buildBundle, .read, .noteReads, .readForTransaction, .commitTransaction, .learnCommit,
            .aggregate, .clearPersistence, .vote, .withhold, .steerQueue, .collectGarbage,
            .introduce,
            .setLedgerTerms, .setHistoryTerms, .readLedger, .checkBudget, .bill, .tellPins,
            .waitForPin:
            .request
        case .setPins: .standing
        }
    }

    package var needsRoom: Bool {
        switch self {
        case .write, .loadBundle, .manageIndexes, .learnCommit, .noteReads: true
        case .collectGarbage: false  // It makes room.
        case .upstream(.called): false
        case .upstream: true
        case .timerFired(let timer):
            switch timer {
            case .storeRetry, .indexBackfill, .filling, .bundles: true
            case .settling, .pins, .terms: false
            case .garbageCollection, .onlineState, .backendSilence, .watchIdle, .watchBackoff,
                .watchHealth, .mismatches, .writeIdle, .writeBackoff, .writeHealth, .markers,
                .ledger, .history:
                false
            }
        case .steerQueue(_, let order, _):
            switch order {
            case .edit, .retry, .retryDeadLetters, .editDeadLetter: true
            case .hold, .release, .cancel, .drop, .dropDeadLetters: false
            }
        case .start, .listen, .unlisten, .listenToSync, .unlistenToSync, .get, .getNamedQuery,
            .waitForPendingWrites, .explain, .buildBundle, .read, .readForTransaction,
            .commitTransaction, .aggregate, .vote, .withhold, .clearPersistence, .disconnected,
            .setNetwork, .setQueueLimits, .networkReturned, .changeUser, .shutdown, .disclaim,
            .told, .abandon, .translate, .introduce, .setLedgerTerms, .setHistoryTerms, .readLedger,
            .checkBudget, .bill, .setPins, .tellPins, .waitForPin, .cancelWrite, .surveyed:
            false
        }
    }

    package var revocable: Revocable? {
        switch self {
        case .listen(let listener, _, _): .listener(listener)
        case .get(let request, _, _), .read(let request, _, _), .translate(let request, _),
            .waitForPendingWrites(let request, _), .getNamedQuery(let request, _),
            .explain(let request, _), .buildBundle(let request, _),
            .readForTransaction(let request, _), .aggregate(let request, _),
            .readLedger(let request, _, _), .checkBudget(let request), .tellPins(let request, _),
            .waitForPin(let request, _):
            .request(request)
        case .start, .unlisten, .listenToSync, .unlistenToSync, .noteReads, .write, .cancelWrite,
            .disclaim, .told, .abandon, .disconnected, .loadBundle, .manageIndexes,
            .commitTransaction, .learnCommit, .clearPersistence, .vote, .withhold, .steerQueue,
            .setQueueLimits, .introduce, .setLedgerTerms, .setHistoryTerms, .bill, .setPins,
            .setNetwork, .networkReturned, .changeUser, .upstream, .surveyed, .timerFired,
            .collectGarbage, .shutdown:
            nil
        }
    }

    package var revocation: Revocation? {
        if case .abandon(let request) = self { return .one(.request(request)) }
        if case .unlisten(let listener) = self { return .one(.listener(listener)) }
        if case .disconnected(let session) = self { return .all(ofSession: session) }
        return nil
    }

    /// Whether the turn may draw numbers, so that no turn comes before the stored counters are read.
    var needsCounters: Bool {
        switch self {
        case .listen, .get, .write, .translate, .cancelWrite, .waitForPendingWrites, .loadBundle,
            .getNamedQuery, .explain, .manageIndexes, .buildBundle, .read, .noteReads,
            .readForTransaction, .commitTransaction, .learnCommit, .aggregate, .clearPersistence,
            .steerQueue, .collectGarbage, .readLedger:
            true
        case .start, .unlisten, .listenToSync, .unlistenToSync, .disclaim, .told, .abandon,
            .disconnected, .vote, .withhold, .setQueueLimits, .introduce, .setLedgerTerms,
            .setHistoryTerms, .checkBudget, .bill, .setPins, .tellPins, .waitForPin, .setNetwork,
            .networkReturned, .changeUser, .upstream, .timerFired, .surveyed, .shutdown:
            false
        }
    }

    package func refusal(_ error: HearthError) -> [FirestoreEngine.Action] {
        switch self {
        case .listen(let listener, _, _), .listenToSync(let listener):
            [.fail(listener, error)]
        case .get(let request, _, _), .waitForPendingWrites(let request, _),
            .loadBundle(let request, _), .getNamedQuery(let request, _),
            .explain(let request, _), .manageIndexes(let request, _),
            .buildBundle(let request, _), .read(let request, _, _), .noteReads(let request, _),
            .readForTransaction(let request, _),
            .aggregate(let request, _), .vote(let request, _),
            .withhold(let request, _), .translate(let request, _), .cancelWrite(let request, _, _),
            .clearPersistence(let request), .steerQueue(let request, _, _),
            .learnCommit(let request, _, _), .readLedger(let request, _, _),
            .checkBudget(let request), .tellPins(let request, _), .waitForPin(let request, _),
            .setPins(_, let request?):
            [.refuse(request, error)]
        case .commitTransaction(let request, _):
            [.result(request, .commitFailed(error, mayHaveBeenApplied: false))]
        case .write(let request):
            [.refuse(request.id, error)]
        case .start, .unlisten, .unlistenToSync, .disconnected, .setNetwork, .changeUser,
            .upstream, .timerFired, .collectGarbage, .setQueueLimits, .networkReturned, .shutdown,
            .disclaim, .told, .abandon, .introduce, .setLedgerTerms, .setHistoryTerms, .bill,
            .surveyed, .setPins(_, nil):
            []
        }
    }
}

extension FirestoreEngine.Action: EngineEffect {
    package var role: EffectRole<TimerID, UpstreamCommand, SurveyErrand> {
        switch self {
        case .schedule(let timer, let delay): .schedule(timer, after: delay)
        case .cancel(let timer): .cancel(timer)
        case .upstream(let command): .upstream(command)
        case .survey(let errand): .errand(errand)
        case .note(let note): .note(note.news)
        case .emit(_, let listeners): .tell(.snapshots(count: listeners.count))
        case .accept: .tell(.accepted)
        case .refuse: .tell(.refused)
        case .fail, .inSync, .answer, .settle, .complete, .loaded, .found, .explained, .indexes,
            .result:
            .tell(.other)
        }
    }

    package var movedTimer: TimerID? {
        switch self {
        case .schedule(let timer, _), .cancel(let timer): timer
        case .emit, .fail, .inSync, .answer, .accept, .settle, .complete, .refuse, .loaded, .found,
            .explained, .indexes, .result, .upstream, .survey, .note:
            nil
        }
    }
}

extension FirestoreEngine.Note {
    /// What the host learns from the note.
    fileprivate var news: EngineNews {
        switch self {
        case .onlineState(let state): .onlineState(state)
        case .syncState(let state, _): .syncState(state)
        case .storeFailed, .storeRecovered: .store
        case .batchCommitted: .committed
        case .batchRejected: .rejected
        case .connectionFailed(let error): .connectionFailed(error)
        case .connectionRecovered: .connectionRecovered
        case .markersDenied(let error): .marking(failure: error)
        case .markersAllowed: .marking(failure: nil)
        case .collected(_, let documents): .collected(count: documents)
        case .documentsRead(let sums): .read(sums)
        case .pinned(let figures): .pinned(figures)
        case .bundlesLoading(let bundles): .loading(bundles)
        case .bundleCut(let begun): .lost(Self.loss(of: begun.record), account: begun.account)
        case .bundleLoaded(let bundle), .bundleSkipped(_, let bundle):
            .madeGood(Self.loss(of: bundle))
        case .cacheCleared: .cleared
        case .targetRejected, .queueSteered, .queueFull, .batchInDoubt, .budget, .pinStopped,
            .backendBehind, .messageUnreadable:
            .other
        }
    }

    /// The name of the loss that a bundle with an unfinished load means.
    private static func loss(of bundle: BundleRecord) -> LossName {
        LossName(of: "bundle \(bundle.id)", madeAt: bundle.createdAt.timestamp)
    }
}

extension TimerID: EngineTimer {}

extension UpstreamCommand: EngineCommand {
    package var sending: SendingStep? {
        switch self {
        case .write: .batch
        case .openWrite, .closeWrite: .anew
        case .openWatch, .listen, .unlisten, .closeWatch, .handshake, .call, .abandon: nil
        }
    }
}

extension UpstreamEvent {
    /// Whether it belongs to the stream of writes, whose answers must not be lost.
    fileprivate var settlesWrites: Bool {
        switch self {
        case .writeOpened, .writeHandshaken, .writeAnswered, .writeClosed, .writeBroken,
            .writeUnsendable:
            true
        case .watchOpened, .watched, .watchUnreadable, .watchClosed, .watchBroken, .called: false
        }
    }
}
