import HearthModel

/// The ways to find a query's results.
extension QueryPlan {
    /// The most indexes that the table makes for one query.
    private static let wishedCountMax = 8

    /// Where the query's indexes look; `nil` if it asks collections of many ids.
    var space: IndexTable.Space? {
        switch scope {
        case .collection(let path): .collection(path)
        case .group(let id, _): .group(UTF8Text(id))
        case .children, .everything: nil
        }
    }

    /// The conditions that must all hold.
    var conjuncts: [Filter] { filter.map(Self.conjuncts) ?? [] }

    /// The indexes that would make the query quick.
    var wishedIndexes: [FieldIndex.Name] {
        var names: [FieldIndex.Name] = []
        for filter in filter?.leaves ?? [] {
            guard let name = filter.wishedIndex, !names.contains(name) else { continue }
            names.append(name)
        }
        if let field = orderBys.first?.field, !field.isDocumentID {
            let name = FieldIndex.Name(field: field, mode: .value)
            if !names.contains(name) { names.append(name) }
        }
        return Array(names.prefix(Self.wishedCountMax))
    }

    static func conjuncts(_ filter: Filter) -> [Filter] {
        guard case .composite(let composite) = filter, composite.op == .and else {
            return [filter]
        }
        return composite.filters.flatMap(conjuncts)
    }
}

extension Filter {
    /// The conditions on single fields, at any depth.
    var leaves: [Filter] {
        guard case .composite(let composite) = self else { return [self] }
        return composite.filters.flatMap(\.leaves)
    }

    fileprivate var wishedIndex: FieldIndex.Name? {
        switch self {
        case .composite: return nil
        case .unary(let unary):
            switch unary.op {
            case .isNull, .isNaN: return .init(field: unary.field, mode: .value)
            case .isNotNull, .isNotNaN: return nil
            }
        case .field(let field):
            if field.field.isDocumentID { return nil }
            switch field.op {
            case .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual, .equal, .isIn:
                return .init(field: field.field, mode: .value)
            case .arrayContains, .arrayContainsAny:
                return .init(field: field.field, mode: .elements)
            case .notEqual, .isNotIn: return nil
            }
        }
    }
}
