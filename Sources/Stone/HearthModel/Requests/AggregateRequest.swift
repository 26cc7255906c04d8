/// Which numbers to compute over a query's results, and where.
package struct AggregateRequest: Hashable, Sendable {
    /// The query.
    package let query: Query
    /// The numbers. At least one.
    package let aggregations: [Aggregation]
    /// Where: the backend, the cache, or the cache if the backend cannot be reached.
    package let source: ReadSource

    /// Asks for numbers.
    ///
    /// - Parameters:
    ///   - query: The query.
    ///   - aggregations: The numbers. At least one.
    ///   - source: Where: the backend, the cache, or the cache if the backend cannot be reached.
    package init(query: Query, aggregations: [Aggregation], source: ReadSource) {
        self.query = query
        self.aggregations = aggregations
        self.source = source
    }
}

/// Numbers over a query's results.
package struct AggregateResult: Hashable, Sendable {
    /// The numbers by their aliases: integers, doubles, or null.
    package let values: MapValue
    /// Whether they were computed from the cache, and the backend may know better.
    package let isFromCache: Bool
    /// Whether any of the documents has writes that the backend has not confirmed.
    package let hasPendingWrites: Bool
    /// From the cache: the moment up to which the backend has told of all counted documents.
    ///
    /// Zero if the backend never told of all of it, or if the backend computed the numbers.
    package var readAt = SnapshotVersion.zero

    /// Takes the parts.
    ///
    /// - Parameters:
    ///   - values: The numbers by their aliases: integers, doubles, or null.
    ///   - isFromCache: Whether the numbers were computed from the cache, and the backend may know
    ///     better.
    ///   - hasPendingWrites: Whether any of the documents has writes that the backend has not
    ///     confirmed.
    package init(values: MapValue, isFromCache: Bool, hasPendingWrites: Bool) {
        self.values = values
        self.isFromCache = isFromCache
        self.hasPendingWrites = hasPendingWrites
    }
}
