package import HearthModel

/// What became of a write.
package enum RealtimeOutcome: Hashable, Sendable {
    /// The write waits in the queue.
    case pending
    /// The backend has the write.
    case committed
    /// The backend, or an administrator, refused the write.
    case rejected(HearthError, mayHaveBeenApplied: Bool)
}
