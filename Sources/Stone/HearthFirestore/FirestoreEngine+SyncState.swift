import HashTreeCollections
import HearthEngine
import HearthModel

extension FirestoreEngine {
    /// Notes when the cache stands to the backend otherwise than before the turn.
    ///
    /// - Complexity: O(1), except while catching up: then O(targets) each time the backend confirms
    ///   the awaited target.
    mutating func noteSyncState(_ effects: inout Effects) {
        let mayCatchUp = online.state == .online && syncState != .live
        var signs = SyncState.Signs()
        signs.canUseNetwork = canUseNetwork
        signs.onlineState = online.state
        signs.isWriting = pipeline.token != nil
        signs.hasUnsentWrites = !pipeline.batches.isEmpty
        signs.isWatching = !watched.isEmpty
        signs.hasUnconfirmedViews = mayCatchUp && hasUnconfirmedTarget()
        let next = syncState.next(signs)
        guard next != syncState else { return }
        effects.actions.append(.note(.syncState(next, after: syncState)))
        syncState = next
    }

    /// Whether a watched target has a view that the backend has not confirmed.
    private mutating func hasUnconfirmedTarget() -> Bool {
        if let unconfirmedTarget, isUnconfirmed(unconfirmedTarget) { return true }
        unconfirmedTarget = watched.keys.first(where: isUnconfirmed)
        return unconfirmedTarget != nil
    }

    private func isUnconfirmed(_ target: TargetID) -> Bool {
        watched[target] != nil
            && views.ids(of: target).contains { views[$0]?.view.isFromCache ?? false }
    }

    /// A session wants to know when all listeners have been told.
    mutating func listenToSync(_ id: ListenerID, _ effects: inout Effects) {
        listeners.addSyncListener(id)
        effects.actions.append(.inSync([id]))
    }

    /// Ends a turn: whoever wants to know that all have been told is told, once and last.
    func tellInSync(_ effects: inout Effects) {
        guard effects.hasTold, !listeners.inSync.isEmpty else { return }
        effects.actions.append(.inSync(listeners.inSync))
    }
}
