import HashTreeCollections
package import HearthEngine
package import HearthModel

extension MemoryTransaction {
    package func remoteDocument(_ key: DocumentKey) throws(StoreError) -> Document {
        state.documents[key] ?? .invalid(key)
    }

    package func remoteDocuments(_ keys: some Collection<DocumentKey>) throws(StoreError)
        -> [DocumentKey: Document]
    {
        var result: [DocumentKey: Document] = [:]
        for key in keys { result[key] = state.documents[key] ?? .invalid(key) }
        return result
    }

    package func remoteOutlines(_ keys: [DocumentKey]) throws(StoreError) -> [Document] {
        keys.map { state.documents[$0] ?? .invalid($0) }
    }

    package func remoteDocuments(_ scan: DocumentScan) throws(StoreError) -> ScanResult {
        var leading = LeadingDocuments(of: scan)
        var scannedCount = 0
        func look(at document: Document) {
            scannedCount += 1
            guard document.readAt > scan.readAfter, scan.query.matches(document) else { return }
            leading.insert(document)
        }
        if scan.query.collectionGroup == nil, let key = DocumentKey(scan.query.path) {
            if let document = state.documents[key] { look(at: document) }
        } else {
            for collection in state.collections(of: scan.query) {
                for key in state.keysByCollection[collection] ?? [] {
                    if let document = state.documents[key] { look(at: document) }
                }
            }
        }
        var result: [DocumentKey: Document] = [:]
        for document in leading.documents { result[document.key] = document }
        for key in scan.including {
            if let document = state.documents[key] { result[key] = document }
        }
        return ScanResult(documents: result, scannedCount: scannedCount)
    }

    package func setRemoteDocument(_ document: Document) throws(StoreError) {
        precondition(document.readAt != .zero, "\(document.key) was never read")
        precondition(document.isValid, "\(document.key) is not known")
        changes.insert(document.key)
        let old = state.documents.updateValue(document, forKey: document.key)
        state.documentByteCount += document.byteCount - (old?.byteCount ?? 0)
        guard old == nil else { return }
        let collection = document.key.collection
        state.keysByCollection[collection, default: []].insert(document.key)
        state.addCollection(collection)
        if state.uses[document.key] == nil {
            let latest = max(state.latestUse, state.globals.sequenceNumber)
            state.setUse(.init(targetCount: 0, sequenceNumber: latest), of: document.key)
        }
    }

    package func removeRemoteDocument(_ key: DocumentKey) throws(StoreError) {
        guard let old = state.documents.removeValue(forKey: key) else { return }
        changes.insert(key)
        state.documentByteCount -= old.byteCount
        state.keysByCollection.remove(key, from: key.collection)
        if let use = state.uses[key], use.targetCount == 0 { state.setUse(nil, of: key) }
        state.pruneCollection(key.collection)
    }

    package func collections(inGroup group: String) throws(StoreError) -> [ResourcePath] {
        (state.collectionsByGroup[UTF8Text(group)] ?? []).sorted()
    }
}
