package import HearthEngine
package import HearthModel

/// What a session gets for a request that is neither a read by query nor a write into the queue.
package enum RequestResult: Hashable, Sendable {
    /// Documents as the backend has them, in the order asked; found or missing.
    case documents([Document])
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
    /// A write was sent again so late that nobody knows any more what became of it.
    case writeForgotten
}

/// Which numbers to compute over a query's results, and where.
package struct AggregateRequest: Hashable, Sendable {
    /// The query.
    package let query: Query
    /// The numbers. At least one.
    package let aggregations: [Aggregation]
    /// Where: the backend, the cache, or the cache if the backend cannot be reached.
    package let source: ReadSource

    /// Asks for numbers.
    package init(query: Query, aggregations: [Aggregation], source: ReadSource) {
        self.query = query
        self.aggregations = aggregations
        self.source = source
    }
}

/// Numbers over a query's results.
package struct AggregateResult: Hashable, Sendable {
    /// The numbers by their aliases.
    package let values: MapValue
    /// Whether they were computed from the cache, and the backend may know better.
    package let isFromCache: Bool
    /// Whether any of the documents has writes that the backend has not confirmed.
    package let hasPendingWrites: Bool

    /// Takes the parts.
    package init(values: MapValue, isFromCache: Bool, hasPendingWrites: Bool) {
        self.values = values
        self.isFromCache = isFromCache
        self.hasPendingWrites = hasPendingWrites
    }
}

/// What a bundle is to hold.
package struct BundleOrder: Hashable, Sendable {
    /// A query with the name that it gets in the bundle.
    package struct Entry: Hashable, Sendable {
        /// The name.
        package let name: String
        /// The query; no single document.
        package let query: Query

        /// Names a query.
        package init(name: String, query: Query) {
            self.name = name
            self.query = query
        }
    }

    /// The bundle's name.
    package let id: String
    /// The queries, with all their results.
    package let queries: [Entry]
    /// Documents besides.
    package let documents: [DocumentKey]

    /// Orders a bundle.
    package init(id: String, queries: [Entry], documents: [DocumentKey]) {
        self.id = id
        self.queries = queries
        self.documents = documents
    }
}
