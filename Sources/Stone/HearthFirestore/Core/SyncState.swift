import HashTreeCollections
import HearthModel

/// How the cache stands to the backend, in one word for operators.
///
///     idle --wanted--> connecting --answered--> catchingUp --in step--> live
///       any but idle --unreachable or switched off--> offline --answered--> catchingUp
///
/// Once live, the state stays so while the backend answers, however many writes are on their way: it
/// tells of the connection's fate, not of traffic.
package enum SyncState: String, Hashable, Sendable, CaseIterable {
    /// Nobody listens and nothing waits, so there is no connection and no need of one.
    case idle
    /// The backend is being reached for.
    case connecting
    /// It cannot be reached, or must not be.
    case offline
    /// It answers, but not everything that waited has been sent or heard yet.
    case catchingUp = "catching-up"
    /// Cache and backend are in step.
    case live
}

extension SyncState {
    /// What an engine knows of its connection at the end of a turn.
    struct Signs {
        /// Whether a connection is allowed.
        var canUseNetwork: Bool
        /// What the watch stream's fate says.
        var onlineState: OnlineState
        /// Whether the write stream has shaken hands.
        var isWriting: Bool
        /// Whether a batch waits for the backend's answer.
        var hasUnsentWrites: Bool
        /// Whether anything is watched.
        var isWatching: Bool
        /// Whether a view waits for the backend to confirm it.
        var hasUnconfirmedViews: Bool
    }

    /// The state that follows this one.
    func next(_ signs: Signs) -> SyncState {
        guard signs.canUseNetwork else { return .offline }
        let isInStep = !signs.hasUnsentWrites && !signs.hasUnconfirmedViews
        switch signs.onlineState {
        case .offline: return .offline
        case .online: return self == .live || isInStep ? .live : .catchingUp
        case .unknown:
            if signs.isWatching { return self == .offline ? .offline : .connecting }
            if !signs.hasUnsentWrites { return .idle }
            if signs.isWriting { return self == .live ? .live : .catchingUp }
            return self == .offline ? .offline : .connecting
        }
    }
}

extension FirestoreEngine {
    /// Notes when the cache stands to the backend otherwise than before the turn.
    ///
    /// - Complexity: O(1), but while catching up: then O(targets) each time that the target which was
    ///   waited for is confirmed.
    mutating func noteSyncState(_ turn: inout Turn) {
        let mayCatchUp = online.state == .online && syncState != .live
        let next = syncState.next(
            SyncState.Signs(
                canUseNetwork: canUseNetwork, onlineState: online.state,
                isWriting: pipeline.token != nil, hasUnsentWrites: !pipeline.batches.isEmpty,
                isWatching: !watched.isEmpty,
                hasUnconfirmedViews: mayCatchUp && hasUnconfirmedTarget()))
        guard next != syncState else { return }
        turn.actions.append(.note(.syncState(next, after: syncState)))
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
}
