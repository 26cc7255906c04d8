package import HearthModel

/// What an administrator wants done with batches that wait, or that were rejected.
///
/// An order that names several batches is carried out for all of them or for none. What can stand in
/// the place of a batch's writes, an `Edit`, the batch's engine says.
package enum QueueOrder<Edit: Hashable & Sendable>: Hashable, Sendable {
    /// Keeps batches back, and with each of them all that are behind it in its user's queue.
    case hold([BatchID])
    /// Lets held batches go.
    case release([BatchID])
    /// Takes batches out of the queue and puts them among the dead letters.
    case cancel([BatchID])
    /// Takes batches out of the queue and forgets them.
    case drop([BatchID])
    /// Puts other writes in the place of a batch's.
    case edit(BatchID, Edit)
    /// Tries the backend now, rather than when the wait after a failure is over.
    case retry
    /// Puts rejected batches at the end of their users' queues; those that may have been applied
    /// only if told so.
    case retryDeadLetters([BatchID], evenIfApplied: Bool)
    /// Puts a rejected batch at the end of its user's queue, with other writes.
    case editDeadLetter(BatchID, Edit, evenIfApplied: Bool)
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
