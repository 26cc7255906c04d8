import HashTreeCollections
package import HearthEngine
package import HearthModel

extension RealtimeMemoryTransaction {
    package func trackedQuery(of target: ListenTarget) throws(StoreError) -> TrackedQuery? {
        state.queryIDs[target.path]?[target.query].flatMap { state.queries[$0] }
    }

    package func trackedQueries(atOrBelow path: RealtimePath) throws(StoreError)
        -> [TrackedQuery]
    {
        var found: [TrackedQuery] = []
        state.queryIDs.subtree(at: path)?.walkDown { ids, _ in
            found += ids.values.compactMap { state.queries[$0] }
            return true
        }
        return found
    }

    package func trackedQueries(atOrAbove path: RealtimePath) throws(StoreError)
        -> [TrackedQuery]
    {
        var found: [TrackedQuery] = []
        state.queryIDs.walk(to: path) { ids, _ in
            found += ids.values.compactMap { state.queries[$0] }
            return true
        }
        return found
    }

    package func setTrackedQuery(_ query: TrackedQuery) throws(StoreError) {
        state.setQuery(query, query.id)
    }

    package func removeTrackedQuery(_ id: TrackedQueryID) throws(StoreError) {
        state.setQuery(nil, id)
    }

    package func hash(of query: TrackedQueryID) throws(StoreError) -> ListenHash? {
        state.hashes[query]
    }

    package func isHashed(_ query: TrackedQuery) throws(StoreError) -> Bool {
        state.hashes[query.id] != nil
    }

    package func setHash(_ hash: ListenHash, of query: TrackedQuery) throws(StoreError) {
        state.setHash(hash, of: query)
    }

    package func deactivateTrackedQueries() throws(StoreError) {
        for var query in state.queries.values where query.isActive {
            query.isActive = false
            state.setQuery(query, query.id)
        }
    }

    package func inactiveQueryCount() throws(StoreError) -> Int { state.unused.count }

    package func leastUsedQueries(count: Int) throws(StoreError) -> [TrackedQuery] {
        (0..<min(count, state.unused.count)).map { state.unused[$0] }
    }

    package func keys(of query: TrackedQueryID) throws(StoreError) -> [ChildKey] {
        (state.keys[query] ?? []).sorted()
    }

    package func changeKeys(
        of query: TrackedQueryID, adding: some Collection<ChildKey>,
        removing: some Collection<ChildKey>
    ) throws(StoreError) {
        var keys = state.keys[query] ?? []
        for key in removing { keys.remove(key) }
        for key in adding { keys.insert(key) }
        state.keys[query] = keys.isEmpty ? nil : keys
    }

    package func removeKeys(of query: TrackedQueryID) throws(StoreError) {
        state.keys[query] = nil
    }
}
