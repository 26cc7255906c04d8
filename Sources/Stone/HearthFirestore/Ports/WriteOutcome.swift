package import HearthModel

/// What became of a write.
package enum WriteOutcome: Hashable, Sendable {
    /// The write waits in the queue.
    case pending
    /// The backend has the write.
    ///
    /// `updatedAt` has the time of each document's change, in the order of the writes; empty if the
    /// times are not known.
    case committed(at: SnapshotVersion, updatedAt: [SnapshotVersion] = [])
    /// The backend, or an administrator, refused the write.
    ///
    /// If an earlier sending was never answered, the backend may have applied the write all the
    /// same.
    case rejected(HearthError, mayHaveBeenApplied: Bool)
}
