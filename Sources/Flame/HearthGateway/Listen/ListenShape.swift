import HearthModel

/// A target's request on a watch stream, in a form that the engine can answer.
///
/// Equal shapes show equal pictures, so a target may go on from the end of a target with an equal
/// shape.
struct ListenShape: Hashable, Sendable {
    /// What the engine is asked: one query, or each document of a list of names.
    let queries: [Query]
    /// How many of the first results the client does not want.
    let offset: Int
    /// The fields that the client wants; `nil` for all.
    let projection: [FieldPath]?

    /// Listens to single documents. Names that come twice count once.
    init(documents keys: [DocumentKey]) {
        var seen: Set<DocumentKey> = []
        queries = keys.filter { seen.insert($0).inserted }.map { Query(document: $0) }
        offset = 0
        projection = nil
    }

    /// Listens to a query.
    ///
    /// The engine knows no offset. The engine is asked for the skipped results too.
    ///
    /// - Throws: `HearthError` for a query that the cache cannot hold.
    init(_ query: StructuredQuery) throws(HearthError) {
        var asked = query
        asked.offset = 0
        asked.projection = nil
        if let limit = query.limit {
            let (sum, isTooLarge) = limit.addingReportingOverflow(query.offset)
            asked.limit = isTooLarge ? Int.max : sum
        }
        queries = [try Target(asked).query()]
        offset = query.offset
        projection = query.projection
    }

    /// Whether it names its documents.
    var isOfNames: Bool { queries.allSatisfy { $0.documentKey != nil } }

    /// Whether each document is shown by itself, independent of the others.
    ///
    /// If a target has several names, each name has its own snapshots, and the snapshots do not
    /// tell which documents changed together.
    var showsEachForItself: Bool {
        offset == 0 && queries.count < 2 && queries.allSatisfy { $0.limit == nil }
    }
}
