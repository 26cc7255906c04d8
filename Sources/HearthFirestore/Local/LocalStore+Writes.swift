import HashTreeCollections
import HearthModel

extension LocalStore {
    /// Accepts writes: puts a batch in the queue and its effect in the overlays.
    ///
    /// - Returns: The batch, and the local documents that it changed.
    /// - Complexity: O(documents written), whatever the queue's length.
    mutating func write(
        _ mutations: [Mutation], by writer: Writer, at now: Timestamp,
        _ store: any FirestoreTransaction
    ) throws(StoreError) -> (batch: MutationBatch, changed: [Document]) {
        try store.enter(.writeLocally)
        let keys = Set(mutations.map(\.key))
        var remote = try store.remoteDocuments(keys)
        let unknown = Set(remote.values.lazy.filter { !$0.isValid }.map(\.key))
        let overlays = try store.overlays(keys, of: user)
        var masks: [DocumentKey: FieldMask?] = [:]
        for key in keys {
            masks[key] = apply(overlays[key], to: &remote[key, default: .invalid(key)])
        }
        let bases = mutations.compactMap { mutation in
            remote[mutation.key].flatMap { mutation.baseMutation(for: $0) }
        }
        let batch = MutationBatch(
            id: nextBatchID(), writtenAt: now.flooredToMicroseconds, baseMutations: bases,
            mutations: mutations)
        var effects: [Overlay] = []
        for key in batch.keys {
            var document = remote[key] ?? .invalid(key)
            var mask = batch.apply(to: &document, mask: masks[key] ?? .empty)
            // Without a remote document, only the whole state can be told.
            if unknown.contains(key) { mask = nil }
            if let effect = Mutation.overlay(of: document, mask: mask) {
                effects.append(Overlay(largestBatchID: batch.id, mutation: effect))
            }
            if !document.isValid { document.becomeMissing(at: .zero) }
            remote[key] = document
        }
        try store.append(QueuedBatch(batch: batch, user: user, writer: writer), effects: effects)
        return (batch, batch.keys.compactMap { remote[$0] })
    }

    /// Takes an acknowledged batch out of its user's queue and its outcome into the remote documents.
    ///
    /// Another user may have signed in since, if the store had failed when the answer came.
    ///
    /// - Returns: The local documents of the batch.
    mutating func acknowledge(
        _ queued: QueuedBatch, _ answer: WriteAnswer, _ store: any FirestoreTransaction
    ) throws(StoreError) -> [Document] {
        try store.enter(.acknowledgeBatch)
        let batch = queued.batch
        var versions: [DocumentKey: SnapshotVersion] = [:]
        for (mutation, result) in zip(batch.mutations, answer.results) {
            versions[mutation.key] = result.version
        }
        let keys = batch.keys
        var documents = try store.remoteDocuments(keys)
        // First, so that no index lists an effect on the new document that is about to go.
        try leaveQueue(queued, store)
        for var document in documents.values {
            guard let version = versions[document.key], document.version < version else { continue }
            do {
                try batch.applyAcknowledged(to: &document, answer.results)
            } catch {
                // The backend broke its promise; what it stored will come by the watch stream.
                document.becomeUnknown(at: version)
            }
            guard document.isValid else { continue }
            document.readAt = answer.committedAt
            try store.setRemoteDocument(document)
            documents[document.key] = document
        }
        let transformed = zip(batch.mutations, answer.results).filter {
            !$1.transformResults.isEmpty
        }
        try recomputeOverlays(of: Set(transformed.map(\.0.key)), by: queued.user, store)
        for (key, overlay) in try store.overlays(keys, of: user) {
            overlay.apply(to: &documents[key, default: .invalid(key)])
        }
        return keys.map { documents[$0] ?? .invalid($0) }
    }

    /// Takes a refused batch out of its user's queue and undoes its effect.
    ///
    /// - Returns: The local documents of the batch.
    mutating func reject(_ queued: QueuedBatch, _ store: any FirestoreTransaction)
        throws(StoreError) -> [Document]
    {
        try store.enter(.rejectBatch)
        try leaveQueue(queued, store)
        try recomputeOverlays(of: Set(queued.batch.keys), by: queued.user, store)
        return try localDocuments(queued.batch.keys, store)
    }

    /// Makes another user's queue and overlays count. The overlays are computed anew: the remote
    /// documents below them have moved while nobody looked.
    ///
    /// - Returns: The local documents that one of the two queues writes to.
    mutating func changeUser(to user: UserID, _ store: any FirestoreTransaction)
        throws(StoreError) -> [Document]
    {
        try store.enter(.changeUser)
        let before = try store.writtenKeys(of: self.user)
        self.user = user
        let after = try store.writtenKeys(of: user)
        try recomputeOverlays(of: after, by: user, store)
        return try localDocuments(Array(before.union(after)), store)
    }

    /// The next batch to send.
    func nextBatch(after id: BatchID, _ store: any FirestoreTransaction) throws(StoreError)
        -> QueuedBatch?
    {
        try store.enter(.fillWritePipeline)
        return try store.nextBatch(after: id, of: user)
    }

    /// Removes a batch and the overlays that end with it.
    mutating func leaveQueue(_ queued: QueuedBatch, _ store: any FirestoreTransaction)
        throws(StoreError)
    {
        try store.removeBatch(queued)
        try release(queued.batch.keys, store)
    }

    /// Notes that a batch no longer holds documents.
    mutating func release(_ keys: [DocumentKey], _ store: any FirestoreTransaction)
        throws(StoreError)
    {
        switch policy {
        case .eager: touched.formUnion(keys)
        case .leastUsed: try store.touch(keys, at: sequenceNumber())
        }
    }
}
