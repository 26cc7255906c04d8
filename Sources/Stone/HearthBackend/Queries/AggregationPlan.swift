package import HearthModel

extension Aggregation {
    /// The field that is looked at.
    var field: FieldPath? {
        switch operation {
        case .count: nil
        case .sum(let field), .average(let field): field
        }
    }
}

/// Aggregations that have been checked and named.
package struct AggregationPlan: Sendable {
    /// The most aggregations of one query.
    package static let countMax = 5

    /// What is computed over which query.
    package let query: QueryPlan
    /// What is computed, each under a name of its own.
    package let aggregations: [Aggregation]

    /// The fields that every document must have to count.
    package var fields: [FieldPath] { aggregations.compactMap(\.field) }

    /// Names the aggregations without a name `field_1`, `field_2` and so on.
    ///
    /// - Throws: `HearthError` `invalidArgument` in the backend's own words.
    package init(_ aggregations: [Aggregation], over query: QueryPlan) throws(HearthError) {
        if aggregations.isEmpty { throw .argument("Aggregations can not be empty.") }
        guard aggregations.count <= Self.countMax else {
            throw .argument(
                "The maximum number of aggregations allowed in an aggregation query is "
                    + "\(Self.countMax). Received: \(aggregations.count).")
        }
        var named: [Aggregation] = []
        var unnamed = 0
        for aggregation in aggregations {
            try Self.check(aggregation)
            if aggregation.alias.isEmpty { unnamed += 1 }
            let alias = aggregation.alias.isEmpty ? "field_\(unnamed)" : aggregation.alias
            if named.contains(where: { utf8Equals($0.alias, alias) }) {
                throw .argument("Aggregation aliases contain duplicate alias: \(alias).")
            }
            named.append(Aggregation(alias: alias, operation: aggregation.operation))
        }
        let fields = named.compactMap(\.field)
        try Self.checkIndex(of: fields, for: query)
        self.aggregations = named
        self.query = query.indexed(by: fields)
    }

    /// Refuses numbers that need an index with a field behind the name, because there is no such index.
    ///
    /// The name orders the index if the query orders by the name or compares the name by inequality. A
    /// field whose values the filter lists needs no place in that order.
    private static func checkIndex(
        of fields: [FieldPath], for plan: QueryPlan
    ) throws(HearthError) {
        let filters = plan.filter?.flattened ?? []
        let isOrdered =
            plan.query.orderBys.contains(where: \.field.isDocumentID)
            || filters.contains { $0.field.isDocumentID && $0.isInequality }
        guard isOrdered else { return }
        let fixed = (plan.filter?.conjuncts ?? []).compactMap(Self.fixedField)
        let missing = Set(fields).subtracting(plan.orderBys.map(\.field)).subtracting(fixed)
            .sorted()
        guard missing.isEmpty else {
            let names = missing.map(\.canonicalString).joined(separator: ", ")
            throw .argument(
                "This query requires an index that has fields [\(names)] after __name__ and "
                    + "Firestore does not currently support such an index. Please try the query "
                    + "again with additional ordering on those fields.")
        }
    }

    /// The field that has one of the filter's own values in every result.
    private static func fixedField(_ filter: Filter) -> FieldPath? {
        guard case .field(let filter) = filter, filter.op == .equal || filter.op == .isIn else {
            return nil
        }
        return filter.field
    }

    private static func check(_ aggregation: Aggregation) throws(HearthError) {
        if NameRules.isReserved(aggregation.alias) {
            throw .argument("The property.name \"\(aggregation.alias)\" is reserved.")
        }
        if aggregation.field?.isDocumentID ?? false {
            throw .argument("Aggregations are not supported for the property: __key__")
        }
        if case .count(let most?) = aggregation.operation, most < 0 {
            throw .argument(
                "The `up_to` value in a COUNT aggregation must be greater than or equal to zero.")
        }
    }
}

extension ReadView {
    /// Computes aggregations. Documents that lack a field of any sum or mean count nowhere.
    package func run(_ plan: AggregationPlan) -> MapValue {
        let (offset, limit) = (plan.query.query.offset, plan.query.query.limit)
        var documents = matches(
            plan.query, wanted: limit.map { $0 + offset }, plan.query.requiring(plan.fields))[...]
        documents = documents.dropFirst(offset)
        if let limit { documents = documents.prefix(limit) }
        return MapValue(
            plan.aggregations.map { ($0.alias, Self.result(of: $0.operation, documents)) })
    }

    private static func result(
        of operation: Aggregation.Operation, _ documents: ArraySlice<Document>
    ) -> Value {
        switch operation {
        case .count(let most):
            return .integer(min(Int64(documents.count), most ?? .max))
        case .sum(let field):
            return NumberSum(of: documents.lazy.compactMap { $0[field] }).value
        case .average(let field):
            return NumberSum(of: documents.lazy.compactMap { $0[field] }).mean
        }
    }
}
