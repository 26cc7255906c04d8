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

    /// The local documents that match a query.
    func matches(
        of query: Query, _ store: any FirestoreTransaction
    ) throws(StoreError) -> Findings {
        try look(at: query, readAfter: .zero, ScanBounds(), store).found
    }

    /// The local documents that match a query, among those read after a version or written since.
    ///
    /// - Returns: `nil` if the look goes beyond the bounds.
    func matches(
        of query: Query, readAfter version: SnapshotVersion = .zero, within bounds: ScanBounds,
        _ store: any FirestoreTransaction
    ) throws(StoreError) -> Findings? {
        let (found, isWhole) = try look(at: query, readAfter: version, bounds, store)
        return isWhole ? found : nil
    }

    /// The local documents that match a query, from what a survey has found.
    ///
    /// Whatever changed since the survey began, or has an overlay, is read anew.
    ///
    /// - Parameters:
    ///   - fields: Only documents that have all of these. The survey knew that too.
    ///   - changed: The documents that may have changed since.
    /// - Returns: `nil` if the limit has lost more documents than the survey has found behind it.
    /// - Complexity: O((changed + overlays) log n), unless nothing changed.
    func matches(
        of query: Query, having fields: [FieldPath], in survey: SurveyFindings,
        changed: some Sequence<DocumentKey>, _ store: any FirestoreTransaction
    ) throws(StoreError) -> Findings? {
        let overlays = try store.overlays(for: query, after: .none, of: user)
        let stale = Set(overlays.keys).union(changed)
        var found = Findings(
            documents: survey.documents, examinedCount: survey.examinedCount + stale.count,
            sorted: survey.sorted)
        for key in stale {
            found.documents[key] = nil
            found.sorted?.remove(key)
        }
        if !survey.isComplete, found.documents.count < query.limit?.count ?? 0 { return nil }
        for (key, remote) in try store.remoteDocuments(stale) {
            var document = remote
            overlays[key]?.apply(to: &document)
            guard query.matches(document), fields.allSatisfy({ document[$0] != nil }) else {
                continue
            }
            found.documents[key] = document
            found.sorted?.insert(document)
        }
        return found
    }

    /// Looks at the documents read after a version, or written since.
    ///
    /// The scan includes every document with an overlay, whatever the remote state, because the
    /// overlay may make the document match. If only the first few matches can count, the scan tells
    /// the store how many.
    private func look(
        at query: Query, readAfter version: SnapshotVersion, _ bounds: ScanBounds,
        _ store: any FirestoreTransaction
    ) throws(StoreError) -> (found: Findings, isWhole: Bool) {
        guard let overlays = try store.overlays(for: query, of: user, within: bounds) else {
            return (Findings(documents: [:], examinedCount: 0), false)
        }
        let scan = DocumentScan(
            query: query.firstOfOrder, readAfter: version, including: Set(overlays.keys),
            // Each overlay can push out one document at most.
            firstCount: query.limit.map { $0.count + overlays.count }, bounds: bounds)
        let result = try store.remoteDocuments(scan)
        var documents = result.documents
        for (key, overlay) in overlays {
            overlay.apply(to: &documents[key, default: .invalid(key)])
            guard let document = documents[key], query.matches(document) else {
                documents[key] = nil
                continue
            }
            // The document as it was may have held less.
            guard bounds.hold(document) else {
                return (Findings(documents: [:], examinedCount: result.scannedCount), false)
            }
        }
        let found = Findings(
            documents: documents, examinedCount: result.scannedCount + overlays.count)
        return (found, result.isWhole)
    }
}
