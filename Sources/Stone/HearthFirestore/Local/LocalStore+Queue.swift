import HearthEngine
import HearthModel

/// Changing batches that were never sent, in any user's queue.
extension LocalStore {
    /// Takes a batch out of its user's queue and undoes the effect, also in the batches behind.
    ///
    /// - Parameters:
    ///   - error: Why.
    ///   - isKept: Whether the batch becomes a dead letter.
    /// - Returns: The local documents of the batch.
    /// - Complexity: O(batches that write to its documents).
    mutating func takeOut(
        _ queued: QueuedBatch, because error: HearthError, isKept: Bool,
        _ store: any FirestoreTransaction
    ) throws(StoreError) -> [Document] {
        let keys = Set(queued.batch.keys)
        try noteKnown(queued.batch.keys, store)
        try leaveQueue(queued, store)
        try rebase(keys, behind: queued.batch.id, of: queued.user, store)
        try recomputeOverlays(of: keys, by: queued.user, store)
        let documents = try localDocuments(queued.batch.keys, store)
        try note(
            { isKept ? .rejected($0, error) : .withdrawn($0, error) }, queued, documents, store)
        return documents
    }

    /// Gives a batch other writes. The batch keeps its number, place, writer and time.
    ///
    /// - Returns: The local documents that the batch wrote to, or writes to now.
    mutating func edit(
        _ queued: QueuedBatch, to mutations: [Mutation], _ store: any FirestoreTransaction
    ) throws(StoreError) -> [Document] {
        let old = queued.batch
        let documents = try documents(
            Set(mutations.map(\.key)), inFrontOf: old.id, of: queued.user, store)
        let batch = MutationBatch(
            id: old.id, writtenAt: old.writtenAt, promisedAt: old.promisedAt,
            baseMutations: Self.bases(of: mutations, on: documents), mutations: mutations)
        let edited = QueuedBatch(
            batch: batch, user: queued.user, state: queued.state, writer: queued.writer)
        let keys = old.keys + batch.keys.filter { !old.keys.contains($0) }
        try noteKnown(keys, store)
        try store.replaceBatch(edited, writingTo: old.keys)
        try release(old.keys.filter { !batch.keys.contains($0) }, store)
        try rebase(Set(keys), behind: old.id, of: queued.user, store)
        try recomputeOverlays(of: Set(keys), by: queued.user, store)
        let changed = try localDocuments(keys, store)
        try note(HistoryEvent.edited, edited, changed, store)
        return changed
    }

    /// Puts the writes of a rejected batch at the end of its user's queue, under a new number.
    ///
    /// - Returns: The number, and the local documents that it changed.
    mutating func queueAnew(
        _ rejected: QueuedBatch, at now: Timestamp, _ store: any FirestoreTransaction
    ) throws(StoreError) -> (id: BatchID, changed: [Document]) {
        if rejected.user == user {
            let (batch, changed) = try write(
                rejected.batch.mutations, by: rejected.writer, at: now, store)
            return (batch.id, changed)
        }
        // Nobody looks at another user's overlays; they are computed when that user signs in.
        let versions = try store.remoteDocuments(rejected.batch.keys).values.lazy.map(\.version)
        let batch = MutationBatch(
            id: nextBatchID(), writtenAt: now.flooredToMicroseconds,
            promisedAt: nextPromise(after: versions),
            baseMutations: rejected.batch.baseMutations, mutations: rejected.batch.mutations)
        let queued = QueuedBatch(batch: batch, user: rejected.user, writer: rejected.writer)
        try noteKnown(batch.keys, store)
        try store.append(queued)
        if history.terms.isKept {
            try note(HistoryEvent.accepted, queued, try localDocuments(batch.keys, store), store)
        }
        return (batch.id, [])
    }

