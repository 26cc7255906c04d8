import HearthModel

/// What a query demands of each of its results.
enum Demand: Hashable, Sendable {
    /// Nothing that could be looked up.
    case nothing
    /// The name.
    case name(DocumentKey)
    /// The value of a field.
    case value(FieldPath, EquivalentValue)
    /// An element of a field.
    case element(FieldPath, EquivalentValue)
    /// A value of a field, or a name, that lies in a stretch.
    case range(FieldPath, ValueRange)

    /// The subject of a demand.
    enum Subject: Hashable, Sendable {
        case nothing
        case name
        case value(FieldPath)
        case element(FieldPath)
    }

    /// The subject under which the demand is found; `nil` for a stretch, which is not equal to any
    /// value.
    var subject: Subject? {
        switch self {
        case .nothing: .nothing
        case .name: .name
        case .value(let field, _): .value(field)
        case .element(let field, _): .element(field)
        case .range: nil
        }
    }

    /// The ways to find a query, the likely narrowest first.
    ///
    /// Every result of the query meets at least one demand of each way. A way without demands has
    /// no results.
    ///
    /// - Parameter reach: The values of the first sort key that can concern the watchers.
    static func ways(of plan: QueryPlan, reach: ValueRange? = nil) -> [[Demand]] {
        var ranges = FieldRanges(of: plan.conjuncts)
        for orderBy in plan.orderBys where !orderBy.field.isDocumentID {
            ranges.clamp(orderBy.field, to: .everything)  // It must exist.
        }
        if let first = plan.orderBys.first {
            if let start = plan.query.startAt {
                ranges.clamp(first.field, to: ValueRange(start, of: first, isStart: true))
            }
            if let end = plan.query.endAt {
                ranges.clamp(first.field, to: ValueRange(end, of: first, isStart: false))
            }
            ranges.clamp(first.field, to: reach)
        }
        return exactWays(of: plan.conjuncts) + ranges.ways
    }

    /// The ways by values, elements and names, and by what each part of a disjunction demands.
    private static func exactWays(of conjuncts: [Filter]) -> [[Demand]] {
        conjuncts.compactMap { filter in
            switch filter {
            case .composite(let composite): way(of: composite)
            case .unary(let unary):
                switch unary.op {
                case .isNull: [.value(unary.field, EquivalentValue(.null))]
                case .isNaN: [.value(unary.field, EquivalentValue(.double(.nan)))]
                case .isNotNull, .isNotNaN: nil
                }
            case .field(let field): way(of: field)
            }
        }
    }

    /// What finds the results of each part of a disjunction; `nil` if a part demands nothing.
    private static func way(of composite: CompositeFilter) -> [Demand]? {
        var demands: Set<Demand> = []
        for part in composite.filters {
            let conjuncts = QueryPlan.conjuncts(part)
            let ways = exactWays(of: conjuncts) + FieldRanges(of: conjuncts).ways
            guard let first = ways.first else { return nil }
            demands.formUnion(first)
        }
        return Array(demands)
    }

    private static func way(of filter: FieldFilter) -> [Demand]? {
        let values: [Value]
        switch filter.op {
        case .equal, .arrayContains: values = [filter.value]
        case .isIn, .arrayContainsAny: values = filter.value.arrayElements ?? []
        case .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual, .notEqual, .isNotIn:
            return nil
        }
        let isElement = filter.op == .arrayContains || filter.op == .arrayContainsAny
        var demands: Set<Demand> = []
        for value in values {
            if filter.field.isDocumentID {
                guard case .reference(let name) = value, let key = name.key else { continue }
                demands.insert(.name(key))
            } else if isElement {
                demands.insert(.element(filter.field, EquivalentValue(value)))
            } else {
                demands.insert(.value(filter.field, EquivalentValue(value)))
            }
        }
        return demands.isEmpty ? nil : Array(demands)
    }
}

/// The stretches of fields that a conjunction demands.
private struct FieldRanges {
    private var ranges: [(field: FieldPath, range: ValueRange)] = []

    init(of conjuncts: [Filter]) {
        for filter in conjuncts {
            switch filter {
            case .field(let field): clamp(field.field, to: ValueRange(field, .backend))
            case .unary(let unary):
                if unary.op == .isNotNull || unary.op == .isNotNaN {
                    clamp(unary.field, to: .notNull)
                }
            case .composite: break
            }
        }
    }

    mutating func clamp(_ field: FieldPath, to range: ValueRange?) {
        guard let range else { return }
        if let place = ranges.firstIndex(where: { $0.field == field }) {
            ranges[place].range = ranges[place].range.clamped(to: range)
        } else {
            ranges.append((field, range))
        }
    }

    /// One way for each field, the shortest stretches first as far as can be told.
    var ways: [[Demand]] {
        ranges.sorted { $0.range.valueCount > $1.range.valueCount }.map { field, range in
            range.isEmpty ? [] : [.range(field, range)]
        }
    }
}

extension Demand.Subject {
    /// The demands that a document meets before or after a change.
    func demands(metBy change: DocumentChange) -> Set<Demand> {
        switch self {
        case .nothing: return [.nothing]
        case .name: return [.name(change.key)]
        case .value(let field):
            let values = [change.old, change.new].compactMap { $0[field] }
            return Set(values.map { .value(field, EquivalentValue($0)) })
        case .element(let field):
            let elements = [change.old, change.new].flatMap { $0[field]?.arrayElements ?? [] }
            return Set(elements.map { .element(field, EquivalentValue($0)) })
        }
    }
}
