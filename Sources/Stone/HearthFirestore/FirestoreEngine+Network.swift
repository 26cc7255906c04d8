import HearthEngine
import HearthModel

extension FirestoreEngine {
    /// Whether nothing speaks against using the network.
    var canUseNetwork: Bool { offlineCauses.isEmpty }

    /// The first turn: recovers from the store and goes online.
    mutating func start(_ turn: inout Turn) throws(StoreError) {
        let store = turn.store
        try local.start(store)
        try startLedger(&turn)
        try settleToldLetters(store)
        offlineCauses.remove(.notStarted)
        if case .leastUsed(.some) = configuration.collection {
            turn.effects.actions.append(
                .schedule(.garbageCollection, after: CollectionLimits.firstDelay))
        }
        try resumeBackfill(&turn)
        try loadMarkers(&turn)
        try loadTerms(&turn)
        try takeUpLeftLoads(&turn)
        try lookAfterHistory(&turn)
        askForPermission(&turn.effects)
        try fillPipeline(&turn)
    }

    /// An administrator switches the network.
    mutating func setNetwork(isEnabled: Bool, _ turn: inout Turn) throws(StoreError) {
        if isEnabled {
            offlineCauses.remove(.administrator)
            try goOnline(&turn)
        } else {
            goOffline(because: .administrator, &turn.effects)
        }
    }

    /// Another Firebase user signs in: the streams start anew with that user's queue.
    mutating func changeUser(to user: UserID, _ turn: inout Turn) throws(StoreError) {
        let store = turn.store
        if hasPendingUserChange {
            // The store has not noted an earlier sign-in yet. The recoveries go in order, so the
            // last user stays.
            if case .changeUser(user)? = recoveries.last { return }
            recoveries.append(.changeUser(user))
            return
        }
        let usedNetwork = canUseNetwork
        stopStreams(&turn.effects)
        if usedNetwork { apply(online.set(.unknown), &turn.effects) }
        if user != local.user {
            let changed = try local.changeUser(to: user, store)
            let error = HearthError(
                code: .cancelled, message: "Another user signed in while the writes were awaited.")
            turn.effects.actions += pendingWrites.removeWaiters().map { .refuse($0, error) }
            // What was asked as one user must not be answered to another.
            abandonCalls(
                because: HearthError(
                    code: .cancelled,
                    message: "Another user signed in before the backend has answered."),
                &turn.effects)
            try loadMarkers(&turn)
            try updateViews(with: changed, &turn)
        }
        try goOnline(&turn)
    }

    /// Whether somebody has signed in and the store failed to note it.
    var hasPendingUserChange: Bool {
        recoveries.contains { if case .changeUser = $0 { true } else { false } }
    }

    /// Ends all work, with the ledger saved.
    mutating func shutdown(_ turn: inout Turn) throws(StoreError) {
        if !offlineCauses.contains(.store) { try saveLedger(&turn) }
        shutdown(&turn.effects)
    }

    /// Ends all work.
    mutating func shutdown(_ effects: inout Effects) {
        offlineCauses.insert(.shutdown)
        abandonCalls(
            because: HearthError(
                code: .unavailable, message: "The daemon goes down before the backend has answered."
            ), &effects)
        endSurveys(
            because: HearthError(
                code: .unavailable, message: "The daemon goes down before the cache was looked at."),
            &effects)
        endLoads(
            because: HearthError(
                code: .unavailable, message: "The daemon goes down before the bundle was loaded."),
            &effects)
        stopStreams(&effects)
        effects.actions += TimerID.allCases.map { .cancel($0) }
        apply(online.set(.unknown), &effects)
    }

    /// Starts the streams if there is work for them and nothing speaks against it.
    mutating func goOnline(_ turn: inout Turn) throws(StoreError) {
        goOnlineToWatch(&turn.effects)
        try fillPipeline(&turn)
    }

    /// Uses the network again, if nothing speaks against it, for all but the queue.
    mutating func goOnlineToWatch(_ effects: inout Effects) {
        guard canUseNetwork else { return }
        watchStream.inhibitBackoff()
        if shouldStartWatchStream {
            startWatchStream(&effects)
        } else if !watchStream.isStarted {
            apply(online.set(.unknown), &effects)
        }
        writeStream.inhibitBackoff()
        askForPermission(&effects)
    }

