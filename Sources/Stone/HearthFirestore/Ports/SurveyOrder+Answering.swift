package import HearthEngine
import HearthModel

extension SurveyOrder {
    /// Answers the question from a snapshot of the store.
    ///
    /// - Parameters:
    ///   - snapshot: Only read. Holds every group that was accepted before the order.
    ///   - isWanted: Whether somebody still waits. If nobody does, any outcome will do.
    /// - Throws: `StoreError` if the store cannot be read.
    /// - Complexity: O(documents where the query looks).
    package func answer(
        from snapshot: any FirestoreTransaction,
        while isWanted: @escaping @Sendable () -> Bool = { true }
    ) throws(StoreError) -> SurveyOutcome {
        let bounds = ScanBounds(byteCountMax: terms.byteCountMax, isWanted: isWanted)
        switch question.wanted {
        case .documents(let fields): return try documents(having: fields, snapshot, bounds)
        case .numbers(let aggregations, let user):
            return try numbers(AggregateComputation(aggregations), of: user, snapshot, bounds)
        }
    }

    private func documents(
        having fields: [FieldPath], _ snapshot: any FirestoreTransaction, _ bounds: ScanBounds
    ) throws(StoreError) -> SurveyOutcome {
        let query = question.query
        var firstCount: Int?
        if let limit = query.limit {
            let overlays = try snapshot.overlays(for: query, after: .none, of: user)
            let (count, isTooMany) = limit.count.addingReportingOverflow(
                overlays.count + terms.spareCount)
            guard !isTooMany, count <= terms.firstCountMax else { return .tooLarge }
            firstCount = count
        }
        let found = try snapshot.remoteDocuments(
            DocumentScan(
                query: query.firstOfOrder, firstCount: firstCount, having: fields, bounds: bounds))
        guard found.isWhole else { return .tooLarge }
        return .documents(
            SurveyFindings(
                documents: found.documents, examinedCount: found.scannedCount,
                isComplete: firstCount.map { found.documents.count < $0 } ?? true))
    }

    private func numbers(
        _ computation: AggregateComputation, of user: UserID,
        _ snapshot: any FirestoreTransaction, _ bounds: ScanBounds
    ) throws(StoreError) -> SurveyOutcome {
        let query = question.query
        let overlays = try snapshot.overlays(for: query, after: .none, of: user)
        let found = try snapshot.remoteDocuments(
            DocumentScan(
                query: query, including: Set(overlays.keys), having: computation.fields,
                tally: computation, bounds: bounds))
        guard found.isWhole, var tally = found.tally else { return .tooLarge }
        var hasPendingWrites = false
        for (key, overlay) in overlays {
            var document = found.documents[key] ?? .invalid(key)
            overlay.apply(to: &document)
            guard query.matches(document), tally.counts(document) else { continue }
            tally.add(document)
            if document.hasLocalMutations { hasPendingWrites = true }
        }
        let store = LocalStore(user: user, policy: .leastUsed(cacheByteCountMax: nil))
        return .numbers(
            SurveyNumbers(
                values: tally.values, documentCount: tally.documentCount,
                examinedCount: found.scannedCount + overlays.count,
                hasPendingWrites: hasPendingWrites,
                readAt: try store.readAt(of: query, snapshot)))
    }
}
