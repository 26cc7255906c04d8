package import HearthEngine
package import HearthModel
import Synchronization

/// The engines of all databases: each is made when the first session asks for it, and closed when nobody
/// has used it for a while and nothing waits in it.
package final class EngineRegistry: Sendable {
    /// How many engines there may be.
    package struct Limits: Hashable, Sendable {
        /// Databases that may be open; each costs a thread, a file and a connection.
        package var countMax: Int
        /// Databases that the programs of one Unix user may have opened.
        package var uidCountMax: Int

        /// Takes the limits.
        package init(countMax: Int, uidCountMax: Int) {
            self.countMax = countMax
            self.uidCountMax = uidCountMax
        }
    }

    fileprivate struct Place {
        let engine: RunningEngine
        /// The Unix user who pays for it; `nil` for the daemon itself.
        let uid: UInt32?
        var sessionCount = 0
        /// Since when no session has used it.
        var idleSince = ContinuousClock.now
    }

    fileprivate struct State {
        var limits: Limits
        var places: [EngineKey: Place] = [:]
        /// Engines that are being closed, whose files nobody may open yet.
        var closing: Set<EngineKey> = []
        var isClosed = false
        /// Who signed in after the start, if anybody did.
        var user: UserID?
        /// How much may wait, if that has changed since the start.
        var queueLimits: (@Sendable (EngineKey) -> QueueLimits)?
        /// The budgets, if they have changed since the start.
        var ledgerTerms: LedgerTerms?
        /// What is kept of documents' history, if that has changed since the start.
        var historyTerms: HistoryTerms?

        /// Tells a new engine what has changed since the start.
        func tellChanges(to engine: RunningEngine, _ key: EngineKey) {
            if let user { engine.lifecycle.administer(.changeUser(user)) }
            if let queueLimits { engine.lifecycle.administer(.setQueueLimits(queueLimits(key))) }
            if let ledgerTerms { engine.setLedgerTerms(ledgerTerms) }
            if let historyTerms { engine.setHistoryTerms(historyTerms) }
        }
    }

    private let state: Mutex<State>
    private let make: @Sendable (EngineKey) -> RunningEngine

    /// An empty registry.
    ///
    /// - Parameter make: Makes and starts an engine. Must not block.
    package init(limits: Limits, make: @escaping @Sendable (EngineKey) -> RunningEngine) {
        state = Mutex(State(limits: limits))
        self.make = make
    }

    /// Starts a database's engine for the daemon itself, whom no limit binds.
    ///
    /// - Parameter uid: The Unix user whose limit counts the database; `nil` if no user's limit
    ///   does.
    /// - Throws: If the registry is closed, or the engine's files are still being closed.
    package func open(_ key: EngineKey, chargedTo uid: UInt32? = nil) throws(HearthError) {
        _ = try take(key, chargedTo: uid) { _ in
            nil
        } change: { _ in
        }
    }

    /// Gives one more session the use of a database's engine, until `detach`.
    ///
    /// - Throws: If the registry is closed, the engine's files are still being closed, or a limit
    ///   of open databases is reached.
    package func attach(to key: EngineKey, for peer: Peer) throws(HearthError)
        -> RunningEngine.Service
    {
        try take(key, chargedTo: peer.payer) {
            $0.refusal(of: peer)
        } change: {
            $0.sessionCount += 1
        }.service
    }

    /// A session no longer uses the engine.
    package func detach(from key: EngineKey) {
        state.withLock { state in
            state.places[key]?.sessionCount -= 1
            state.places[key]?.idleSince = .now
        }
    }

    private func take(
        _ key: EngineKey, chargedTo uid: UInt32?, refusal: (State) -> HearthError?,
        change: (inout Place) -> Void
    ) throws(HearthError) -> RunningEngine {
        let result = state.withLock { state -> Result<RunningEngine, HearthError> in
            if state.places[key] == nil {
                if state.isClosed { return .failure(.shuttingDown) }
                if state.closing.contains(key) { return .failure(.closing(key)) }
                if let refusal = refusal(state) { return .failure(refusal) }
                let engine = make(key)
                state.places[key] = Place(engine: engine, uid: uid)
                state.tellChanges(to: engine, key)
            }
            guard var place = state.places[key] else { return .failure(.shuttingDown) }
            change(&place)
            state.places[key] = place
            return .success(place.engine)
        }
        return try result.get()
    }

    /// The databases that no session has used for a time, and where nothing waits.
    ///
    /// Blocks on the disk.
    ///
    /// - Parameter pinned: The databases that stay open.
    package func idle(for time: Duration, except pinned: Set<EngineKey>) -> [EngineKey] {
        let unused = state.withLock { state in
            state.places.filter { !pinned.contains($0.key) && $0.value.isUnused(for: time) }
        }
        return unused.filter(\.value.engine.isIdle).map(\.key)
    }

    /// Closes idle databases, unless a session has come meanwhile.
    ///
    /// - Returns: The closed databases.
    package func close(_ idle: [EngineKey], unusedFor time: Duration) async -> [EngineKey] {
        var closed: [EngineKey] = []
        for key in idle {
            let engine = state.withLock { state -> RunningEngine? in
                guard let place = state.places[key], place.isUnused(for: time) else {
                    return nil
                }
                state.places[key] = nil
                state.closing.insert(key)
                return place.engine
            }
            guard let engine else { continue }
            await engine.lifecycle.close()
            engine.cleanUp?()
            _ = state.withLock { $0.closing.remove(key) }
            closed.append(key)
        }
        return closed
    }

    /// Other limits count from now on; what is open stays.
    func setLimits(_ limits: Limits) { state.withLock { $0.limits = limits } }

    /// Another Firebase user signed in, or nobody: tells every engine, and those that start later.
    package func changeUser(to user: UserID) {
        state.withLock { state in
            state.user = user
            // Under the lock, so that no engine hears of two changes in the wrong order.
            state.administer(.changeUser(user))
        }
    }

    /// So much may wait for the backend: tells every engine, and those that start later.
    func setQueueLimits(_ limits: @escaping @Sendable (EngineKey) -> QueueLimits) {
        state.withLock { state in
            state.queueLimits = limits
            for (key, place) in state.places {
                place.engine.lifecycle.administer(.setQueueLimits(limits(key)))
            }
        }
    }

    /// These budgets count: tells every engine, and those that start later.
    func setLedgerTerms(_ terms: LedgerTerms) {
        state.withLock { state in
            state.ledgerTerms = terms
            for place in state.places.values { place.engine.setLedgerTerms(terms) }
        }
    }

    /// So much of documents' history is kept: tells every engine, and those that start later.
    func setHistoryTerms(_ terms: HistoryTerms) {
        state.withLock { state in
            state.historyTerms = terms
            for place in state.places.values { place.engine.setHistoryTerms(terms) }
        }
    }

    /// The machine has a network again: tells every engine.
    func networkReturned() {
        for engine in all.values { engine.lifecycle.administer(.networkReturned) }
    }

    /// A database's engine, if it runs.
    package func engine(of key: EngineKey) -> RunningEngine? {
        state.withLock { $0.places[key]?.engine }
    }

    /// All that run.
    package var all: [EngineKey: RunningEngine] {
        state.withLock { $0.places.mapValues(\.engine) }
    }

    /// Shuts every engine down, and starts no new one. One that is being closed already ends by itself.
    package func closeAll() async {
        let engines = state.withLock { state in
            state.isClosed = true
            return state.places.values.map(\.engine)
        }
        // At the same time, so that the end takes as long as the slowest, however many there are.
        await withTaskGroup(of: Void.self) { group in
            for engine in engines { group.addTask { await engine.lifecycle.close() } }
        }
    }
}

