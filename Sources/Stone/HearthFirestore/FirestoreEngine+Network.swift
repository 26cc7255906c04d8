import HearthEngine
import HearthModel

extension FirestoreEngine {
    /// Whether nothing speaks against using the network.
    var canUseNetwork: Bool { offlineCauses.isEmpty }

    /// The first turn: recovers from the store and goes online.
    mutating func start(_ turn: inout Turn) throws(StoreError) {
        guard let store = turn.store else { return }
        try local.start(store)
        try markLastToldLetters(store)
        offlineCauses.remove(.notStarted)
        if case .leastUsed(.some) = configuration.collection {
            turn.actions.append(.schedule(.garbageCollection, after: CollectionLimits.firstDelay))
        }
        try resumeBackfill(&turn)
        try loadMarkers(&turn)
        askForPermission(&turn)
        try fillPipeline(&turn)
    }

    /// An administrator switches the network.
    mutating func setNetwork(isEnabled: Bool, _ turn: inout Turn) throws(StoreError) {
        if isEnabled {
            offlineCauses.remove(.administrator)
            try goOnline(&turn)
        } else {
            offlineCauses.insert(.administrator)
            stopStreams(&turn)
            try apply(online.set(.offline), &turn)
        }
    }

    /// Another Firebase user signs in: the streams start anew with that user's queue.
    mutating func changeUser(to user: UserID, _ turn: inout Turn) throws(StoreError) {
        guard let store = turn.store else { return }
        if hasPendingUserChange {
            // The store has not noted an earlier sign-in yet. The recoveries go in order, so the
            // last user stays.
            if case .changeUser(user)? = recoveries.last { return }
            recoveries.append(.changeUser(user))
            return
        }
        let usedNetwork = canUseNetwork
        stopStreams(&turn)
        if usedNetwork { try apply(online.set(.unknown), &turn) }
        if user != local.user {
            let changed = try local.changeUser(to: user, store)
            let error = HearthError(
                code: .cancelled, message: "Another user signed in while the writes were awaited.")
            turn.actions += pendingWrites.removeWaiters().map { .refuse($0, error) }
            // What was asked as one user must not be answered to another.
            abandonCalls(
                because: HearthError(
                    code: .cancelled,
                    message: "Another user signed in before the backend has answered."), &turn)
            try loadMarkers(&turn)
            try updateViews(with: changed, &turn)
        }
        try goOnline(&turn)
    }

    /// Whether somebody has signed in and the store failed to note it.
    var hasPendingUserChange: Bool {
        recoveries.contains { if case .changeUser = $0 { true } else { false } }
    }

    /// Ends all work.
    mutating func shutdown(_ turn: inout Turn) throws(StoreError) {
        offlineCauses.insert(.shutdown)
        abandonCalls(
            because: HearthError(
                code: .unavailable, message: "The daemon goes down before the backend has answered."
            ), &turn)
        stopStreams(&turn)
        turn.actions += TimerID.allCases.map { .cancel($0) }
        try apply(online.set(.unknown), &turn)
    }

    /// Starts the streams if there is work for them and nothing speaks against it.
    mutating func goOnline(_ turn: inout Turn) throws(StoreError) {
        guard canUseNetwork else { return }
        watchStream.inhibitBackoff()
        if shouldStartWatchStream {
            startWatchStream(&turn)
        } else if !watchStream.isStarted {
            try apply(online.set(.unknown), &turn)
        }
        writeStream.inhibitBackoff()
        askForPermission(&turn)
        try fillPipeline(&turn)
    }

    /// Closes both streams. The queue on disk keeps what was on the way.
    mutating func stopStreams(_ turn: inout Turn) {
        performOnWatchStream(watchStream.stop(), &turn)
        forgetWatchStream()
        performOnWriteStream(writeStream.stop(), &turn)
        pipeline.clear()
    }

    /// A timer ran out.
    mutating func fired(_ timer: TimerID, _ turn: inout Turn) throws(StoreError) {
        switch timer {
        case .onlineState:
            try apply(online.timerFired(), &turn)
        case .watchIdle:
            guard watched.isEmpty, watchStream.openNumber != nil else { return }
            performOnWatchStream(watchStream.stop(), &turn)
            forgetWatchStream()
            try apply(online.set(.unknown), &turn)
        case .writeIdle:
            guard pipeline.batches.isEmpty, writeStream.openNumber != nil else { return }
            performOnWriteStream(writeStream.stop(), &turn)
            pipeline.streamClosed()
        case .watchBackoff, .watchHealth:
            performOnWatchStream(watchStream.fired(timer, at: turn.now), &turn)
        case .writeBackoff, .writeHealth:
            performOnWriteStream(writeStream.fired(timer, at: turn.now), &turn)
        case .storeRetry:
            try retryStore(&turn)
        case .settling:
            try settleViews(&turn)
        case .garbageCollection:
            try collectMore(&turn)
        case .indexBackfill:
            try backfillIndexes(&turn)
        case .markers:
            tendMarkers(&turn)
        case .givingUp:
            try fillPipeline(&turn)
        }
    }

    /// Notes that a stream failed, for operators. A stream that ended without an error did not.
    mutating func connectionFailed(_ error: HearthError?, _ turn: inout Turn) {
        guard let error else { return }
        hasConnectionFailed = true
        turn.actions.append(.note(.connectionFailed(error)))
    }

    /// Notes that the backend answered, for operators.
    mutating func connectionAnswered(_ turn: inout Turn) {
        guard hasConnectionFailed else { return }
        hasConnectionFailed = false
        turn.actions.append(.note(.connectionRecovered))
    }

    /// Carries out what the online state's machine decided, and tells views and listeners.
    mutating func apply(
        _ actions: [OnlineStateMachine.Action], _ turn: inout Turn
    ) throws(StoreError) {
        for action in actions {
            switch action {
            case .schedule(let delay):
                turn.actions.append(.schedule(.onlineState, after: delay))
            case .cancel:
                turn.actions.append(.cancel(.onlineState))
            case .changed(let state):
                turn.actions.append(.note(.onlineState(state)))
                try reachabilityChanged(to: state, &turn)
            }
        }
    }

    private mutating func reachabilityChanged(
        to state: OnlineState, _ turn: inout Turn
    ) throws(StoreError) {
        try tell(listeners.deliver(state), &turn)
        guard state == .offline else { return }
        var deliveries: [ListenerTable.Delivery] = []
        for id in views.allIDs {
            guard let snapshot = change(id, { $0.becomeOffline() })?.snapshot else { continue }
            deliveries += listeners.deliver(snapshot, state)
        }
        try tell(deliveries, &turn)
    }
}
