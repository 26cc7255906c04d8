import HashTreeCollections
package import HearthEngine
package import HearthModel

extension MemoryTransaction {
    package func append(_ batch: QueuedBatch, effects: [Overlay]) throws(StoreError) {
        let id = batch.batch.id
        let last = state.queues[batch.user]?.last ?? .none
        precondition(id > last, "Batch \(id) queued after \(last)")
        insert(batch)
        if !effects.isEmpty { try setOverlays(effects, of: batch.user) }
    }

    private func insert(_ batch: QueuedBatch) {
        let id = batch.batch.id
        state.batches[id] = batch
        state.load(of: batch, counting: 1)
        state.queues[batch.user, default: OrderedTree()].insert(id, by: BatchID.order)
        for key in batch.batch.keys {
            state.writes[key, default: []].append(.init(user: batch.user, batch: id))
            state.addCollection(key.collection)
        }
    }

    package func batch(_ id: BatchID, of user: UserID) throws(StoreError) -> QueuedBatch? {
        state.batches[id].flatMap { $0.user == user ? $0 : nil }
    }

    package func nextBatch(after id: BatchID, of user: UserID) throws(StoreError) -> QueuedBatch? {
        guard let queue = state.queues[user] else { return nil }
        let index = queue.firstIndex { $0 > id }
        return index < queue.count ? state.batches[queue[index]] : nil
    }

    package func nextBatchToSend(after id: BatchID, of user: UserID) throws(StoreError)
        -> QueuedBatch?
    {
        try nextBatch(after: id, of: user).flatMap { $0.state == .held ? nil : $0 }
    }

    package func previousBatchID(before id: BatchID, of user: UserID) throws(StoreError)
        -> BatchID?
    {
        guard let queue = state.queues[user] else { return nil }
        let index = queue.firstIndex { $0 >= id }
        return index > 0 ? queue[index - 1] : nil
    }

    package func user(of batch: BatchID) throws(StoreError) -> UserID? {
        state.batches[batch]?.user
    }

    package func replaceBatch(
        _ batch: QueuedBatch, writingTo keys: some Collection<DocumentKey>
    ) throws(StoreError) {
        leave(batch.batch.id, writingTo: keys, of: batch.user)
        insert(batch)
    }

    package func queueLoad(
        of payer: UInt32?, by owners: SubordinateRanges
    ) throws(StoreError) -> QueueLoad {
        guard let payer else { return state.wholeLoad }
        return QueueLoad(of: payer, in: state.loads, by: owners)
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

    package func setHeld(_ isHeld: Bool, _ id: BatchID, of user: UserID) throws(StoreError) {
        guard var batch = state.batches[id], batch.user == user else { return }
        guard isHeld || batch.state == .held else { return }
        batch.state = isHeld ? .held : .queued
        state.batches[id] = batch
    }

    package func noteSent(through batch: BatchID, of user: UserID) throws(StoreError) {
        guard let queue = state.queues[user] else { return }
        // Sent batches lie in front of unsent batches, so a look at the newest batches is enough.
        var index = queue.firstIndex { $0 > batch }
        while index > 0, var queued = state.batches[queue[index - 1]] {
            index -= 1
            if queued.state == .sentUnanswered { return }
            if queued.state == .held { continue }
            queued.state = .sentUnanswered
            state.batches[queued.batch.id] = queued
        }
    }

    package func markerEras(of user: UserID) throws(StoreError) -> [MarkerEra] {
        state.markerEras[user] ?? []
    }

    package func setMarkerEras(_ eras: [MarkerEra], of user: UserID) throws(StoreError) {
        state.markerEras[user] = eras
    }

    package func removeBatch(_ batch: QueuedBatch) throws(StoreError) {
        let (id, keys) = (batch.batch.id, batch.batch.keys)
        guard state.batches[id]?.user == batch.user else { return }
        leave(id, writingTo: keys, of: batch.user)
        let overlays = state.overlays[batch.user]?.byKey ?? [:]
        try removeOverlays(keys.filter { overlays[$0]?.largestBatchID == id }, of: batch.user)
    }

    private func leave(
        _ id: BatchID, writingTo keys: some Collection<DocumentKey>, of user: UserID
    ) {
        guard let batch = state.batches[id], batch.user == user else { return }
        state.batches[id] = nil
        state.load(of: batch, counting: -1)
        if var queue = state.queues[user] {
            queue.remove(id, by: BatchID.order)
            state.queues[user] = queue.count == 0 ? nil : queue
        }
        for key in keys {
            let rest = (state.writes[key] ?? []).filter { $0.batch != id }
            state.writes[key] = rest.isEmpty ? nil : rest
        }
    }

    package func writtenKeys(of user: UserID) throws(StoreError) -> Set<DocumentKey> {
        let queue = state.queues[user]?.elements ?? []
        return Set(queue.flatMap { state.batches[$0]?.batch.keys ?? [] })
    }

    package func isWritten(_ key: DocumentKey) throws(StoreError) -> Bool {
        state.writes[key] != nil
    }
}

extension BatchID {
    fileprivate static func order(_ left: Self, _ right: Self) -> Int {
        left < right ? -1 : (left == right ? 0 : 1)
    }
}
