import HearthModel

/// What the comparisons of a query prove of a field. Everything else is unknown: neither true nor
/// false.
extension Array where Element == FieldFilter {
    /// Whether no result's field can have a value.
    ///
    /// - Parameter ofAnyType: Whether a comparison also excludes the values of other types. As in
    ///   Google's emulator, that proves no `!=`.
    func exclude(_ value: RuleValue, ofAnyType: Bool = false) -> Bool {
        let hasOrder = value.order(value) != nil
        return contains { filter in
            if case .null = value { return !filter.isNullTest }
            guard let value = value.stored else { return false }
            let isOfType = ofAnyType || filter.value.typeOrder == value.typeOrder
            return switch filter.op {
            case .notEqual:
                (ofAnyType || filter.value.tells(of: value)) && filter.value.isEquivalent(to: value)
            case .isNotIn:
                filter.value.arrayElements?.contains {
                    (ofAnyType || $0.tells(of: value)) && $0.isEquivalent(to: value)
                } ?? false
            case .equal: isOfType && !filter.matches(value, .backend)
            case .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual:
                (ofAnyType || hasOrder && filter.value.tells(of: value))
                    && !filter.matches(value, .backend)
            case .arrayContains, .arrayContainsAny: ofAnyType && value.arrayElements == nil
            case .isIn: false
            }
        }
    }

    /// Whether every result's field compares with a value as asked.
    func prove(_ op: Expression.Operator, _ value: RuleValue) -> Bool {
        // What has no order in rules is compared by a query alone.
        guard value.order(value) != nil, let value = value.stored, !value.isNaN else {
            return false
        }
        return contains { filter in
            guard filter.value.tells(of: value), !filter.value.isNaN else { return false }
            let order = filter.value.compare(to: value)
            return switch (op, filter.op) {
            case (.less, .lessThan), (.lessOrEqual, .lessThan), (.lessOrEqual, .lessThanOrEqual),
                (.lessOrEqual, .equal):
                order <= 0
            case (.less, .lessThanOrEqual), (.less, .equal): order < 0
            case (.greater, .greaterThan), (.greaterOrEqual, .greaterThan),
                (.greaterOrEqual, .greaterThanOrEqual), (.greaterOrEqual, .equal):
                order >= 0
            case (.greater, .greaterThanOrEqual), (.greater, .equal): order > 0
            default: false
            }
        }
    }

    /// Whether every result's field equals a value.
    func prove(equal value: RuleValue, _ work: inout Int) throws(EvaluationError) -> Bool {
        for filter in self where filter.op == .equal {
            if case .integer = value, filter.value.isDouble { continue }
            if try RuleValue(filter.value).equals(value, &work) { return true }
        }
        return false
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

    /// A field by its own filters and the filters of the fields in it.
    ///
    /// A value is known only if nothing else is asked of the field, as in Google's emulator.
    private static func field(
        _ filters: [(path: ArraySlice<String>, filter: FieldFilter)]
    ) -> RuleValue {
        var known: Set<FieldFilter> = []
        let own = filters.filter { $0.path.isEmpty && known.insert($0.filter).inserted }
            .map(\.filter)
        let nested = filters.filter { !$0.path.isEmpty }
        if own.count == 1, own[0].op == .equal, nested.isEmpty || own[0].value.isMap {
            return RuleValue(own[0].value)
        }
        return nested.isEmpty ? .constraint(own) : .map(fields(nested))
    }
}

extension FieldFilter {
    /// Whether this is a test for null, which alone finds null.
    fileprivate var isNullTest: Bool { op == .equal && value.isNull }
}

extension Value {
    /// Whether a comparison with this value proves something of another.
    ///
    /// The values have one type; as in Google's emulator, a float proves nothing of a whole number.
    fileprivate func tells(of value: Value) -> Bool {
        if case .integer = value, isDouble { return false }
        return typeOrder == value.typeOrder
    }

    fileprivate var isMap: Bool {
        if case .map = self { return true }
        return false
    }
}
