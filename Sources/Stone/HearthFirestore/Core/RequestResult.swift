package import HearthEngine
package import HearthModel

/// What a session gets for a request that is neither a read by query nor a write into the queue.
package enum RequestResult: Hashable, Sendable {
    /// Documents as the backend has them, in the order asked; found or missing.
    case documents([Document])
    /// Documents as they are locally, and where they come from.
    case read(DocumentsRead)
    /// A transaction is committed; when, and when each document changed.
    case committed(at: SnapshotVersion, updatedAt: [SnapshotVersion])
    /// A transaction is not committed, or nobody knows whether it is.
    case commitFailed(HearthError, mayHaveBeenApplied: Bool)
    /// Numbers over a query's results.
    case aggregated(AggregateResult)
    /// A bundle has been built.
    case bundle([UInt8])
    /// An order to the queue was carried out, for these batches.
    case steered([SteeredBatch])
    /// How pins stand, in the order asked.
    case pins([PinReport])
    /// What an accepted write shows until the backend has spoken.
    case promised(PromisedWrite)
    /// What the backend made of the transforms of each write of a request.
    case transformed([[Value]])
    /// Writes whose preconditions name only the backend's times.
    case translated([Mutation])
    /// What the ledger says.
    case ledger(LedgerReport)
    /// A client resent a write too late: the store has forgotten the write's outcome.
    case writeForgotten
}
