import HearthModel

/// What Firestore refuses in a query.
///
/// - Source: `backend-surface`, section 9; the texts of refusals come from Google's emulator.
enum QueryRules {
    /// Values in the list of `IN` and `ARRAY_CONTAINS_ANY`.
    static let listCountMax = QueryLimits.listCountMax
    /// Values in the list of `NOT_IN`.
    static let notInCountMax = QueryLimits.notInCountMax
    /// Disjunctions after normalisation.
    static let disjunctionCountMax = QueryLimits.disjunctionCountMax
    /// Filters, sort orders and ancestor together.
    static let partCountMax = QueryLimits.partCountMax
    /// Fields compared by inequality.
    static let inequalityFieldCountMax = 10

    static func check(_ query: StructuredQuery, in database: DatabaseID) throws(HearthError) {
        if let limit = query.limit, limit < 0 { throw .argument("limit is negative") }
        if query.offset < 0 { throw .argument("offset is negative") }
        guard query.parent.count.isMultiple(of: 2) else {
            throw .argument(
                "Document parent name \"\(database.documentsName)/\(query.parent)\" is not a "
                    + "document or the root.")
        }
        let place = query.source?.collection.map { query.parent.appending($0) } ?? query.parent
        try NameRules.check(place, in: database)
        if let filter = query.filter { try check(filter, in: database) }
        for field in query.orderBys.map(\.field) + (query.projection ?? []) { try check(field) }
        try checkCombinations(query)
        try checkKeys(query)
        for bound in [query.startAt, query.endAt].compactMap(\.self) {
            try check(bound, of: query)
        }
    }

    private static func check(
        _ filter: Filter, in database: DatabaseID
    ) throws(HearthError) {
        switch filter {
        case .unary(let unary):
            if unary.field.isDocumentID { throw nameIsReserved }
            try check(unary.field)
        case .composite(let composite):
            if composite.op == .or, composite.filters.isEmpty {
                throw .argument("Composite filter must have at least one sub-filter.")
            }
            for child in composite.filters { try check(child, in: database) }
        case .field(let field):
            try check(field.field)
            try checkList(of: field)
            try ValueRules.checkComparison(field.value)
            if field.field.isDocumentID { try checkName(field, in: database) }
        }
    }

    private static func check(_ field: FieldPath) throws(HearthError) {
        if !field.isDocumentID { try ValueRules.check(field) }
    }

    private static func checkList(of filter: FieldFilter) throws(HearthError) {
        let most: Int
        switch filter.op {
        case .isIn, .arrayContainsAny: most = listCountMax
        case .isNotIn: most = notInCountMax
        case .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual, .equal, .notEqual,
            .arrayContains:
            return
        }
        guard let list = filter.value.arrayElements else {
            throw .argument("'\(filter.op.wireName)' requires an ArrayValue.")
        }
        guard !list.isEmpty else {
            throw .argument("'\(filter.op.wireName)' requires an non-empty ArrayValue.")
        }
        guard list.count <= most else {
            throw .argument("'\(filter.op.wireName)' supports up to \(most) comparison values.")
        }
    }

    private static func checkName(
        _ filter: FieldFilter, in database: DatabaseID
    ) throws(HearthError) {
        switch filter.op {
        case .arrayContains, .arrayContainsAny:
            throw nameIsReserved
        case .isIn, .isNotIn:
            for element in filter.value.arrayElements ?? [] { try checkKey(element, in: database) }
        case .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual, .equal, .notEqual:
            try checkKey(filter.value, in: database)
        }
    }

    private static let nameIsReserved = HearthError.argument("the name __key__ is reserved")

    private static func checkKey(
        _ value: Value, in database: DatabaseID
    ) throws(HearthError) {
        guard case .reference(let name) = value else {
            throw .argument("__key__ filter value must be a Key")
        }
        guard name.database == database else {
            throw .argument(
                "The request was for database '\(database.name)' but was attempting to access "
                    + "database '\(name.database.name)'")
        }
    }

