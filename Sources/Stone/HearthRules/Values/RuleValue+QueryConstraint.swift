import HearthModel

/// What the comparisons of a query prove of a field. Everything else is unknown: neither true nor
/// false.
extension Array where Element == FieldFilter {
    /// Whether no result's field can have a value.
    func exclude(_ value: RuleValue) -> Bool {
        guard let value = value.stored else { return false }
        return contains { filter in
            switch filter.op {
            case .notEqual: value.isNull || filter.value.isEquivalent(to: value)
            case .isNotIn:
                value.isNull
                    || filter.value.arrayElements?.contains { $0.isEquivalent(to: value) } ?? false
            case .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual:
                !filter.matches(value, .backend)
            case .arrayContains, .arrayContainsAny: value.arrayElements == nil
            case .equal, .isIn: false
            }
        }
    }

    /// Whether every result's field compares with a value as asked.
    func prove(_ op: Expression.Operator, _ value: RuleValue) -> Bool {
        guard let value = value.stored else { return false }
        return contains { filter in
            guard filter.value.typeOrder == value.typeOrder else { return false }
            let order = filter.value.compare(to: value)
            return switch (op, filter.op) {
            case (.less, .lessThan), (.lessOrEqual, .lessThan), (.lessOrEqual, .lessThanOrEqual):
                order <= 0
            case (.less, .lessThanOrEqual): order < 0
            case (.greater, .greaterThan), (.greaterOrEqual, .greaterThan),
                (.greaterOrEqual, .greaterThanOrEqual):
                order >= 0
            case (.greater, .greaterThanOrEqual): order > 0
            default: false
            }
        }
    }

    /// The elements that every result's array holds.
    var heldElements: [RuleValue] {
        compactMap { $0.op == .arrayContains ? RuleValue($0.value) : nil }
    }
}

extension RuleValue {
    /// The document that stands for every result of a query: what its filters tell, and no more.
    init(resultOf query: RuleQuery) {
        self = .map(RuleMap([("data", .map(Self.fields(of: query)))], isOpen: true))
    }

    private static func fields(of query: RuleQuery) -> RuleMap {
        let filters = query.filters.filter { !$0.field.isDocumentID }
        return fields(filters.map { ($0.field.segments[...], $0) })
    }

    private static func fields(
        _ filters: [(path: ArraySlice<String>, filter: FieldFilter)]
    ) -> RuleMap {
        var names: [UTF8Text] = []
        for (path, _) in filters {
            guard let first = path.first, !names.contains(UTF8Text(first)) else { continue }
            names.append(UTF8Text(first))
        }
        let entries = names.map { name in
            let concerned = filters.filter { $0.path.first.map(UTF8Text.init) == name }
            return (name.string, field(concerned.map { ($0.path.dropFirst(), $0.filter) }))
        }
        return RuleMap(entries, isOpen: true)
    }

    private static func field(
        _ filters: [(path: ArraySlice<String>, filter: FieldFilter)]
    ) -> RuleValue {
        let own = filters.filter { $0.path.isEmpty }.map(\.filter)
        if let equal = own.first(where: { $0.op == .equal }) { return RuleValue(equal.value) }
        let nested = filters.filter { !$0.path.isEmpty }
        return own.isEmpty ? .map(fields(nested)) : .constraint(own)
    }
}
