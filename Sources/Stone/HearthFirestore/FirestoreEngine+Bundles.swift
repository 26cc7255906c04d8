import HashTreeCollections
import HearthEngine
import HearthModel

extension FirestoreEngine {
    /// Loads a bundle, unless the same one or a newer was loaded before.
    mutating func load(
        _ bundle: Bundle, for id: RequestID, _ turn: inout Turn
    ) throws(StoreError) {
        let store = turn.store
        try store.enter(.loadBundle)
        let count = bundle.entries.count
        let done = BundleProgress(
            documentsLoaded: count, totalDocuments: count, bytesLoaded: bundle.byteCount,
            totalBytes: bundle.byteCount)
        defer { turn.effects.actions.append(.loaded(id, done)) }
        if let loaded = try store.bundle(bundle.record.id),
            loaded.createdAt >= bundle.record.createdAt
        {
            return
        }
        let changed = try local.load(bundle, store) { [views] in !views.ids(of: $0).isEmpty }
        try updateViews(with: changed, &turn)
        try store.setBundle(bundle.record)
    }

    /// Looks up a query that a bundle named.
    mutating func getNamedQuery(
        _ name: String, for id: RequestID, _ turn: inout Turn
    ) throws(StoreError) {
        let store = turn.store
        turn.effects.actions.append(.found(id, try store.namedQuery(name)))
    }
}
