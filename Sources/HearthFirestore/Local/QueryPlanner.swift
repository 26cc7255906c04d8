import HashTreeCollections
import HearthModel

extension LocalStore {
    /// What a query finds in the cache.
    struct QueryResult {
        /// The local documents that match.
        let documents: [DocumentKey: Document]
        /// The documents that the backend named for its target.
        let remoteKeys: TreeSet<DocumentKey>
    }

    /// Answers a query from the cache.
    ///
    /// If the target was once known without limbo, only its documents and what changed since are
    /// looked at; else the whole collection.
    ///
    /// - Parameter usesPreviousResults: Whether what the backend named before may be a start.
    func execute(
        _ query: Query, usesPreviousResults: Bool, _ store: any FirestoreTransaction
    ) throws(StoreError) -> QueryResult {
        try store.enter(.executeQuery)
        let stored = try store.targetData(for: query.target)
        let data = stored.flatMap { targets[$0.id] } ?? stored
        let keys = try data.map { (data) throws(StoreError) in try store.keys(of: data.id) } ?? []
        if usesPreviousResults, let data,
            let documents = try fromPreviousResults(query, data, keys, store)
        {
            return QueryResult(documents: documents, remoteKeys: TreeSet(keys))
        }
        return QueryResult(
            documents: try matches(of: query, readAfter: .zero, store), remoteKeys: TreeSet(keys))
    }

    private func fromPreviousResults(
        _ query: Query, _ data: TargetData, _ keys: [DocumentKey],
        _ store: any FirestoreTransaction
    ) throws(StoreError) -> [DocumentKey: Document]? {
        // When all documents match, one scan is cheaper than many look-ups.
        guard !query.matchesAllDocuments, data.limboFreeVersion > .zero else { return nil }
        let previous = try localDocuments(keys, store).filter { query.matches($0) }
        if needsRefill(query, previous, keyCount: keys.count, since: data.limboFreeVersion) {
            return nil
        }
        var result = try matches(of: query.withoutLimit, readAfter: data.limboFreeVersion, store)
        for document in previous { result[document.key] = document }
        return result
    }

    /// Whether a limit may have lost documents, or its edge moved, since the backend named them.
    private func needsRefill(
        _ query: Query, _ previous: [Document], keyCount: Int, since version: SnapshotVersion
    ) -> Bool {
        guard let limit = query.limit else { return false }
        if previous.count != keyCount { return true }
        let order = query.order
        let edge =
            limit.end == .first
            ? previous.max { order.compare($0, $1) < 0 }
            : previous.min { order.compare($0, $1) < 0 }
        guard let edge else { return false }
        return edge.hasPendingWrites || edge.version > version
    }
}
