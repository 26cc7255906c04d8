package import HearthModel

/// What an administrator wants done with batches that wait, or that were rejected.
///
/// An order that names several batches is carried out for all of them or for none.
package enum QueueOrder: Hashable, Sendable {
    /// Keeps batches back, and with each of them all that are behind it in its user's queue.
    case hold([BatchID])
    /// Lets held batches go.
    case release([BatchID])
    /// Takes batches out of the queue and puts them among the dead letters.
    case cancel([BatchID])
    /// Takes batches out of the queue and forgets them.
    case drop([BatchID])
    /// Puts other writes in the place of a batch's.
    case edit(BatchID, [Mutation])
    /// Tries the backend now, rather than when the wait after a failure is over.
    case retry
    /// Puts rejected batches at the end of their users' queues; those that may have been applied
    /// only if told so.
    case retryDeadLetters([BatchID], evenIfApplied: Bool)
    /// Puts a rejected batch at the end of its user's queue, with other writes.
    case editDeadLetter(BatchID, [Mutation], evenIfApplied: Bool)
    /// Forgets rejected batches.
    case dropDeadLetters([BatchID])

    /// The order's word, for journals.
    package var word: String {
        switch self {
        case .hold: "hold"
        case .release: "release"
        case .cancel: "cancel"
        case .drop: "drop"
        case .edit: "edit"
        case .retry: "retry"
        case .retryDeadLetters: "retry dead letters"
        case .editDeadLetter: "edit dead letter"
        case .dropDeadLetters: "drop dead letters"
        }
    }
}

/// A batch that an order concerned.
package struct SteeredBatch: Hashable, Sendable {
    /// Its number.
    package let id: BatchID
    /// The number under which a rejected batch is queued anew; `nil` for other orders.
    package let newID: BatchID?

    /// Names a batch.
    package init(_ id: BatchID, newID: BatchID? = nil) {
        self.id = id
        self.newID = newID
    }
}
