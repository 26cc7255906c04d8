import HashTreeCollections
package import HearthEngine
package import HearthModel

extension MemoryTransaction {
    package func overlay(_ key: DocumentKey, of user: UserID) throws(StoreError) -> Overlay? {
        state.overlays[user]?.byKey[key]
    }

    package func overlays(_ keys: some Collection<DocumentKey>, of user: UserID)
        throws(StoreError) -> [DocumentKey: Overlay]
    {
        guard let overlays = state.overlays[user] else { return [:] }
        var result: [DocumentKey: Overlay] = [:]
        for key in keys { result[key] = overlays.byKey[key] }
        return result
    }

    package func overlays(for query: Query, after batch: BatchID, of user: UserID)
        throws(StoreError) -> [DocumentKey: Overlay]
    {
        guard let overlays = state.overlays[user] else { return [:] }
        var result: [DocumentKey: Overlay] = [:]
        func look(at key: DocumentKey) {
            guard let overlay = overlays.byKey[key], overlay.largestBatchID > batch else { return }
            result[key] = overlay
        }
        if query.collectionGroup == nil, let key = DocumentKey(query.path) {
            look(at: key)
        } else {
            for collection in state.collections(of: query) {
                for key in overlays.byCollection[collection] ?? [] { look(at: key) }
            }
        }
        return result
    }

    package func overlays(for query: Query, of user: UserID, within bounds: ScanBounds)
        throws(StoreError) -> [DocumentKey: Overlay]?
    {
        let overlays = try overlays(for: query, after: .none, of: user)
        guard let room = bounds.room else { return overlays }
        for overlay in overlays.values {
            guard room.hold(overlay.surveyByteCount) else { return nil }
        }
        return overlays
    }

    package func setOverlays(_ overlays: [Overlay], of user: UserID) throws(StoreError) {
        var all = state.overlays[user] ?? .init()
        for overlay in overlays {
            let key = overlay.key
            changes.insert(key)
            all.byKey[key] = overlay
            all.byCollection[key.collection, default: []].insert(key)
            state.addCollection(key.collection)
        }
        state.overlays[user] = all
    }

    package func removeOverlays(_ keys: some Collection<DocumentKey>, of user: UserID)
        throws(StoreError)
    {
        guard var all = state.overlays[user] else { return }
        for key in keys {
            guard all.byKey.removeValue(forKey: key) != nil else { continue }
            changes.insert(key)
            all.byCollection.remove(key, from: key.collection)
        }
        state.overlays[user] = all.byKey.isEmpty ? nil : all
        for collection in Set(keys.map(\.collection)) { state.pruneCollection(collection) }
    }
}
