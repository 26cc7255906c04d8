import HashTreeCollections
import HearthEngine
import HearthModel

extension RealtimeEngine {
    /// Whether nothing speaks against using the network.
    var canUseNetwork: Bool { offlineCauses.isEmpty }

    /// Whether something is wanted of the backend.
    private var wantsBackend: Bool {
        !listens.isEmpty || hasUnsentWrites || !pipeline.isEmpty || !reads.isEmpty
            || transactionsNeedBackend || onDisconnectsNeedBackend
            || info.isListenedTo(except: withheld)
    }

    /// The first turn: recovers from the store and goes online.
    mutating func start(_ turn: inout Turn) throws(StoreError) {
        guard let store = turn.store else { return }
        try store.enter(.start)
        globals = try store.globals()
        try store.deactivateTrackedQueries()
        try loadFence(store)
        try loadQueue(&turn)
        try dropLateFarewells(&turn)
        offlineCauses.remove(.notStarted)
        if configuration.cacheByteCountMax != nil {
            turn.actions.append(
                .schedule(.garbageCollection, after: RealtimeCollection.firstDelay))
        }
        try setKept(configuration.keep, &turn)
        try fillPipeline(&turn)
    }

    /// An administrator switches the network.
    mutating func setNetwork(isEnabled: Bool, _ turn: inout Turn) throws(StoreError) {
        if isEnabled {
            offlineCauses.remove(.administrator)
            try goOnline(&turn)
        } else {
            offlineCauses.insert(.administrator)
            try stopConnection(&turn)
            apply(online.set(.offline), &turn)
            try answerReadsFromCache(&turn)
        }
    }