    /// Something speaks against using the network from now on.
    mutating func goOffline(because cause: OfflineCause, _ effects: inout Effects) {
        offlineCauses.insert(cause)
        stopStreams(&effects)
        apply(online.set(.offline), &effects)
        endOnlineOnlySoon(&effects)
    }

    /// Closes both streams. The queue on disk keeps what was on the way.
    mutating func stopStreams(_ effects: inout Effects) {
        performOnWatchStream(watchStream.stop(), &effects)
        forgetWatchStream(at: effects.now)
        performOnWriteStream(writeStream.stop(), &effects)
        pipeline.clear()
        silence.forgetListens()
    }

    /// A timer ran out.
    mutating func fired(_ timer: TimerID, _ turn: inout Turn) throws(StoreError) {
        switch timer {
        case .onlineState:
            apply(online.timerFired(), &turn.effects)
        case .backendSilence:
            try silenceFired(&turn)
        case .watchIdle:
            watchStreamIdled(&turn.effects)
        case .writeIdle:
            writeStreamIdled(&turn.effects)
        case .watchBackoff, .watchHealth:
            performOnWatchStream(watchStream.fired(timer, at: turn.now), &turn.effects)
        case .writeBackoff, .writeHealth:
            performOnWriteStream(writeStream.fired(timer, at: turn.now), &turn.effects)
        case .mismatches:
            mismatchesFired(&turn.effects)
        case .storeRetry:
            try retryStore(&turn)
        case .settling:
            try settleViews(&turn)
        case .garbageCollection:
            try collectMore(&turn)
        case .indexBackfill:
            try backfillIndexes(&turn)
        case .markers:
            tendMarkers(&turn.effects)
        case .filling:
            try fillPipeline(&turn)
        case .bundles:
            try loadMore(&turn)
        case .ledger:
            try saveLedger(&turn)
        case .pins:
            try tendPins(&turn)
        case .terms:
            try termsFired(&turn)
        case .history:
            try pruneHistory(&turn)
        }
    }

    /// The watch stream has stood for a while: without a target it is of no use.
    mutating func watchStreamIdled(_ effects: inout Effects) {
        guard watched.isEmpty, watchStream.openNumber != nil else { return }
        performOnWatchStream(watchStream.stop(), &effects)
        forgetWatchStream(at: effects.now)
        apply(online.set(.unknown), &effects)
    }

    /// The write stream has stood for a while: without a batch it is of no use.
    mutating func writeStreamIdled(_ effects: inout Effects) {
        guard pipeline.batches.isEmpty, writeStream.openNumber != nil else { return }
        performOnWriteStream(writeStream.stop(), &effects)
        pipeline.streamClosed()
    }

    /// Notes that a stream failed, for operators. A stream that ended without an error did not.
    mutating func connectionFailed(_ error: HearthError?, _ effects: inout Effects) {
        guard let error else { return }
        hasConnectionFailed = true
        effects.actions.append(.note(.connectionFailed(error)))
        endOnlineOnlySoon(&effects)
    }

    /// Notes that the backend answered, for operators. A backend that is behind has not recovered.
    mutating func connectionAnswered(_ effects: inout Effects) {
        guard hasConnectionFailed, !lag.isBehind else { return }
        hasConnectionFailed = false
        effects.actions.append(.note(.connectionRecovered))
    }

    /// Carries out what the online state's machine decided, and tells views and listeners.
    mutating func apply(
        _ actions: [OnlineStateMachine.Action], _ effects: inout Effects
    ) {
        for action in actions {
            switch action {
            case .schedule(let delay):
                effects.actions.append(.schedule(.onlineState, after: delay))
            case .cancel:
                effects.actions.append(.cancel(.onlineState))
            case .changed(let state):
                effects.actions.append(.note(.onlineState(state)))
                reachabilityChanged(to: state, &effects)
            }
        }
    }

    private mutating func reachabilityChanged(
        to state: OnlineState, _ effects: inout Effects
    ) {
        tell(listeners.deliver(state), &effects)
        guard state == .offline else { return }
        endOnlineOnlySoon(&effects)
        var deliveries: [ListenerTable.Delivery] = []
        for id in views.allIDs {
            guard let snapshot = change(id, { $0.becomeOffline() })?.snapshot else { continue }
            deliveries += listeners.deliver(snapshot, state)
        }
        tell(deliveries, &effects)
    }
}
