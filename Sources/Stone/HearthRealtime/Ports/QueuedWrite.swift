package import HearthEngine
package import HearthModel

/// A write that waits for the backend, with everything else that is known of the write.
package struct QueuedWrite: Hashable, Sendable {
    /// Its number, rising in the order of acceptance.
    package let id: BatchID
    /// What it does to the tree, unresolved: the server fills in times and sums.
    package let change: RealtimeChange
    /// When it was accepted.
    package let writtenAt: Timestamp
    /// Whose queue it is in.
    package let user: UserID
    /// How far it has come.
    package var state: BatchState
    /// Who wrote it.
    package let writer: Writer

    /// Puts a write in a user's queue.
    ///
    /// - Parameters:
    ///   - id: The write's number, rising in the order of acceptance.
    ///   - change: What the write does to the tree, unresolved: the server fills in times and sums.
    ///   - writtenAt: When the daemon accepted the write.
    ///   - user: The Firebase user whose queue has the writes.
    ///   - state: How far the writes have come.
    ///   - writer: Who wrote.
    package init(
        id: BatchID, change: RealtimeChange, writtenAt: Timestamp, user: UserID,
        state: BatchState = .queued, writer: Writer
    ) {
        self.id = id
        self.change = change
        self.writtenAt = writtenAt
        self.user = user
        self.state = state
        self.writer = writer
    }

    /// How the tree of pending writes finds it.
    package var name: WriteName {
        let id = WriteID(id.rawValue)
        switch change {
        case .set(let place, _): return WriteName(id, set: place)
        case .update(let path, let parts):
            return WriteName(id, at: path, naming: parts.map(\.place), isMerge: true)
        }
    }

    /// Whether the write was sent without an answer: the backend may have applied the write.
    package var isInDoubt: Bool { state == .sentUnanswered }
}
