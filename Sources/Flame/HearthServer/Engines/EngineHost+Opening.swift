import HearthEngine
import HearthModel

/// How a host opens its store, at the start and again.
extension EngineHost {
    /// Opens the store and starts the engine; if that cannot be, tries again.
    func open() {
        guard store == nil, status.phase != .closed else { return }
        note { $0.openingSince = .now }
        defer { note { $0.openingSince = nil } }
        do throws(StoreError) {
            let opened = try openWithReserve()
            note { $0.losses = opened.losses }  // The engine may tell more of them as it starts.
            try begin(opened)
            let hadFailed = if case .failed = status.phase { true } else { false }
            note { $0.phase = .open }
            attemptCount = 0
            maintainLater(after: parts.limits.maintenancePeriod)
            for news in opened.news { parts.outlet.tell(news) }
            if hadFailed, failure == nil { parts.outlet.tell(.recovered) }
            takeReserve()
        } catch {
            letGo()
            let error = parts.advise(error)
            if status.phase != .failed(error) { parts.outlet.tell(.unavailable(error)) }
            note { $0.phase = .failed(error) }
            retryLater()
        }
    }

    /// To open a store takes a little room too.
    private func openWithReserve() throws(StoreError) -> OpenedStore<Store> {
        for giveBack in [parts.releaseReserve, parts.spendReserve] {
            do throws(StoreError) {
                return try parts.openStore()
            } catch {
                guard case .full = error else { throw error }
                giveBack()
            }
        }
        return try parts.openStore()
    }

    /// Starts the engine on a store.
    private func begin(_ opened: OpenedStore<Store>) throws(StoreError) {
        store = opened.store
        openingCount += 1
        engine = parts.makeEngine()
        timers = TimerTable(clock: parts.clock, queue: executor.queue) { [weak self] id in
            self?.assumeIsolated { $0.rang(id) }
        }
        upstream = parts.connect { [weak self] event in
            await self?.submit(event)
        }
        var inputs: [Input] = [.lifecycle(.start)]
        if let user { inputs.append(.lifecycle(.changeUser(user))) }
        if !status.isNetworkEnabled { inputs.append(.lifecycle(.setNetwork(isEnabled: false))) }
        if let standing { inputs.append(standing) }
        perform(run(inputs))
        try opened.finish()
    }

    private func letGo() {
        timers?.cancelAll()
        maintenanceTimer?.stop()
        upstream = nil
        store = nil
        failure = nil
        note {
            $0.storeFailure = nil
            $0.bundles = []
        }
        parts.memory?.forgetAll()
    }

    /// Opens the store anew, with an engine that knows nobody: whoever is connected comes again.
    func reopen() {
        guard store != nil else { return }
        parts.outlet.endSessions(
            HearthError(
                code: .unavailable,
                message: "The database is damaged and is being rebuilt. Connect again."))
        letGo()
        open()
    }

    /// Tries again what failed, soon at first.
    func retryLater() {
        let timer =
            retryTimer
            ?? parts.clock.makeTimer(on: executor.queue) { [weak self] in
                self?.assumeIsolated { $0.retry() }
            }
        retryTimer = timer
        let delay = Duration.seconds(1) * (1 << min(attemptCount, 6))
        attemptCount += 1
        timer.set(after: min(delay, parts.limits.openRetryDelay))
    }

    private func retry() {
        if let store { tryAgain(store) } else { open() }
    }

    /// Forgets a failure that has ended.
    func noteRecovery() {
        failure = nil
        attemptCount = 0
        retryTimer?.stop()
        note { $0.storeFailure = nil }
        parts.outlet.tell(.recovered)
    }
}
