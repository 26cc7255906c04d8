/// How the cache stands to the backend, in one word for operators.
///
///     idle --wanted--> connecting --answered--> catchingUp --in step--> live
///       any but idle --unreachable or switched off--> offline --answered--> catchingUp
///
/// Once live, the state stays live while the backend answers, however many writes are on their way:
/// the state tells of the connection's fate, not of traffic.
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
    package struct Signs: Sendable {
        /// Whether a connection is allowed.
        package var canUseNetwork = false
        /// What the watch stream's fate says.
        package var onlineState = OnlineState.unknown
        /// Whether the write stream has shaken hands.
        package var isWriting = false
        /// Whether a batch waits for the backend's answer.
        package var hasUnsentWrites = false
        /// Whether anything is watched.
        package var isWatching = false
        /// Whether a view waits for the backend to confirm it.
        package var hasUnconfirmedViews = false

        /// The signs of an engine that must not connect, and wants nothing.
        package init() {}
    }

    /// The state that follows the present state, by the engine's signs.
    package func next(_ signs: Signs) -> SyncState {
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
