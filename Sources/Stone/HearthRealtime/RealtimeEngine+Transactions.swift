import HearthEngine
import HearthModel

/// Changes of a place by what is there, computed by programs.
extension RealtimeEngine {
    /// Whether a transaction waits for the backend.
    var transactionsNeedBackend: Bool { false }

    /// A session wants to change a place by what is there.
    mutating func runTransaction(
        _ id: RequestID, _ path: RealtimePath, showsEstimate: Bool, _ writer: Writer,
        _ turn: inout Turn
    ) throws(StoreError) {
        let error = HearthError(
            code: .unimplemented, message: "Transactions on the Realtime Database come later.")
        turn.actions.append(.transaction(id, .failed(error, .empty)))
    }

    /// A session answers a `.run`.
    mutating func propose(
        _ id: RequestID, _ node: UnresolvedNode?, round: Int, _ turn: inout Turn
    ) throws(StoreError) {}

    /// An ordinary write was laid over these places: transactions at, above and below them end.
    mutating func transactionsOverridden(
        at places: [WritePath], _ turn: inout Turn
    ) throws(StoreError) {}

    /// Views have changed: transactions on what they show may have to run again.
    mutating func transactionsTouched(
        by updates: [SyncTree.Update], _ turn: inout Turn
    ) throws(StoreError) {}

    /// The backend ended the listens of these listeners, some of them perhaps a transaction's.
    mutating func transactionsEnded(
        _ listeners: [ListenerName], because error: HearthError, _ turn: inout Turn
    ) throws(StoreError) {}

    /// The connection has opened; listens and writes are on their way.
    mutating func transactionsLinkOpened(_ turn: inout Turn) throws(StoreError) {}

    /// The connection is gone.
    mutating func transactionsLinkClosed(_ turn: inout Turn) throws(StoreError) {}

    /// A session is gone.
    mutating func endTransactions(ofSession session: UInt64, _ turn: inout Turn)
        throws(StoreError)
    {}

    /// The store could not take a session's proposal.
    mutating func failTransaction(_ id: RequestID, _ error: HearthError) -> [Action] { [] }

    /// All transactions fail. Needs no store.
    mutating func endTransactions(because error: HearthError, _ turn: inout Turn) {}
}
