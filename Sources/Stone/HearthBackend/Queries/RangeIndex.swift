import HearthModel

/// The queries of a place that demand a stretch of a field's values, or of the names.
///
/// A query may demand stretches of several fields, and one of these stretches alone finds the
/// query. The index counts all stretches, which lets the shelf choose the stretch with the fewest
/// other queries.
struct RangeIndex<ID: Comparable & Sendable>: Sendable {
    /// One end of a stretch that a query demands.
    private struct Edge: Sendable {
        let end: ValueRange.End
        let id: ID

        static func order(_ left: Edge, _ right: Edge) -> Int {
            let order = left.end.compare(to: right.end)
            if order != 0 { return order }
            return left.id == right.id ? 0 : (left.id < right.id ? -1 : 1)
        }
    }

    private var found = RangeTree<ID>()
    private var starts = OrderedTree<Edge>()
    private var ends = OrderedTree<Edge>()

    /// The index of no queries.
    init() {}

    /// Whether no query demands anything of the field.
    var isEmpty: Bool { starts.count == 0 && found.count == 0 }

    /// Whether a query is found by its demand of the field.
    var findsAny: Bool { found.count > 0 }

    /// Counts a query's stretch.
    mutating func count(_ range: ValueRange, of id: ID) {
        starts.insert(Edge(end: range.lower, id: id), by: Edge.order)
        ends.insert(Edge(end: range.upper, id: id), by: Edge.order)
    }

    /// Counts a query's stretch no longer.
    mutating func discount(_ range: ValueRange, of id: ID) {
        starts.remove(Edge(end: range.lower, id: id), by: Edge.order)
        ends.remove(Edge(end: range.upper, id: id), by: Edge.order)
    }

    /// How many of the counted stretches have something in common with one. O(log n).
    func overlapCount(_ range: ValueRange) -> Int {
        let before = ends.firstIndex { $0.end.compare(to: range.lower) >= 0 }
        let upTo = starts.firstIndex { $0.end.compare(to: range.upper) > 0 }
        return upTo - before
    }

    /// Lets a query be found by a stretch.
    mutating func insert(_ range: ValueRange, _ id: ID) { found.insert(range, id) }

    /// Lets a query be found by a stretch no longer.
    mutating func remove(_ range: ValueRange, _ id: ID) { found.remove(range, id) }

    /// Visits the queries that are found by some value of a stretch.
    func visit(_ range: ValueRange, _ body: (ID) -> Void) { found.visit(range, body) }
}
