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
        var tally = scan.tally
        var (scannedCount, byteCount) = (0, 0)
        for key in keys(seenBy: scan.query) {
            guard let document = state.documents[key] else { continue }
            guard scan.bounds.admitsMore(after: scannedCount),
                scan.bounds.admits(byteCount: byteCount)
            else {
                return ScanResult(documents: [:], scannedCount: scannedCount, isWhole: false)
            }
            scannedCount += 1
            guard document.readAt > scan.readAfter, scan.query.matches(document),
                scan.having.allSatisfy({ document[$0] != nil })
            else { continue }
            guard tally == nil else {
                if !scan.including.contains(key) { tally?.add(document) }
                continue
            }
            guard leading.insert(document, within: scan.bounds) else {
                return ScanResult(documents: [:], scannedCount: scannedCount, isWhole: false)
            }
            if scan.bounds.byteCountMax != nil, scan.firstCount == nil {
                byteCount += document.byteCount
            }
        }
        var result: [DocumentKey: Document] = [:]
        for document in leading.documents { result[document.key] = document }
        for key in scan.including where result[key] == nil {
            guard let document = state.documents[key] else { continue }
            guard scan.bounds.hold(document) else {
                return ScanResult(documents: [:], scannedCount: scannedCount, isWhole: false)
            }
            result[key] = document
        }
        return ScanResult(documents: result, scannedCount: scannedCount, tally: tally)
    }

    /// The names of the known documents where a query looks.
    private func keys(seenBy query: Query) -> [DocumentKey] {
        if query.collectionGroup == nil, let key = DocumentKey(query.path) { return [key] }
        return state.collections(of: query).flatMap { state.keysByCollection[$0] ?? [] }
    }

    package func noteChanges(of keys: some Sequence<DocumentKey>) {
        for key in keys { changes.insert(key) }
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
