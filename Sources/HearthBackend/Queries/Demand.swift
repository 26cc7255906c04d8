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

    /// What is demanded something of.
    enum Subject: Hashable, Sendable {
        case nothing
        case name
        case value(FieldPath)
        case element(FieldPath)
    }

    var subject: Subject {
        switch self {
        case .nothing: .nothing
        case .name: .name
        case .value(let field, _): .value(field)
        case .element(let field, _): .element(field)
        }
    }

    /// The ways to find a query: of each, every result meets at least one demand.
    static func all(of plan: QueryPlan) -> [[Demand]] {
        plan.conjuncts.compactMap { filter in
            switch filter {
            case .composite: nil
            case .unary(let unary):
                switch unary.op {
                case .isNull: [.value(unary.field, EquivalentValue(.null))]
                case .isNaN: [.value(unary.field, EquivalentValue(.double(.nan)))]
                case .isNotNull, .isNotNaN: nil
                }
            case .field(let field): all(of: field)
            }
        }
    }

    private static func all(of filter: FieldFilter) -> [Demand]? {
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
