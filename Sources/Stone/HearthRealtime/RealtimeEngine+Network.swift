import HashTreeCollections
import HearthEngine
import HearthModel

extension RealtimeEngine {
    /// Whether nothing speaks against using the network.
    var canUseNetwork: Bool { offlineCauses.isEmpty }

    /// Whether something is wanted of the backend.
    private var wantsBackend: Bool {
        // Step by step: each `||` made a copy of the engine for what stands on the right.
        if hasUnsentWrites { return true }
        if !pipeline.isEmpty { return true }
        if !listens.isEmpty { return true }
        if !reads.isEmpty { return true }
        if transactionsNeedBackend { return true }
        if onDisconnectsNeedBackend { return true }
        return info.isListenedTo(except: withheld)
    }

    /// The first turn: recovers from the store and goes online.
    mutating func start(_ turn: inout Turn) throws(StoreError) {
        let store = turn.store
        try store.enter(.start)
        globals = try store.globals()
        try store.deactivateTrackedQueries()
        try loadFence(store)
        try loadQueue(&turn)
        try dropLateFarewells(&turn)
        offlineCauses.remove(.notStarted)
        if configuration.cacheByteCountMax != nil {
            turn.effects.actions.append(
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
            apply(online.set(.offline), &turn.effects)
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
        let store = turn.store
        try store.enter(.changeUser)
        try stopConnection(&turn)
        if canUseNetwork { apply(online.set(.unknown), &turn.effects) }
        if new != user {
            let error = HearthError(
                code: .cancelled, message: "Another user signed in while the writes were awaited.")
            turn.effects.actions += pendingWrites.removeWaiters().map { .refuse($0, error) }
            refuseReads(
                because: HearthError(
                    code: .cancelled,
                    message: "Another user signed in before the backend has answered."),
                &turn.effects)
            endTransactions(
                because: HearthError(
                    code: .cancelled,
                    message: "Another user signed in before the transaction was done."),
                &turn.effects)
            endOrdersOfUserBefore(&turn.effects)
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
        refuseAllForShutdown(&turn.effects)
        try stopConnection(&turn)
        cancelTimers(&turn.effects)
    }

    /// Nobody who waits for the backend will have an answer of this process.
    mutating func refuseAllForShutdown(_ effects: inout Effects) {
        offlineCauses.insert(.shutdown)
        let error = HearthError(
            code: .unavailable, message: "The daemon goes down before the backend has answered.")
        refuseReads(because: error, &effects)
        endTransactions(because: error, &effects)
    }

    /// Nothing will happen by itself any more.
    mutating func cancelTimers(_ effects: inout Effects) {
        effects.actions += RealtimeTimer.allCases.map { .cancel($0) }
        apply(online.set(.unknown), &effects)
    }

    /// Uses the network again, if nothing speaks against it.
    mutating func goOnline(_ turn: inout Turn) throws(StoreError) {
        guard canUseNetwork else { return }
        connection.inhibitBackoff()
        if !connection.isStarted { apply(online.set(.unknown), &turn.effects) }
        try keepMissingPlaces(&turn)
        try fillPipeline(&turn)
    }

    // MARK: The connection

    /// Opens the connection if something is wanted of the backend, and lets it go if nothing is.
    mutating func tendConnection(_ effects: inout Effects) {
        guard canUseNetwork else { return }
        if wantsBackend {
            perform(connection.sent(), &effects)
            guard !connection.isStarted else { return }
            perform(connection.start(at: effects.now, using: &random), &effects)
            apply(online.streamStarted(), &effects)
        } else if connection.openNumber != nil {
            perform(connection.markIdle(), &effects)
        } else if connection.isBackingOff {
            perform(connection.stop(), &effects)
            apply(online.set(.unknown), &effects)
        }
    }

    /// The backend has said hello and accepted the user: what waited is sent, in order.
    mutating func connectionOpened(
        _ number: StreamNumber, serverTimeOffset offset: Int64, _ turn: inout Turn
    ) throws(StoreError) {
        guard let actions = connection.opened(number) else { return }
        perform(actions, &turn.effects)
        serverTimeOffset = offset
        if hasConnectionFailed {
            hasConnectionFailed = false
            turn.effects.actions.append(.note(.connectionRecovered))
        }
        apply(online.set(.online), &turn.effects)
        infoLinkOpened(&turn.effects)
        try dropLateFarewells(&turn)
        try keepMissingPlaces(&turn)
        for listen in listens.all { send(listen, &turn.effects) }
        fenceLinkOpened(number, &turn.effects)
        try fillPipeline(&turn)
        transactionsLinkOpened(&turn.effects)
        onDisconnectLinkOpened(&turn.effects)
        sendReads(&turn.effects)
    }

    /// The connection ended.
    mutating func connectionClosed(
        _ number: StreamNumber, _ error: HearthError?, _ turn: inout Turn
    ) throws(StoreError) {
        guard takeEnd(of: number, error, &turn.effects) else { return }
        try linkLost(&turn)
        apply(online.streamFailed(), &turn.effects)
    }

    /// Takes the end of a connection, whose link is then lost.
    ///
    /// - Returns: Whether the connection was the one in use.
    mutating func takeEnd(
        of number: StreamNumber, _ error: HearthError?, _ effects: inout Effects
    ) -> Bool {
        guard let actions = connection.closed(number, error) else { return false }
        perform(actions, &effects)
        if let error {
            hasConnectionFailed = true
            effects.actions.append(.note(.connectionFailed(error)))
        }
        return true
    }

    /// Gives up a connection that answers, but not as it should.
    mutating func failConnection(_ error: HearthError, _ turn: inout Turn) throws(StoreError) {
        guard let number = connection.openNumber else { return }
        turn.effects.actions.append(.upstream(.close(number)))
        try connectionClosed(number, error, &turn)
    }

    /// Closes the connection. The queue on disk keeps what was on the way.
    mutating func stopConnection(_ turn: inout Turn) throws(StoreError) {
        if closeConnection(&turn.effects) { try linkLost(&turn) }
    }

    /// Closes the connection, whose link is then lost.
    ///
    /// - Returns: Whether it was open.
    mutating func closeConnection(_ effects: inout Effects) -> Bool {
        let wasOpen = connection.openNumber != nil
        perform(connection.stop(), &effects)
        return wasOpen
    }

    /// What was asked on the connection has no answer and never will.
    private mutating func linkLost(_ turn: inout Turn) throws(StoreError) {
        // The backend had the late writes before it did what was ordered for the connection's end.
        listens.connectionLost()
        try showToldWrites(&turn)
        for part in forgetLink(&turn.effects) {
            try turn.store.setServerNode(part.node, at: part.place)
        }
        try dropLateFarewells(&turn)
        transactionsLinkClosed(&turn.effects)
    }

    /// Forgets the unanswered requests of the connection, and carries out the orders for the
    /// connection's end.
    ///
    /// A program hears first that the connection is gone, as in SDKs. A program may give its order
    /// again whenever it sees the order carried out, and must know by then that there is no
    /// connection.
    ///
    /// - Returns: What the store shall have of that.
    mutating func forgetLink(_ effects: inout Effects) -> [CompoundWrite.Part] {
        requests = [:]
        hasUnsentWrites = hasUnsentWrites || !pipeline.isEmpty
        pipeline = PutPipeline()
        reads.connectionLost(at: effects.now)
        scheduleReadGrace(&effects)
        fenceLinkClosed(&effects)
        infoLinkClosed(&effects)
        return onDisconnectLinkClosed(&effects)
    }

    /// Sends a request on the open connection; without one, nothing happens.
    ///
    /// - Returns: The number of the request.
    @discardableResult
    mutating func send(
        _ action: RealtimeAction, expecting request: PendingRequest, _ effects: inout Effects
    ) -> Int? {
        guard let number = connection.openNumber else { return nil }
        lastRequest += 1
        requests[lastRequest] = request
        effects.actions.append(
            .upstream(.send(number, RealtimeRequest(number: lastRequest, action: action))))
        return lastRequest
    }

    /// Carries out what the connection's machine decided.
    private func perform(
        _ actions: [StreamMachine<RealtimeTimer>.Action], _ effects: inout Effects
    ) {
        for action in actions {
            switch action {
            case .open(let number): effects.actions.append(.upstream(.open(number, as: user)))
            case .close(let number): effects.actions.append(.upstream(.close(number)))
            case .schedule(let timer, let delay):
                effects.actions.append(.schedule(timer, after: delay))
            case .cancel(let timer): effects.actions.append(.cancel(timer))
            }
        }
    }

    /// Carries out what the online state's machine decided.
    func apply(_ actions: [OnlineStateMachine.Action], _ effects: inout Effects) {
        for action in actions {
            switch action {
            case .schedule(let delay):
                effects.actions.append(.schedule(.onlineState, after: delay))
            case .cancel: effects.actions.append(.cancel(.onlineState))
            case .changed(let state): effects.actions.append(.note(.onlineState(state)))
            }
        }
    }

    // MARK: Timers and signs

    /// A timer ran out.
    mutating func fired(_ timer: RealtimeTimer, _ turn: inout Turn) throws(StoreError) {
        switch timer {
        case .onlineState: apply(online.timerFired(), &turn.effects)
        case .idle:
            guard isIdle else { return }
            try stopConnection(&turn)
            apply(online.set(.unknown), &turn.effects)
        case .backoff: connectionWaited(&turn.effects)
        case .health: connectionLives(&turn.effects)
        case .readGrace: try endReadGrace(&turn)
        case .reading: try readRest(&turn)
        case .unlistening: endLingering(&turn.effects)
        case .fence: fenceWaited(&turn.effects)
        case .storeRetry: try retryStore(&turn)
        case .garbageCollection: try collectMore(&turn)
        case .hashing: try hashMore(&turn)
        }
    }

    /// Whether the connection stands for nothing.
    var isIdle: Bool { !wantsBackend && connection.openNumber != nil }

    /// The time for another attempt has come.
    mutating func connectionWaited(_ effects: inout Effects) {
        perform(connection.fired(.backoff, at: effects.now), &effects)
    }

    /// The connection has stood for a while.
    mutating func connectionLives(_ effects: inout Effects) {
        perform(connection.fired(.health, at: effects.now), &effects)
        connection.heard()
    }

    /// The machine has a network again, or another one: a connection that waits is tried at once.
    mutating func networkReturned(_ effects: inout Effects) {
        guard canUseNetwork else { return }
        perform(connection.hurry(at: effects.now), &effects)
    }

    /// Somebody reads from the backend alone: a connection that waits is tried, unless it just was.
    mutating func backendIsWanted(_ effects: inout Effects) {
        perform(connection.hurry(at: effects.now, after: .seconds(5)), &effects)
    }

    /// Tries the backend now, on an administrator's wish.
    mutating func tryBackendNow(_ turn: inout Turn) throws(StoreError) {
        if connection.isBackingOff {
            turn.effects.actions.append(.cancel(.backoff))
            connectionWaited(&turn.effects)
        }
        try goOnline(&turn)
    }

    /// Notes when the cache stands to the backend otherwise than before the turn. O(1).
    mutating func noteSyncState(_ effects: inout Effects) {
        var signs = SyncState.Signs()
        signs.canUseNetwork = canUseNetwork
        signs.onlineState = online.state
        signs.isWriting = connection.openNumber != nil
        signs.hasUnsentWrites = hasUnsentWrites || !pipeline.isEmpty
        signs.isWatching = !listens.isEmpty
        signs.hasUnconfirmedViews = listens.hasUnconfirmed
        let next = syncState.next(signs)
        guard next != syncState else { return }
        effects.actions.append(.note(.syncState(next, after: syncState)))
        syncState = next
    }
}
