/// What a session asked for and may give up before the turn of the input that asks.
///
/// Whoever gave it up needs nothing of the turn: the input changes nothing that outlives its session.
package enum Revocable: Hashable, Sendable {
    /// The answer to a request.
    case request(RequestID)
    /// A subscription.
    case listener(ListenerID)

    /// The session that asked.
    package var session: UInt64 {
        switch self {
        case .request(let id): id.session
        case .listener(let id): id.session
        }
    }
}

/// Which of its session's earlier requests an input gives up.
package enum Revocation: Hashable, Sendable {
    /// One request or subscription.
    case one(Revocable)
    /// All that a session may give up, because the session is gone.
    case all(ofSession: UInt64)
}