extension EngineRegistry.Place {
    fileprivate func isUnused(for time: Duration) -> Bool {
        sessionCount == 0 && .now - idleSince >= time
    }
}

extension EngineRegistry.State {
    /// Tells every engine of a step.
    fileprivate func administer(_ step: LifecycleStep) {
        for place in places.values { place.engine.lifecycle.administer(step) }
    }

    /// Why another engine may not be made for a peer; `nil` if it may.
    fileprivate func refusal(of peer: Peer) -> HearthError? {
        let own = places.values.count { $0.uid == peer.payer }
        if own >= limits.uidCountMax, !peer.isAdministrator {
            return .tooManyDatabases(of: peer.payer, limits.uidCountMax)
        }
        return places.count < limits.countMax ? nil : .tooManyDatabases(limits.countMax)
    }
}

extension HearthError {
    fileprivate static func tooManyDatabases(_ countMax: Int) -> HearthError {
        HearthError(
            code: .resourceExhausted,
            message: "\(countMax) databases are open, the limit. One that nobody uses is closed by "
                + "itself when its queue is empty; else raise database.countMax.")
    }

    fileprivate static func tooManyDatabases(of uid: UInt32, _ countMax: Int) -> HearthError {
        HearthError(
            code: .resourceExhausted,
            message: "The programs of uid \(uid) have \(countMax) databases open, and the limit is "
                + "limits.uidDatabaseCountMax = \(countMax) databases. One that nobody uses is "
                + "closed by itself when its queue is empty.")
    }

    fileprivate static func closing(_ key: EngineKey) -> HearthError {
        HearthError(
            code: .unavailable,
            message: "\(key) is being closed, since nobody used it. Connect again.")
    }
}
