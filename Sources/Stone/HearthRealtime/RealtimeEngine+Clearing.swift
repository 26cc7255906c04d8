import HashTreeCollections
import HearthEngine
import HearthModel

extension RealtimeEngine {
    /// Forgets the cache and the queue, as if the database had never been used here.
    ///
    /// Nobody may listen or read meanwhile; that nobody else is connected, the host has seen to.
    mutating func clearPersistence(_ id: RequestID, _ turn: inout Turn) throws(StoreError) {
        let store = turn.store
        guard listeners.count == 0, reads.isEmpty else {
            let error = HearthError(
                code: .failedPrecondition,
                message: "The cache is in use, so it cannot be cleared. End all listeners first.")
            turn.effects.actions.append(.refuse(id, error))
            return
        }
        endTransactions(
            because: HearthError(
                code: .cancelled,
                message: "The cache was cleared before the transaction was done."), &turn.effects)
        try stopConnection(&turn)
        turn.effects.endedQueries = []  // The store forgets them with all else.
        try store.removeAll()
        globals = try store.globals()
        tree = SyncTree()
        heldQueue = HeldBytes()
        listeners = ListenerTable()
        transactionListeners = [:]
        lingering = LingeringListens()
        queries = ActiveQueries()
        listens = ListenTable()
        lateWrites = LateWrites()
        hashes = KeptHashes(byteCountMin: configuration.hashedByteCountMin)
        pendingWrites = PendingWrites()
        hasUnsentWrites = false
        collecting = nil
        let targets = keep.targets
        keep = KeptPlaces()
        turn.effects.actions.append(.complete(id))
        try setKept(targets, &turn)
        try goOnline(&turn)
    }
}
