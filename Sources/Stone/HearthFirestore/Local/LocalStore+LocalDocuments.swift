package import HearthEngine
package import HearthModel

extension LocalStore {
    /// One document with the user's overlay.
    ///
    /// - Throws: Only the store's errors.
    package func localDocument(_ key: DocumentKey, _ store: any FirestoreTransaction)
        throws(StoreError) -> Document
    {
        var document = try store.remoteDocument(key)
        try store.overlay(key, of: user)?.apply(to: &document)
        return document
    }

    /// Several documents as they are locally, in the order asked.
    func localDocuments(_ keys: [DocumentKey], _ store: any FirestoreTransaction)
        throws(StoreError) -> [Document]
    {
        if keys.isEmpty { return [] }
        var documents = try store.remoteDocuments(keys)
        for (key, overlay) in try store.overlays(keys, of: user) {
            overlay.apply(to: &documents[key, default: .invalid(key)])
        }
        return keys.map { documents[$0] ?? .invalid($0) }
    }

    /// The local documents that match a query, among those read after a version or written since.
    ///
    /// The scan includes every document with an overlay, whatever the remote state, because the
    /// overlay may make the document match. If only the first few matches can count, the scan tells
    /// the store how many.
    func matches(
        of query: Query, readAfter version: SnapshotVersion, _ store: any FirestoreTransaction
    ) throws(StoreError) -> Findings {
        let overlays = try store.overlays(for: query, after: .none, of: user)
        let scan = DocumentScan(
            query: query.firstOfOrder, readAfter: version, including: Set(overlays.keys),
            // Each overlay can push out one document at most.
            firstCount: query.limit.map { $0.count + overlays.count })
        let result = try store.remoteDocuments(scan)
        var documents = result.documents
        for (key, overlay) in overlays {
            overlay.apply(to: &documents[key, default: .invalid(key)])
            if documents[key].map({ query.matches($0) }) != true { documents[key] = nil }
        }
        return Findings(documents: documents, examinedCount: result.scannedCount + overlays.count)
    }
}
