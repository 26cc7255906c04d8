import HearthModel

@testable import HearthBackend

/// Queries and documents by chance that often have to do with each other.
struct RandomQueries {
    private static let names = ["a", "b", "c"]

    var lottery: Lottery

    init(seed: UInt64) {
        lottery = Lottery(seed: seed)
    }

    /// A value of few, of every type that sorts among others.
    mutating func value() -> Value {
        switch lottery.number(below: 14) {
        case 0: .null
        case 1: .double(.nan)
        case 2: .boolean(lottery.number(below: 2) == 0)
        case 3: .string("\(lottery.number(below: 4))")
        case 4: .array((0..<lottery.number(below: 3)).map { .integer(Int64($0)) })
        case 5: .double(Double(lottery.number(below: 12)) / 2)
        case 6: .timestamp(Timestamp(seconds: Int64(lottery.number(below: 3)), nanoseconds: 0))
        case 7: .map(["x": .integer(Int64(lottery.number(below: 2)))])
        case 8: .bytes([UInt8(lottery.number(below: 3))])
        default: .integer(Int64(lottery.number(below: 8)))
        }
    }

    mutating func fields() -> MapValue {
        var fields = MapValue.empty
        for name in Self.names where lottery.number(below: 5) > 0 { fields[name] = value() }
        return fields
    }

    mutating func path(below count: Int) -> String {
        let number = lottery.number(below: count)
        return number.isMultiple(of: 4) ? "p/\(number % 3)/c/\(number)" : "c/\(number)"
    }

    mutating func field() -> FieldPath { FieldPath([lottery.pick(Self.names)]) }

    private mutating func name() -> Value {
        .reference(DocumentName(database: BackendSpec.database, key: key(path(below: 40))))
    }

    mutating func filter(depth: Int = 0) -> Filter {
        switch lottery.number(below: depth < 2 ? 13 : 9) {
        case 0: return .field(field(), .isIn, .array([value(), value()]))
        case 1: return .field(field(), .arrayContains, .integer(Int64(lottery.number(below: 3))))
        case 2:
            return .unary(
                UnaryFilter(
                    field: field(), op: lottery.pick([.isNull, .isNaN, .isNotNull, .isNotNaN])))
        case 3:
            return .field(
                .documentID,
                lottery.pick([.equal, .greaterThan, .greaterThanOrEqual, .lessThanOrEqual]), name())
        case 4: return .field(field(), lottery.pick([.notEqual, .equal]), value())
        case 5: return .field(field(), .isNotIn, .array([value(), value()]))
        case 9, 10: return .and([filter(depth: depth + 1), filter(depth: depth + 1)])
        case 11, 12: return .or([filter(depth: depth + 1), filter(depth: depth + 1)])
        default:
            return .field(
                field(),
                lottery.pick([.lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual]),
                value())
        }
    }

    /// A query that may be refused.
    mutating func query() -> StructuredQuery {
        let isGroup = lottery.number(below: 3) == 0
        var query = StructuredQuery(
            parent: .root, source: .init(collectionID: "c", allDescendants: isGroup))
        if lottery.number(below: 5) > 0 { query.filter = filter() }
        for name in Self.names where lottery.number(below: 4) == 0 {
            query.orderBys.append(
                OrderBy(FieldPath([name]), lottery.pick([.ascending, .descending])))
        }
        if lottery.number(below: 4) == 0 {
            query.orderBys.append(OrderBy(.documentID, lottery.pick([.ascending, .descending])))
        }
        if lottery.number(below: 2) == 0 { query.limit = lottery.number(below: 6) }
        guard let first = query.orderBys.first else { return query }
        if lottery.number(below: 3) == 0 { query.startAt = bound(first) }
        if lottery.number(below: 3) == 0 { query.endAt = bound(first) }
        return query
    }

    private mutating func bound(_ orderBy: OrderBy) -> Bound {
        Bound(
            [orderBy.field.isDocumentID ? name() : value()],
            isInclusive: lottery.number(below: 2) == 0)
    }

    /// A query that is allowed.
    mutating func plan() -> QueryPlan {
        while true {
            if let plan = try? QueryPlan(query(), in: BackendSpec.database) { return plan }
        }
    }
}