    private static func checkCombinations(_ query: StructuredQuery) throws(HearthError) {
        let filters = query.filter?.flattened ?? []
        let ancestor = query.parent.isEmpty ? 0 : 1
        guard filters.count + query.orderBys.count + ancestor <= partCountMax else {
            throw .argument(
                "The query may not have more than \(partCountMax) filters + sort orders + ancestor "
                    + "total. Currently there are \(filters.count) filters, "
                    + "\(query.orderBys.count) sort orders, and "
                    + "\(ancestor == 0 ? "no" : "an") ancestor filter.")
        }
        guard filters.count(where: { $0.op == .notEqual || $0.op == .isNotIn }) <= 1 else {
            throw .argument(
                "Only a single 'NOT_EQUAL', 'NOT_IN', 'IS_NOT_NAN', or 'IS_NOT_NULL' filter "
                    + "allowed per query.")
        }
        let hasList = filters.contains { $0.op == .isIn || $0.op == .arrayContainsAny }
        if filters.contains(where: { $0.op == .isNotIn }) && (hasList || hasOr(query.filter)) {
            throw .argument(
                "'NOT_IN' cannot be used in the same query with 'IN', 'ARRAY_CONTAINS_ANY' or "
                    + "'OR'.")
        }
        let unequal = Set(filters.filter(\.isInequality).map(\.field)).sorted()
        guard unequal.count <= inequalityFieldCountMax else {
            let names = unequal.map(\.canonicalString).joined(separator: ", ")
            throw .argument(
                "The query contains \(unequal.count) distinct inequality fields: [\(names)]. A "
                    + "query may not have more than \(inequalityFieldCountMax) distinct inequality "
                    + "fields.")
        }
        guard let filter = query.filter else { return }
        guard arrayFilterCount(filter) <= 1 else {
            throw .argument(
                "A maximum of 1 'ARRAY_CONTAINS' filter is allowed per disjunction.")
        }
        let disjunctions = disjunctionCount(filter)
        guard disjunctions <= disjunctionCountMax else {
            throw .argument(
                "Too many disjunctions after normalization. Result had \(disjunctions) "
                    + "disjunctions which is more than the maximum of \(disjunctionCountMax)")
        }
    }

    private static func check(_ bound: Bound, of query: StructuredQuery) throws(HearthError) {
        guard bound.position.count <= query.orderBys.count else {
            throw .argument("Cursor has too many values.")
        }
        for value in bound.position { try ValueRules.checkComparison(value) }
        for (value, orderBy) in zip(bound.position, query.orderBys) where orderBy.field.isDocumentID
        {
            guard case .reference = value else {
                throw .argument("Cursor __key__ value is not a document reference.")
            }
        }
    }

    /// Refuses sort fields and inequalities beside the key, because the key already decides the
    /// order.
    private static func checkKeys(_ query: StructuredQuery) throws(HearthError) {
        let filters = query.filter?.flattened ?? []
        let inequalities = filters.filter(\.isInequality).map(\.field)
        // What is compared by inequality and not ordered by comes behind the given order.
        let appended = inequalities.filter { field in
            !field.isDocumentID && !query.orderBys.contains { $0.field == field }
        }
        let last = appended.isEmpty ? query.orderBys.last : nil
        guard !query.orderBys.contains(where: { $0.field.isDocumentID && $0 != last }) else {
            throw .argument("order by clause cannot contain more fields after the key")
        }
        for (index, orderBy) in query.orderBys.enumerated()
        where query.orderBys[..<index].contains(where: { $0.field == orderBy.field }) {
            throw .argument("order by clause cannot contain duplicate fields \(orderBy.field)")
        }
        let hasKey = filters.contains {
            $0.field.isDocumentID && ($0.op == .equal || $0.op == .isIn)
        }
        guard !hasKey || inequalities.isEmpty || inequalities.contains(where: \.isDocumentID)
        else {
            throw .argument(
                "Equality on key is not allowed if there are other inequality fields and key does "
                    + "not appear in inequalities.")
        }
    }

    private static func hasOr(_ filter: Filter?) -> Bool {
        guard case .composite(let composite)? = filter else { return false }
        return composite.op == .or || composite.filters.contains { hasOr($0) }
    }

    /// How many conjunctions the filter is the disjunction of, saturated.
    private static func disjunctionCount(_ filter: Filter) -> Int {
        switch filter {
        case .unary: return 1
        case .field(let field):
            guard field.op == .isIn || field.op == .arrayContainsAny else { return 1 }
            return field.value.arrayElements?.count ?? 1
        case .composite(let composite):
            let counts = composite.filters.map(disjunctionCount)
            if composite.op == .or { return max(1, counts.reduce(0) { $0 + $1 }) }
            return counts.reduce(1) { min($0 * $1, 1_000_000) }
        }
    }

    /// The most array filters in one conjunction.
    private static func arrayFilterCount(_ filter: Filter) -> Int {
        switch filter {
        case .unary: return 0
        case .field(let field):
            return field.op == .arrayContains || field.op == .arrayContainsAny ? 1 : 0
        case .composite(let composite):
            let counts = composite.filters.map(arrayFilterCount)
            return composite.op == .or ? counts.max() ?? 0 : counts.reduce(0, +)
        }
    }
}
