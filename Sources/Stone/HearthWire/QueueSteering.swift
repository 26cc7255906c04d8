package import HearthModel

/// What an administrator wants done with batches that wait, or that were rejected: with all that
/// are named, or with none.
package enum QueueSteering: Hashable, Sendable {
    /// Keeps batches back, and all behind them in their user's queue.
    case hold([BatchID])
    /// Lets held batches go.
    case release([BatchID])
    /// Takes batches out of the queue and puts them among the dead letters.
    case cancel([BatchID])
    /// Takes batches out of the queue and forgets them.
    case drop([BatchID])
    /// Gives a batch other writes.
    case edit(BatchID, [Mutation])
    /// Tries the backend now.
    case retry
    /// Puts rejected batches at the end of the queue.
    case retryDeadLetters([BatchID], evenIfApplied: Bool)
    /// Puts a rejected batch at the end of the queue, with other writes.
    case editDeadLetter(BatchID, [Mutation], evenIfApplied: Bool)
    /// Forgets rejected batches.
    case dropDeadLetters([BatchID])
}

/// A batch that an order concerned.
package struct SteeredBatch: Hashable, Sendable {
    /// Its number.
    package var id: BatchID
    /// The number under which a rejected batch is queued anew.
    package var newID: BatchID?

    /// Names a batch.
    package init(id: BatchID, newID: BatchID? = nil) {
        self.id = id
        self.newID = newID
    }
}
