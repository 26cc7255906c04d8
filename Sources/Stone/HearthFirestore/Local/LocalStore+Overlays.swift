import HearthEngine
import HearthModel

extension LocalStore {
    /// Shows an overlay in a remote document and returns the fields it changes, `nil` for all.
    func apply(_ overlay: Overlay?, to document: inout Document) -> FieldMask? {
        guard let overlay else { return .empty }
        overlay.apply(to: &document)
        return overlay.mutation.changedFields
    }

    /// Computes anew what a user's queue does to `keys`, from their remote documents.
    func recomputeOverlays(
        of keys: Set<DocumentKey>, by user: UserID, _ store: any FirestoreTransaction
    ) throws(StoreError) {
        if keys.isEmpty { return }
        var documents = try store.remoteDocuments(keys)
        try recomputeOverlays(&documents, by: user, store)
    }

    /// Recomputes the effects of a user's queue on remote documents, and applies the effects.
    ///
    /// - Complexity: O(batches that write to them), not of the queue.
    func recomputeOverlays(
        _ documents: inout [DocumentKey: Document], by user: UserID,
        _ store: any FirestoreTransaction
    ) throws(StoreError) {
        if documents.isEmpty { return }
        let batches = try store.batches(writingTo: documents.keys, of: user)
        try recomputeOverlays(&documents, from: batches, by: user, store)
    }

    /// The same from the batches that write to the documents, in the order of the queue.
    func recomputeOverlays(
        _ documents: inout [DocumentKey: Document], from batches: [QueuedBatch], by user: UserID,
        _ store: any FirestoreTransaction
    ) throws(StoreError) {
        if documents.isEmpty { return }
        let remote = documents
        var masks: [DocumentKey: FieldMask?] = [:]
        var newest: [DocumentKey: MutationBatch] = [:]
        for queued in batches {
            for key in queued.batch.keys {
                guard documents[key] != nil else { continue }
                let mask = masks[key] ?? .empty
                masks[key] = .some(
                    queued.batch.apply(to: &documents[key, default: .invalid(key)], mask: mask))
                newest[key] = queued.batch
            }
        }
        var effects: [Overlay] = []
        var none: [DocumentKey] = []
        for (key, document) in documents {
            let mutation = masks[key].flatMap { Mutation.overlay(of: document, mask: $0) }
            if let mutation, let batch = newest[key] {
                let createdAt = document.creation(
                    over: remote[key, default: .invalid(key)], promisedAt: batch.promisedAt)
                effects.append(
                    Overlay(
                        largestBatchID: batch.id, promisedAt: batch.promisedAt,
                        createdAt: createdAt, mutation: mutation))
            } else {
                none.append(key)  // What it was before no longer holds.
            }
        }
        try store.removeOverlays(none, of: user)
        try store.setOverlays(effects, of: user)
    }
}

extension Mutation {
    /// The fields that an overlay changes; `nil` for the whole document.
    var changedFields: FieldMask? {
        switch kind {
        case .patch(_, let mask): mask
        case .set, .delete: nil
        case .verify: .empty
        }
    }
}
