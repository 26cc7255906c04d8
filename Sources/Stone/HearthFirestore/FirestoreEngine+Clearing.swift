import HashTreeCollections
import HearthEngine
import HearthModel

extension FirestoreEngine {
    /// Forgets the cache and the queue, as if the database had never been used here.
    ///
    /// Nobody may listen or read meanwhile; that nobody else is connected, the host has seen to.
    mutating func clearPersistence(_ id: RequestID, _ turn: inout Turn) throws(StoreError) {
        let store = turn.store
        let isAsked = calls.values.contains { if case .markers = $0 { false } else { true } }
        guard listeners.count == pins.openCount, !isAsked, !surveys.isAwaitedBySession,
            bundles.waiters.isEmpty
        else {
            let error = HearthError(
                code: .failedPrecondition,
                message: "The cache is in use, so it cannot be cleared. End all listeners first.")
            turn.effects.actions.append(.refuse(id, error))
            return
        }
        takeUpPinsAnew(&turn.effects)
        try noteEndings(&turn)
        stopStreams(&turn.effects)
        try store.removeAll()
        let (history, uptime) = (local.history, uptime)
        local = LocalStore(user: local.user, policy: configuration.collection)
        local.history = history
        note(uptime: uptime)
        try local.start(store)
        bundles = BundleLoads()  // Those that are left are given up, and what they had is gone.
        calls = [:]  // What was asked for markers concerns nobody any more.
        try loadMarkers(&turn)
        limbo = LimboResolver(lookupCountMax: configuration.limboResolutionCountMax)
        lag.end()
        pendingWrites = PendingWrites()
        terms = TermTable()
        turn.effects.actions += [.note(.cacheCleared), .complete(id)]
        try goOnline(&turn)
    }
}
