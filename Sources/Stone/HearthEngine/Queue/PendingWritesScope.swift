package import HearthModel

/// Which writes a session waits for.
package enum PendingWritesScope: Hashable, Sendable {
    /// The writes of all sessions.
    case all
    /// The session's own writes; `last` is the last batch that the client knows as its own.
    case own(last: BatchID)
}
