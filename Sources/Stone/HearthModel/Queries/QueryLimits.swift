/// How much a query may ask.
///
/// They are looked at before a query is normalised, planned or matched, since those take time that
/// grows faster than the query.
///
/// - Source: Firestore's query limitations.
package enum QueryLimits {
    /// Values in the list of `in` and `array-contains-any`.
    package static let listCountMax = 30
    /// Values in the list of `not-in`.
    package static let notInCountMax = 10
    /// Conjunctions that the filter is the disjunction of, once it is normalised.
    package static let disjunctionCountMax = 30
    /// Filters, sort keys and a parent together.
    package static let partCountMax = 100
    /// Numbers that one request asks of a query.
    package static let aggregationCountMax = 5
    /// Composite filters that lie inside each other.
    package static let filterDepthMax = 100
}

extension StructuredQuery {
    /// Refuses a query that asks more than Firestore allows.
    ///
    /// - Throws: `HearthError` `invalidArgument`.
    /// - Complexity: O(length of the names), whatever lists the query holds.
    package func checkLimits() throws(HearthError) {
        var check = QueryLimitCheck()
        try check.take(parent)
        try check.take(source?.collection)
        if let filter { try check.take([filter]) }
        try check.take(orderBys, startAt, endAt)
    }
}

extension Query {
    /// Refuses a query that asks more than Firestore allows.
    ///
    /// - Throws: `HearthError` `invalidArgument`.
    func checkLimits() throws(HearthError) {
        var check = QueryLimitCheck()
        try check.take(path)
        try check.take(group)
        try check.take(filters)
        try check.take(explicitOrderBys, startAt, endAt)
    }
}

/// Walks through a query once and ends at the first thing that is too much.
private struct QueryLimitCheck {
    /// Filters and sort keys, and one for a parent.
    private var partCount = 0

    mutating func take(_ path: ResourcePath) throws(HearthError) {
        do throws(PathError) {
            try path.checkLimits()
        } catch {
            throw .invalid("\(error)")
        }
    }

    mutating func take(_ collection: PathSegment?) throws(HearthError) {
        do throws(PathError) {
            try collection?.checkLimitsOfCollection()
        } catch {
            throw .invalid("\(error)")
        }
    }

    /// Takes filters that must all hold.
    mutating func take(_ filters: [Filter]) throws(HearthError) {
        var disjunctionCount = 1
        for filter in filters {
            let count = try take(filter, depth: 0)
            disjunctionCount = min(disjunctionCount * count, QueryLimits.disjunctionCountMax + 1)
        }
        guard disjunctionCount <= QueryLimits.disjunctionCountMax else {
            throw .invalid(
                "The filter is more than \(QueryLimits.disjunctionCountMax) disjunctions once it "
                    + "is normalised, the limit. Ask several queries.")
        }
    }

    /// How many conjunctions a filter is the disjunction of, saturated.
    private mutating func take(_ filter: Filter, depth: Int) throws(HearthError) -> Int {
        let tooMany = QueryLimits.disjunctionCountMax + 1
        switch filter {
        case .unary(let unary):
            try countPart()
            try take(unary.field)
            return 1
        case .field(let field):
            try countPart()
            try take(field.field)
            return try listCount(of: field)
        case .composite(let composite):
            guard depth < QueryLimits.filterDepthMax else {
                throw .invalid(
                    "Filters lie more than \(QueryLimits.filterDepthMax) deep in each other.")
            }
            var count = composite.op == .and ? 1 : 0
            for child in composite.filters {
                let childCount = try take(child, depth: depth + 1)
                count = min(
                    composite.op == .and ? count * childCount : count + childCount, tooMany)
            }
            return max(count, 1)
        }
    }

    /// The disjunctions of a comparison: the values of `isIn` and `arrayContainsAny`, else 1.
    private func listCount(of filter: FieldFilter) throws(HearthError) -> Int {
        let most: Int
        switch filter.op {
        case .isIn, .arrayContainsAny: most = QueryLimits.listCountMax
        case .isNotIn: most = QueryLimits.notInCountMax
        case .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual, .equal, .notEqual,
            .arrayContains:
            return 1
        }
        let count = filter.value.arrayElements?.count ?? 1
        guard count <= most else {
            throw .invalid(
                "'\(filter.op.rawValue)' on \(filter.field) has a list of \(count) values, and "
                    + "the limit is \(most).")
        }
        return filter.op == .isNotIn ? 1 : max(count, 1)
    }

    /// Takes sort keys and cursors.
    mutating func take(
        _ orderBys: [OrderBy], _ start: Bound?, _ end: Bound?
    ) throws(HearthError) {
        for orderBy in orderBys {
            try countPart()
            try take(orderBy.field)
        }
        for bound in [start, end].compactMap(\.self)
        where bound.position.count > QueryLimits.partCountMax {
            throw .invalid(
                "A cursor has \(bound.position.count) values; a query has "
                    + "\(QueryLimits.partCountMax) sort keys at most.")
        }
    }

    private func take(_ field: FieldPath) throws(HearthError) {
        do throws(PathError) {
            try field.checkLimits()
        } catch {
            throw .invalid("\(error)")
        }
    }

    private mutating func countPart() throws(HearthError) {
        partCount += 1
        guard partCount <= QueryLimits.partCountMax else {
            throw .invalid(
                "A query has more than \(QueryLimits.partCountMax) filters and sort keys together, "
                    + "the limit.")
        }
    }
}
