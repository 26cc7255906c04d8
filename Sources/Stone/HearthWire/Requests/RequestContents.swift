package import HearthModel

/// The contents of a request that limits and access rules check.
package enum RequestContents: Hashable, Sendable {
    /// Nothing.
    case nothing
    /// A query, or a document by its path.
    case query(Query)
    /// Documents.
    case documents([DocumentKey])
    /// Writes, which go to the backend.
    case mutations([Mutation])
    /// Numbers over a query's results.
    case aggregate(AggregateRequest)
    /// The contents of a bundle to build.
    case bundle(BundleOrder)
    /// An index of the cache.
    case index(WireIndex)
    /// A part of the collections.
    case collections(Inquiry.CollectionPage)
    /// A node of the Realtime Database with everything below it, and the rights that the request
    /// needs.
    case subtree(RealtimePath, Set<AccessRight>)
    /// A write to the Realtime Database, which goes to the backend.
    case change(RealtimeChange)
    /// Batches that wait or were rejected.
    case batches([BatchID])
}