    /// Takes an applied batch out of its user's queue although the batch's answer was lost.
    ///
    /// The batch's documents show that the backend applied the batch.
    ///
    /// - Parameter documents: The documents that the batch writes to, as the backend has them now.
    /// - Returns: The local documents of the batch.
    mutating func acknowledge(
        _ queued: QueuedBatch, asFound documents: [Document], _ store: any FirestoreTransaction
    ) throws(StoreError) -> [Document] {
        try store.enter(.acknowledgeBatch)
        try noteKnown(queued.batch.keys, store)
        try leaveQueue(queued, store)
        try storeWritten(documents, store)
        try recomputeOverlays(of: Set(queued.batch.keys), by: queued.user, store)
        let changed = try localDocuments(queued.batch.keys, store)
        if history.terms.isKept {
            let remotes = try store.remoteDocuments(queued.batch.keys)
            try note(
                HistoryEvent.committed, queued, changed,
                over: queued.batch.keys.map { remotes[$0] ?? .invalid($0) }, store)
        }
        return changed
    }

    /// Takes documents into the cache as `storeWritten` does, and notes what they are.
    mutating func takeIn(
        _ documents: [Document], _ store: any FirestoreTransaction
    ) throws(StoreError) {
        try noteKnown(documents.lazy.map(\.key), store)
        try storeWritten(documents, store)
        guard history.terms.isKept else { return }
        let keys = documents.map(\.key)
        let remotes = try store.remoteDocuments(keys)
        try noteHeard(
            keys.map { remotes[$0] ?? .invalid($0) }, try localDocuments(keys, store), store)
    }

    /// Takes documents into the cache that were read because a write to the documents was in doubt.
    ///
    /// The documents are marked as written: the watch stream may not have told of them yet.
    func storeWritten(
        _ documents: [Document], _ store: any FirestoreTransaction
    ) throws(StoreError) {
        for found in documents {
            guard try store.remoteDocument(found.key).version < found.version else { continue }
            var document = found
            document.markCommittedMutations()
            document.readAt = max(found.readAt, found.version)
            try store.setRemoteDocument(document)
        }
    }

    // MARK: Bases

    /// Recomputes the start values of increments in the batches behind a changed batch.
    ///
    /// The new start values are as if the changed batch's old writes had never existed. None of the
    /// batches behind was sent.
    private func rebase(
        _ keys: Set<DocumentKey>, behind id: BatchID, of user: UserID,
        _ store: any FirestoreTransaction
    ) throws(StoreError) {
        var documents = try store.remoteDocuments(keys)
        for queued in try store.batches(writingTo: keys, of: user) {
            var batch = queued.batch
            if batch.id > id, !batch.baseMutations.isEmpty {
                let concerned = batch.mutations.filter { keys.contains($0.key) }
                batch = MutationBatch(
                    id: batch.id, writtenAt: batch.writtenAt, promisedAt: batch.promisedAt,
                    baseMutations: batch.baseMutations.filter { !keys.contains($0.key) }
                        + Self.bases(of: concerned, on: documents),
                    mutations: batch.mutations)
                let rebased = QueuedBatch(
                    batch: batch, user: user, state: queued.state, writer: queued.writer)
                try store.replaceBatch(rebased, writingTo: batch.keys)
            }
            for key in batch.keys where keys.contains(key) {
                _ = batch.apply(to: &documents[key, default: .invalid(key)], mask: .empty)
            }
        }
    }

    /// Documents with the effects of the batches in front of a batch, and no other batch.
    private func documents(
        _ keys: Set<DocumentKey>, inFrontOf id: BatchID, of user: UserID,
        _ store: any FirestoreTransaction
    ) throws(StoreError) -> [DocumentKey: Document] {
        var documents = try store.remoteDocuments(keys)
        for queued in try store.batches(writingTo: keys, of: user) where queued.batch.id < id {
            for key in queued.batch.keys where keys.contains(key) {
                _ = queued.batch.apply(to: &documents[key, default: .invalid(key)], mask: .empty)
            }
        }
        return documents
    }

    private static func bases(
        of mutations: [Mutation], on documents: [DocumentKey: Document]
    ) -> [Mutation] {
        mutations.compactMap { mutation in
            mutation.baseMutation(for: documents[mutation.key, default: .invalid(mutation.key)])
        }
    }
}
