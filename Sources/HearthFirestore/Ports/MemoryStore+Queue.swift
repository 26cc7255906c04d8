import HashTreeCollections
package import HearthModel

extension MemoryTransaction {
    package func append(_ batch: QueuedBatch) throws(StoreError) {
        let id = batch.batch.id
        let last = state.queues[batch.user]?.last ?? .none
        precondition(id > last, "Batch \(id) queued after \(last)")
        state.batches[id] = batch
        state.queues[batch.user, default: []].append(id)
        for key in batch.batch.keys {
            state.writes[key, default: []].append(.init(user: batch.user, batch: id))
            state.addCollection(key.collection)
        }
    }

    package func batch(_ id: BatchID, of user: UserID) throws(StoreError) -> QueuedBatch? {
        state.batches[id].flatMap { $0.user == user ? $0 : nil }
    }

    package func nextBatch(after id: BatchID, of user: UserID) throws(StoreError) -> QueuedBatch? {
        let queue = state.queues[user] ?? []
        for next in queue[queue.firstIndex(behind: id)...] {
            if let batch = state.batches[next], batch.state != .held { return batch }
        }
        return nil
    }

    package func highestBatchID(of user: UserID) throws(StoreError) -> BatchID? {
        state.queues[user]?.last
    }

    package func batches(writingTo keys: some Collection<DocumentKey>, of user: UserID)
        throws(StoreError) -> [QueuedBatch]
    {
        var ids: Set<BatchID> = []
        for key in keys {
            for place in state.writes[key] ?? [] where place.user == user {
                ids.insert(place.batch)
            }
        }
        return ids.sorted().compactMap { state.batches[$0] }
    }

    package func setState(_ newState: BatchState, of id: BatchID, user: UserID)
        throws(StoreError)
    {
        guard var batch = state.batches[id], batch.user == user else { return }
        batch.state = newState
        state.batches[id] = batch
    }

    package func removeBatch(_ id: BatchID, of user: UserID) throws(StoreError) {
        guard let batch = state.batches[id], batch.user == user else { return }
        state.batches[id] = nil
        if var queue = state.queues[user] {
            queue.remove(at: queue.firstIndex(behind: id) - 1)
            state.queues[user] = queue.isEmpty ? nil : queue
        }
        for key in batch.batch.keys {
            let rest = (state.writes[key] ?? []).filter { $0.batch != id }
            state.writes[key] = rest.isEmpty ? nil : rest
        }
    }

    package func writtenKeys(of user: UserID) throws(StoreError) -> Set<DocumentKey> {
        Set((state.queues[user] ?? []).flatMap { state.batches[$0]?.batch.keys ?? [] })
    }

    package func isWritten(_ key: DocumentKey) throws(StoreError) -> Bool {
        state.writes[key] != nil
    }
}

extension [BatchID] {
    /// The place of the first batch behind `id` in a rising queue. O(log n).
    fileprivate func firstIndex(behind id: BatchID) -> Int {
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) / 2
            if self[middle] > id { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
