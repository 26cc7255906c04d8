/// A condition on a document.
package indirect enum Filter: Hashable, Sendable {
    /// One field against a value.
    case field(FieldFilter)
    /// A test for null or NaN. Only the wire has these; a `Target` holds comparisons instead.
    case unary(UnaryFilter)
    /// All, or one, of several conditions.
    case composite(CompositeFilter)

    /// Shorthand for a field filter.
    ///
    /// - Parameters:
    ///   - op: The comparison.
    ///   - value: The operand.
    package static func field(_ field: FieldPath, _ op: FieldFilter.Operator, _ value: Value)
        -> Filter
    {
        .field(FieldFilter(field: field, op: op, value: value))
    }

    /// All of `filters`.
    package static func and(_ filters: [Filter]) -> Filter {
        .composite(CompositeFilter(op: .and, filters: filters))
    }

    /// At least one of `filters`.
    package static func or(_ filters: [Filter]) -> Filter {
        .composite(CompositeFilter(op: .or, filters: filters))
    }

    /// Whether a found document fulfils the condition.
    package func matches(_ document: Document, _ dialect: Dialect) -> Bool {
        switch self {
        case .field(let filter): filter.matches(document, dialect)
        case .unary(let filter): filter.matches(document)
        case .composite(let filter): filter.matches(document, dialect)
        }
    }

    /// All field filters in it, at any depth.
    package var flattened: [FieldFilter] {
        switch self {
        case .field(let filter): [filter]
        case .unary(let filter): [filter.comparison]
        case .composite(let filter): filter.filters.flatMap(\.flattened)
        }
    }
}

extension Filter {
    /// The same filter in the form that a `Target` holds: a list of conditions that must all hold.
    ///
    /// Unary tests become comparisons, a composite of a single filter becomes that filter, and an
    /// AND at the top becomes a list. So a target that goes over the wire or to disk comes back
    /// equal.
    package var conjuncts: [Filter] {
        switch self {
        case .field: [self]
        case .unary(let filter): [.field(filter.comparison)]
        case .composite(let filter) where filter.op == .and || filter.filters.count == 1:
            filter.filters.flatMap(\.conjuncts)
        case .composite(let filter):
            [.composite(CompositeFilter(op: .or, filters: filter.filters.map(\.joined)))]
        }
    }

    /// `conjuncts` as one condition.
    private var joined: Filter {
        let parts = conjuncts
        return parts.count == 1 ? parts[0] : .and(parts)
    }
}
