package import HearthModel

/// A question to the backend that is no stream: asked once, answered once.
package enum BackendCall: Hashable, Sendable {
    /// Reads documents as they are now, outside any transaction of the backend's.
    case read([DocumentKey])
    /// Applies writes, all or none. Never made twice.
    case commit([Mutation])
    /// Reads what a query finds. Answered as `read`.
    case run(StructuredQuery)
    /// Computes numbers over a query's results.
    case aggregate([Aggregation], StructuredQuery)
}

/// What the backend answered to a `BackendCall`.
package enum BackendAnswer: Hashable, Sendable {
    /// The documents in the order asked, found or missing.
    case read([Document])
    /// The writes are applied.
    case committed(at: SnapshotVersion, [Mutation.Result])
    /// The numbers by their aliases.
    case aggregated(MapValue)
    /// The call failed; of a commit, perhaps only its answer.
    case failed(HearthError)
}

extension StatusCode {
    /// Whether a commit that ends so may have been applied: the request may have arrived, and the
    /// answer got lost.
    package var leavesCommitInDoubt: Bool {
        switch self {
        case .cancelled, .unknown, .deadlineExceeded, .internalError, .unavailable, .dataLoss: true
        case .ok, .invalidArgument, .notFound, .alreadyExists, .permissionDenied,
            .resourceExhausted, .failedPrecondition, .aborted, .outOfRange, .unimplemented,
            .unauthenticated:
            false
        }
    }
}
