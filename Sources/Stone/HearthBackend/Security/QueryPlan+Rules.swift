import HearthModel
import HearthRules

/// Queries as rules see them.
extension QueryPlan {
    /// One query for each conjunction of the filter.
    ///
    /// Together these queries find the documents that the whole query finds.
    ///
    /// There are at most as many queries as a query may have disjunctions.
    var ruleQueries: [RuleQuery] {
        let scope: RuleQuery.Scope
        switch self.scope {
        case .collection(let path): scope = .collection(path)
        case .group(let id, let path): scope = .group(id, below: path)
        case .children(let path), .everything(let path): scope = .everything(below: path)
        }
        return (filter?.conjunctions ?? [[]]).map { filters in
            RuleQuery(
                scope: scope, filters: filters, limit: query.limit, offset: query.offset,
                orderBys: query.orderBys)
        }
    }
}

extension Filter {
    /// Lists of comparisons: every match fulfils all comparisons of at least one list.
    fileprivate var conjunctions: [[FieldFilter]] {
        switch self {
        case .unary(let filter): return [[filter.comparison]]
        case .field(let filter):
            guard filter.op == .isIn || filter.op == .arrayContainsAny,
                let values = filter.value.arrayElements
            else { return [[filter.provable]] }
            let op: FieldFilter.Operator = filter.op == .isIn ? .equal : .arrayContains
            return values.map {
                [FieldFilter(field: filter.field, op: op, value: $0).provable]
            }
        case .composite(let composite):
            let parts = composite.filters.map(\.conjunctions)
            if composite.op == .or { return parts.flatMap(\.self) }
            return parts.reduce([[]]) { known, part in
                known.flatMap { left in part.map { left + $0 } }
            }
        }
    }
}

extension FieldFilter {
    /// The same, but a comparison with null or NaN, which finds nothing, looks unlike the test for
    /// null or NaN.
    fileprivate var provable: FieldFilter {
        guard op == .equal, value.isNull || value.isNaN else { return self }
        return FieldFilter(field: field, op: .isIn, value: .array([value]))
    }
}
