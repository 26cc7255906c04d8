package import HearthModel

/// An administrator's order about waiting or rejected batches.
///
/// An order that names several batches is carried out for all of them or for none. Each engine
/// defines its own `Edit`: the writes that can replace a batch's writes.
package enum QueueOrder<Edit: Hashable & Sendable>: Hashable, Sendable {
    /// Holds batches; a held batch also holds back every batch behind it in its user's queue.
    case hold([BatchID])
    /// Lets held batches go.
    case release([BatchID])
    /// Takes batches out of the queue and puts them among the dead letters.
    case cancel([BatchID])
    /// Takes batches out of the queue and forgets them.
    case drop([BatchID])
    /// Puts other writes in the place of a batch's writes.
    case edit(BatchID, Edit)
    /// Tries the backend now, rather than when the wait after a failure is over.
    case retry
    /// Puts rejected batches at the end of their users' queues.
    ///
    /// A batch that may have been applied needs `evenIfApplied`.
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
