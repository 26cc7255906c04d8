import HearthModel

/// A query of a client, split into what the engine answers and what is cut from the engine's answer.
///
/// The engine shares a query's results among all programs, so they are whole documents from the
/// first on. An offset and a projection are one client's own.
struct QuerySplit: Hashable, Sendable {
    /// What the engine is asked.
    let query: Query
    /// How many of the first results the client does not want.
    let offset: Int
    /// The fields that the client wants; `nil` for all.
    let projection: [FieldPath]?
    /// Whether the cache judges the documents as the backend does, so that the engine's answer is
    /// the backend's.
    let isJudgedAlike: Bool

    /// Splits a query.
    ///
    /// - Returns: `nil` for a query that the engine cannot answer, for example over all
    ///   collections.
    init?(_ whole: StructuredQuery) {
        var asked = whole
        asked.offset = 0
        asked.projection = nil
        if let limit = whole.limit {
            let (sum, isTooLarge) = limit.addingReportingOverflow(whole.offset)
            asked.limit = isTooLarge ? Int.max : sum
        }
        guard let target = try? Target(asked) else { return nil }
        let query = target.query()
        guard (try? query.validate()) != nil else { return nil }
        self.query = query
        offset = whole.offset
        projection = whole.projection
        isJudgedAlike = whole.filter?.isJudgedAlike ?? true
    }
}
