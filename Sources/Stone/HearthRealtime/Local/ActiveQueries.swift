import HashTreeCollections
import HearthModel

/// The tracked queries that somebody listens to, each as the disk has it.
struct ActiveQueries: Sendable {
    private struct Row: Sendable {
        var query: TrackedQuery
        var viewCount: Int
    }

    private var rows: TreeDictionary<ListenTarget, Row> = [:]

    /// Whether nobody listens.
    var isEmpty: Bool { rows.isEmpty }

    /// All queries.
    var all: [TrackedQuery] { rows.values.map(\.query) }

    /// The query of a target; `nil` if nobody listens.
    subscript(target: ListenTarget) -> TrackedQuery? { rows[target]?.query }

    /// A further view shows a query that other views show already.
    mutating func retain(_ target: ListenTarget) { rows[target]?.viewCount += 1 }

    /// The first view of a query.
    mutating func add(_ query: TrackedQuery) {
        rows[query.target] = Row(query: query, viewCount: 1)
    }

    /// Replaces what is known of an active query.
    mutating func set(_ query: TrackedQuery) { rows[query.target]?.query = query }

    /// A view has ended.
    ///
    /// - Returns: The query, if that was the last view.
    mutating func release(_ target: ListenTarget) -> TrackedQuery? {
        guard let row = rows[target] else { return nil }
        guard row.viewCount == 1 else {
            rows[target]?.viewCount -= 1
            return nil
        }
        rows[target] = nil
        return row.query
    }
}
