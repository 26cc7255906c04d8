package import HearthModel
import SwiftProtobuf

extension RequestReader {
    /// Reads the id of a collection; `nil` for an empty id, which means all collections.
    package static func collection(_ id: String) throws(HearthError) -> PathSegment? {
        if id.isEmpty { return nil }
        do throws(PathError) {
            return try PathSegment(parsing: id)
        } catch {
            throw .argument("Collection id \"\(id)\" is invalid because it contains \"/\".")
        }
    }

    /// Reads a query below a parent.
    package func query(
        _ proto: ProtoStructuredQuery, parent: ResourcePath
    ) throws(HearthError) -> StructuredQuery {
        guard proto.from.count <= 1 else {
            throw .argument("StructuredQuery.from cannot have more than one collection selector.")
        }
        var query = StructuredQuery(parent: parent, source: nil)
        if let selector = proto.from.first {
            query.source = StructuredQuery.Source(
                collectionID: try Self.collection(selector.collectionID),
                allDescendants: selector.allDescendants)
        }
        if proto.hasSelect, !proto.select.fields.isEmpty {
            query.projection = try Self.fieldPaths(proto.select.fields.map(\.fieldPath))
        }
        if proto.hasWhere { query.filter = try filter(proto.where) }
        for order in proto.orderBy { query.orderBys.append(try Self.orderBy(order)) }
        if proto.hasStartAt {
            query.startAt = Bound(
                try values(proto.startAt.values), isInclusive: proto.startAt.before)
        }
        if proto.hasEndAt {
            query.endAt = Bound(try values(proto.endAt.values), isInclusive: !proto.endAt.before)
        }
        query.offset = Int(proto.offset)
        if proto.hasLimit { query.limit = Int(proto.limit.value) }
        return query
    }

    /// Reads aggregations.
    package static func aggregations(
        _ protos: [ProtoStructuredAggregationQuery.Aggregation]
    ) throws(HearthError) -> [Aggregation] {
        var result: [Aggregation] = []
        for proto in protos {
            let operation: Aggregation.Operation
            switch proto.operator {
            case .count(let count):
                operation = .count(upTo: count.hasUpTo ? count.upTo.value : nil)
            case .sum(let sum): operation = .sum(try fieldPath(sum.field.fieldPath))
            case .avg(let average): operation = .average(try fieldPath(average.field.fieldPath))
            case nil: throw .argument("An aggregation needs an operator.")
            }
            result.append(Aggregation(alias: proto.alias, operation: operation))
        }
        return result
    }

    /// Reads the text of ListDocuments' order, such as `x desc, __name__`; none if it is empty.
    package static func orderBys(_ text: String) throws(HearthError) -> [OrderBy] {
        if text.isEmpty { return [] }
        var result: [OrderBy] = []
        for part in text.utf8Parts(",") {
            let words = part.utf8Parts(" ").filter { !$0.isEmpty }
            guard let field = words.first, words.count <= 2 else {
                throw .argument("Invalid order by clause \"\(text)\".")
            }
            let direction: OrderBy.Direction
            switch words.dropFirst().first?.lowercased() {
            case nil, "asc": direction = .ascending
            case "desc": direction = .descending
            default: throw .argument("Invalid order by clause \"\(text)\".")
            }
            result.append(OrderBy(try fieldPath(String(field)), direction))
        }
        return result
    }
}

extension RequestReader {
    private func filter(_ proto: ProtoStructuredQuery.Filter) throws(HearthError) -> Filter {
        switch proto.filterType {
        case .fieldFilter(let filter):
            let field = try Self.fieldPath(filter.field.fieldPath)
            let op = try Self.comparison(filter.op)
            return .field(field, op, try value(filter.value))
        case .unaryFilter(let filter):
            let field = try Self.fieldPath(filter.field.fieldPath)
            return .unary(UnaryFilter(field: field, op: try Self.test(filter.op)))
        case .compositeFilter(let filter):
            var children: [Filter] = []
            for child in filter.filters { children.append(try self.filter(child)) }
            switch filter.op {
            case .and: return .and(children)
            case .or: return .or(children)
            case .unspecified, .UNRECOGNIZED:
                throw .argument("Unsupported CompositeFilter operator.")
            }
        case nil:
            throw .argument("Unknown Filter type.")
        }
    }

    private static func comparison(
        _ op: ProtoStructuredQuery.FieldFilter.Operator
    ) throws(HearthError) -> FieldFilter.Operator {
        guard let known = FieldFilter.Operator(op) else {
            throw .argument("Unknown FieldFilter operator.")
        }
        return known
    }

    private static func test(
        _ op: ProtoStructuredQuery.UnaryFilter.Operator
    ) throws(HearthError) -> UnaryFilter.Operator {
        guard let known = UnaryFilter.Operator(op) else {
            throw .argument("Unknown UnaryFilter operator.")
        }
        return known
    }

    private static func orderBy(
        _ proto: ProtoStructuredQuery.Order
    ) throws(HearthError) -> OrderBy {
        let field = try fieldPath(proto.field.fieldPath)
        return OrderBy(field, proto.direction == .descending ? .descending : .ascending)
    }
}
