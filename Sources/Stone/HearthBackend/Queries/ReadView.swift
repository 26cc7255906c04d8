package import HearthModel

/// An unchanging picture of a database, which can answer every read.
///
/// It is a value: reading from it costs the backend nothing, and can be done anywhere.
package struct ReadView: Sendable {
    /// The database.
    package let database: DatabaseID
    /// Its documents, with their past.
    package let documents: DocumentTable
    /// What has changed of late.
    let log: ChangeLog
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

    /// What has changed after the moment of the picture.
    var changedKeys: Set<DocumentKey> {
        documents.newest > moment ? Set(log.keys(after: moment)) : []
    }

    /// In how many commits anything has changed after the moment of the picture.
    var changeCount: Int { log.count(after: moment) }

    /// Runs a query.
    ///
    /// - Complexity: O(m log n) where an index leads to the m results, n documents in the query's
    ///   scope; else O(n + m log m).
    package func run(_ plan: QueryPlan) -> QueryResults {
        let wanted = plan.query.limit.map { $0 + plan.query.offset }
        var sorted = matches(plan, wanted: wanted, plan.admits)[...]
        if let wanted { sorted = sorted.prefix(wanted) }
        let offset = min(plan.query.offset, sorted.count)
        return QueryResults(
            documents: sorted.dropFirst(offset).map(plan.projected), skippedCount: offset,
            scannedCount: sorted.count)
    }

    /// The first results of a query, offset and limit aside; all without a number.
    func first(_ count: Int?, of plan: QueryPlan) -> [Document] {
        let found = matches(plan, wanted: count, plan.admits)
        return count.map { Array(found.prefix($0)) } ?? found
    }

    /// The documents in a query's scope that pass a test, in the query's order.
    ///
    /// - Parameter wanted: How many are asked for; there may be more.
    func matches(
        _ plan: QueryPlan, wanted: Int? = nil, _ isMatch: @escaping (Document) -> Bool
    ) -> [Document] {
        var search = QuerySearch(plan, in: self, wanted: wanted, isMatch: isMatch)
        return search.results()
    }
}

/// What a query found.
package struct QueryResults: Equatable, Sendable {
    /// The results, cut to the fields asked for.
    package let documents: [Document]
    /// How many were skipped by the offset.
    package let skippedCount: Int
    /// How many matched, up to the end of offset and limit.
    package let scannedCount: Int

    /// Joins the parts.
    ///
    /// - Parameters:
    ///   - documents: The results, cut to the fields asked for.
    ///   - skippedCount: How many results the offset skipped.
    ///   - scannedCount: How many documents matched, up to the end of offset and limit.
    package init(documents: [Document], skippedCount: Int, scannedCount: Int) {
        self.documents = documents
        self.skippedCount = skippedCount
        self.scannedCount = scannedCount
    }
}
