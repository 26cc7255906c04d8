package import Hearth

/// What a preview and the reason for waiting need to know of a batch.
package struct QueuedBatch: Hashable, Sendable {
    /// The number.
    package let id: Int64
    /// How far the batch has come.
    package let state: PendingBatch.State
    /// The Firebase user whose queue holds the batch; empty for nobody.
    package let user: String
    /// The held batch that this batch waits behind.
    package let heldBy: Int64?

    /// Describes a batch.
    ///
    /// - Parameters:
    ///   - id: The number.
    ///   - state: How far the batch has come.
    ///   - user: The Firebase user whose queue holds the batch; empty for nobody.
    ///   - heldBy: The held batch that this batch waits behind; `nil` if there is none.
    package init(
        id: Int64, state: PendingBatch.State = .queued, user: String = "", heldBy: Int64? = nil
    ) {
        self.id = id
        self.state = state
        self.user = user
        self.heldBy = heldBy
    }

    /// What is known of a batch of the daemon.
    init(_ batch: PendingBatch) {
        self.init(id: batch.id, state: batch.state, user: batch.user, heldBy: batch.heldBy)
    }
}
