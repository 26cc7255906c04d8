package import HearthModel

/// One unchanging picture of a database, from which any read can be answered.
///
/// It is a value: reading from it costs the backend nothing, and can be done anywhere.
package struct ReadView: Sendable {
    /// The database.
    package let database: DatabaseID
    /// Its documents, with their past.
    package let documents: DocumentTable
    /// The moment of the picture.
    package let moment: SnapshotVersion
    /// The transaction that began with this read.
    package let newTransaction: TransactionID?

    /// The document of a name: found, or missing.
    package func document(_ key: DocumentKey) -> Document {
        documents.document(key, at: moment)
    }

    /// The document of a name.
    ///
    /// - Throws: `HearthError` `notFound`.
    package func existingDocument(_ key: DocumentKey) throws(HearthError) -> Document {
        let document = document(key)
        guard document.isFound else {
            throw HearthError(
                code: .notFound,
                message: "Document (\(database.documentsName)/\(key)) not found.")
        }
        return document
    }

    /// Runs a query.
    ///
    /// - Complexity: O(n + m log m), n documents in the query's scope, m of them matching.
    package func run(_ plan: QueryPlan) -> QueryResults {
        let sorted = matches(plan, plan.admits)
        let offset = min(plan.query.offset, sorted.count)
        var rest = sorted[offset...]
        if let limit = plan.query.limit { rest = rest.prefix(limit) }
        return QueryResults(
            documents: rest.map(plan.projected), skippedCount: offset,
            scannedCount: sorted.count)
    }

    /// The documents in a query's scope that pass a test, in the query's order.
    func matches(_ plan: QueryPlan, _ isMatch: (Document) -> Bool) -> [Document] {
        var result: [Document] = []
        for collection in collections(of: plan) {
            documents.visit(collection: collection, at: moment) { document in
                if isMatch(document) { result.append(document) }
                return true
            }
        }
        // One collection is visited in the order of names.
        if case .collection = plan.scope, plan.order == .byKey { return result }
        return result.sorted { plan.order.compare($0, $1) < 0 }
    }

    private func collections(of plan: QueryPlan) -> [ResourcePath] {
        switch plan.scope {
        case .collection(let path): [path]
        case .group(let id, let parent): documents.collections(group: id, below: parent)
        case .everything(let parent): documents.collections(below: parent)
        case .children(let parent):
            documents.collections(below: parent).filter { $0.count == parent.count + 1 }
        }
    }
}

/// What a query found.
package struct QueryResults: Equatable, Sendable {
    /// The results, cut to the fields asked for.
    package let documents: [Document]
    /// How many were skipped by the offset.
    package let skippedCount: Int
    /// How many matched, before offset and limit.
    package let scannedCount: Int

    /// Joins the parts.
    package init(documents: [Document], skippedCount: Int, scannedCount: Int) {
        self.documents = documents
        self.skippedCount = skippedCount
        self.scannedCount = scannedCount
    }
}