    /// Another Firebase user signs in: the connection starts anew with that user's queue.
    mutating func changeUser(to new: UserID, _ turn: inout Turn) throws(StoreError) {
        if hasPendingUserChange {
            // The store has not noted an earlier sign-in yet. The recoveries go in order, so the
            // last user stays.
            if case .changeUser(new)? = recoveries.last { return }
            recoveries.append(.changeUser(new))
            return
        }
        guard let store = turn.store else { return }
        try store.enter(.changeUser)
        try stopConnection(&turn)
        if canUseNetwork { apply(online.set(.unknown), &turn) }
        if new != user {
            let error = HearthError(
                code: .cancelled, message: "Another user signed in while the writes were awaited.")
            turn.actions += pendingWrites.removeWaiters().map { .refuse($0, error) }
            refuseReads(
                because: HearthError(
                    code: .cancelled,
                    message: "Another user signed in before the backend has answered."), &turn)
            try endTransactions(
                because: HearthError(
                    code: .cancelled,
                    message: "Another user signed in before the transaction was done."), &turn)
            endOrdersOfUserBefore(&turn)
            user = new
            try loadQueue(&turn)
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
        let error = HearthError(
            code: .unavailable, message: "The daemon goes down before the backend has answered.")
        refuseReads(because: error, &turn)
        try endTransactions(because: error, &turn)
        try stopConnection(&turn)
        turn.actions += RealtimeTimer.allCases.map { .cancel($0) }
        apply(online.set(.unknown), &turn)
    }

    /// Uses the network again, if nothing speaks against it.
    mutating func goOnline(_ turn: inout Turn) throws(StoreError) {
        guard canUseNetwork else { return }
        connection.inhibitBackoff()
        if !connection.isStarted { apply(online.set(.unknown), &turn) }
        try keepMissingPlaces(&turn)
        try fillPipeline(&turn)
    }

    // MARK: The connection

    /// Opens the connection if something is wanted of the backend, and lets it go if nothing is.
    mutating func tendConnection(_ turn: inout Turn) {
        guard canUseNetwork else { return }
        if wantsBackend {
            perform(connection.sent(), &turn)
            guard !connection.isStarted else { return }
            perform(connection.start(at: turn.now, using: &random), &turn)
            apply(online.streamStarted(), &turn)
        } else if connection.openNumber != nil {
            perform(connection.markIdle(), &turn)
        } else if connection.isBackingOff {
            perform(connection.stop(), &turn)
            apply(online.set(.unknown), &turn)
        }
    }

    /// The backend has said hello and accepted the user: what waited is sent, in order.
    mutating func connectionOpened(
        _ number: StreamNumber, serverTimeOffset offset: Int64, _ turn: inout Turn
    ) throws(StoreError) {
        guard let actions = connection.opened(number) else { return }
        perform(actions, &turn)
        serverTimeOffset = offset
        if hasConnectionFailed {
            hasConnectionFailed = false
            turn.actions.append(.note(.connectionRecovered))
        }
        apply(online.set(.online), &turn)
        infoLinkOpened(&turn)
        try dropLateFarewells(&turn)
        try keepMissingPlaces(&turn)
        for listen in listens.all { send(listen, &turn) }
        fenceLinkOpened(number, &turn)
        try fillPipeline(&turn)
        try transactionsLinkOpened(&turn)
        onDisconnectLinkOpened(&turn)
        sendReads(&turn)
    }

    /// The connection ended.
    mutating func connectionClosed(
        _ number: StreamNumber, _ error: HearthError?, _ turn: inout Turn
    ) throws(StoreError) {
        guard let actions = connection.closed(number, error) else { return }
        perform(actions, &turn)
        if let error {
            hasConnectionFailed = true
            turn.actions.append(.note(.connectionFailed(error)))
        }
        try linkLost(&turn)
        apply(online.streamFailed(), &turn)
    }

    /// Gives up a connection that answers, but not as it should.
    mutating func failConnection(_ error: HearthError, _ turn: inout Turn) throws(StoreError) {
        guard let number = connection.openNumber else { return }
        turn.actions.append(.upstream(.close(number)))
        try connectionClosed(number, error, &turn)
    }

    /// Closes the connection. The queue on disk keeps what was on the way.
    mutating func stopConnection(_ turn: inout Turn) throws(StoreError) {
        let wasOpen = connection.openNumber != nil
        perform(connection.stop(), &turn)
        if wasOpen { try linkLost(&turn) }
    }

    /// What was asked on the connection has no answer and never will.
    private mutating func linkLost(_ turn: inout Turn) throws(StoreError) {
        requests = [:]
        listens.connectionLost()
        hasUnsentWrites = hasUnsentWrites || !pipeline.isEmpty
        pipeline = PutPipeline()
        reads.connectionLost(at: turn.now)
        scheduleReadGrace(&turn)
        fenceLinkClosed(&turn)
        try onDisconnectLinkClosed(&turn)
        try transactionsLinkClosed(&turn)
        infoLinkClosed(&turn)
    }

    /// Sends a request on the open connection; without one, nothing happens.
    ///
    /// - Returns: The number of the request.
    @discardableResult
    mutating func send(
        _ action: RealtimeAction, expecting request: PendingRequest, _ turn: inout Turn
    ) -> Int? {
        guard let number = connection.openNumber else { return nil }
        lastRequest += 1
        requests[lastRequest] = request
        turn.actions.append(
            .upstream(.send(number, RealtimeRequest(number: lastRequest, action: action))))
        return lastRequest
    }

    /// Carries out what the connection's machine decided.
    private func perform(
        _ actions: [StreamMachine<RealtimeTimer>.Action], _ turn: inout Turn
    ) {
        for action in actions {
            switch action {
            case .open(let number): turn.actions.append(.upstream(.open(number, as: user)))
            case .close(let number): turn.actions.append(.upstream(.close(number)))
            case .schedule(let timer, let delay):
                turn.actions.append(.schedule(timer, after: delay))
            case .cancel(let timer): turn.actions.append(.cancel(timer))
            }
        }
    }

    /// Carries out what the online state's machine decided.
    func apply(_ actions: [OnlineStateMachine.Action], _ turn: inout Turn) {
        for action in actions {
            switch action {
            case .schedule(let delay):
                turn.actions.append(.schedule(.onlineState, after: delay))
            case .cancel: turn.actions.append(.cancel(.onlineState))
            case .changed(let state): turn.actions.append(.note(.onlineState(state)))
            }
        }
    }

    // MARK: Timers and signs

    /// A timer ran out.
    mutating func fired(_ timer: RealtimeTimer, _ turn: inout Turn) throws(StoreError) {
        switch timer {
        case .onlineState: apply(online.timerFired(), &turn)
        case .idle:
            guard !wantsBackend, connection.openNumber != nil else { return }
            try stopConnection(&turn)
            apply(online.set(.unknown), &turn)
        case .backoff: perform(connection.fired(timer, at: turn.now), &turn)
        case .health:
            perform(connection.fired(timer, at: turn.now), &turn)
            connection.heard()
        case .readGrace: try endReadGrace(&turn)
        case .unlistening: try endLingering(&turn)
        case .fence: fenceWaited(&turn)
        case .storeRetry: try retryStore(&turn)
        case .garbageCollection: try collectMore(&turn)
        case .hashing: try hashMore(&turn)
        }
    }

    /// The machine has a network again, or another one: a connection that waits is tried at once.
    mutating func networkReturned(_ turn: inout Turn) {
        guard canUseNetwork else { return }
        perform(connection.hurry(at: turn.now), &turn)
    }

    /// Somebody reads from the backend alone: a connection that waits is tried, unless it just was.
    mutating func backendIsWanted(_ turn: inout Turn) {
        perform(connection.hurry(at: turn.now, after: .seconds(5)), &turn)
    }

    /// Tries the backend now, on an administrator's wish.
    mutating func tryBackendNow(_ turn: inout Turn) throws(StoreError) {
        if connection.isBackingOff {
            turn.actions.append(.cancel(.backoff))
            perform(connection.fired(.backoff, at: turn.now), &turn)
        }
        try goOnline(&turn)
    }

    /// Notes when the cache stands to the backend otherwise than before the turn. O(1).
    mutating func noteSyncState(_ turn: inout Turn) {
        var signs = SyncState.Signs()
        signs.canUseNetwork = canUseNetwork
        signs.onlineState = online.state
        signs.isWriting = connection.openNumber != nil
        signs.hasUnsentWrites = hasUnsentWrites || !pipeline.isEmpty
        signs.isWatching = !listens.isEmpty
        signs.hasUnconfirmedViews = listens.hasUnconfirmed
        let next = syncState.next(signs)
        guard next != syncState else { return }
        turn.actions.append(.note(.syncState(next, after: syncState)))
        syncState = next
    }
}
