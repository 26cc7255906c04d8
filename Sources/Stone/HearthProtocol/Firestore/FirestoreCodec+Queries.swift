package import HearthModel
import SwiftProtobuf

extension FirestoreCodec {
    /// The message of a query. Its parent travels beside it: `name(of: query.parent)`.
    ///
    /// - Throws: `CodecError` for a value in the query that no message can hold.
    package func encode(_ query: StructuredQuery) throws(CodecError) -> ProtoStructuredQuery {
        var proto = ProtoStructuredQuery()
        if let source = query.source { proto.from = [Self.encode(source)] }
        if let projection = query.projection {
            var select = ProtoStructuredQuery.Projection()
            select.fields = projection.map(Self.reference)
            proto.select = select
        }
        if let filter = query.filter { proto.where = try encode(filter) }
        proto.orderBy = query.orderBys.map(Self.encode)
        if let limit = query.limit {
            proto.limit = Google_Protobuf_Int32Value(Int32(clamping: limit))
        }
        proto.offset = Int32(clamping: query.offset)
        if let start = query.startAt {
            proto.startAt = try encode(start, before: start.isInclusive)
        }
        if let end = query.endAt {
            proto.endAt = try encode(end, before: !end.isInclusive)
        }
        return proto
    }

    /// Reads a query below a parent.
    ///
    /// - Throws: `unsupported` for what HearthModel's query cannot hold: more than one selector, and
    ///   nearest neighbours.
    package func decode(
        _ proto: ProtoStructuredQuery, parent: ResourcePath
    ) throws(CodecError) -> StructuredQuery {
        guard proto.from.count <= 1 else {
            throw CodecError(.unsupported(reason: "a query asks one collection"), at: "from")
        }
        guard !proto.hasFindNearest else {
            throw CodecError(
                .unsupported(reason: "nearest neighbours are not a part of queries here"),
                at: "find_nearest")
        }
        var query = StructuredQuery(parent: parent, source: nil)
        if let selector = proto.from.first {
            query.source = try at("from.collection_id", Self.decode(selector))
        }
        if proto.hasSelect, !proto.select.fields.isEmpty {
            query.projection = try Self.each("select.fields", proto.select.fields) {
                proto throws(CodecError) in try Self.fieldPath(proto.fieldPath)
            }
        }
        if proto.hasWhere {
            query.filter = try at("where", decode(proto.where))
        }
        query.orderBys = try Self.each("order_by", proto.orderBy, Self.decode)
        try decodeBounds(of: proto, into: &query)
        query.offset = try at("offset", Self.count(proto.offset))
        if proto.hasLimit { query.limit = try at("limit", Self.count(proto.limit.value)) }
        return query
    }

    private func decodeBounds(
        of proto: ProtoStructuredQuery, into query: inout StructuredQuery
    ) throws(CodecError) {
        if proto.hasStartAt {
            let position = try at("start_at", position(of: proto.startAt))
            query.startAt = Bound(position, isInclusive: proto.startAt.before)
        }
        if proto.hasEndAt {
            let position = try at("end_at", position(of: proto.endAt))
            query.endAt = Bound(position, isInclusive: !proto.endAt.before)
        }
    }

    static func count(_ number: Int32) throws(CodecError) -> Int {
        guard number >= 0 else { throw CodecError(.outOfRange(value: "\(number)")) }
        return Int(number)
    }

    /// Translates the elements of a repeated field; an error names the field and the index.
    static func each<Source, Result>(
        _ place: String, _ sources: [Source], _ translate: (Source) throws(CodecError) -> Result
    ) throws(CodecError) -> [Result] {
        var results: [Result] = []
        results.reserveCapacity(sources.count)
        for source in sources {
            do throws(CodecError) {
                results.append(try translate(source))
            } catch {
                throw error.inside("\(place)[\(results.count)]")
            }
        }
        return results
    }
}

/// Sources, sort keys and cursors.
extension FirestoreCodec {
    private static func encode(
        _ source: StructuredQuery.Source
    ) -> ProtoStructuredQuery.CollectionSelector {
        var proto = ProtoStructuredQuery.CollectionSelector()
        proto.collectionID = source.collectionID ?? ""
        proto.allDescendants = source.allDescendants
        return proto
    }

    private static func decode(
        _ proto: ProtoStructuredQuery.CollectionSelector
    ) throws(CodecError) -> StructuredQuery.Source {
        let id = proto.collectionID
        do throws(PathError) {
            return StructuredQuery.Source(
                collectionID: id.isEmpty ? nil : try PathSegment(parsing: id),
                allDescendants: proto.allDescendants)
        } catch {
            throw CodecError(.badName(id, reason: "\(error)"))
        }
    }

    private static func encode(_ orderBy: OrderBy) -> ProtoStructuredQuery.Order {
        var proto = ProtoStructuredQuery.Order()
        proto.field = reference(to: orderBy.field)
        proto.direction = orderBy.direction == .ascending ? .ascending : .descending
        return proto
    }

    private static func decode(
        _ proto: ProtoStructuredQuery.Order
    ) throws(CodecError) -> OrderBy {
        let field = try at("field", fieldPath(proto.field.fieldPath))
        switch proto.direction {
        case .unspecified, .ascending: return OrderBy(field, .ascending)
        case .descending: return OrderBy(field, .descending)
        case .UNRECOGNIZED(let number):
            throw CodecError(.unknown(value: "\(number)"), at: "direction")
        }
    }

    private func encode(_ bound: Bound, before: Bool) throws(CodecError) -> ProtoCursor {
        var proto = ProtoCursor()
        proto.values = try encode(bound.position).values
        proto.before = before
        return proto
    }

    private func position(of proto: ProtoCursor) throws(CodecError) -> [Value] {
        try Self.each("values", proto.values) { value throws(CodecError) in
            try decode(value)
        }
    }

    static func reference(to field: FieldPath) -> ProtoStructuredQuery.FieldReference {
        var proto = ProtoStructuredQuery.FieldReference()
        proto.fieldPath = field.canonicalString
        return proto
    }
}

extension FirestoreCodec {
    /// The message of a filter.
    ///
    /// - Throws: `CodecError` for a value that no message can hold.
    package func encode(_ filter: Filter) throws(CodecError) -> ProtoStructuredQuery.Filter {
        var proto = ProtoStructuredQuery.Filter()
        switch filter {
        case .field(let filter):
            proto.fieldFilter.field = Self.reference(to: filter.field)
            proto.fieldFilter.op = Self.encode(filter.op)
            proto.fieldFilter.value = try encode(filter.value)
        case .unary(let filter):
            proto.unaryFilter.field = Self.reference(to: filter.field)
            proto.unaryFilter.op = Self.encode(filter.op)
        case .composite(let filter):
            proto.compositeFilter.op = filter.op == .and ? .and : .or
            for child in filter.filters { proto.compositeFilter.filters.append(try encode(child)) }
        }
        return proto
    }

    /// Reads a filter.
    ///
    /// - Throws: `CodecError` for an unknown operator, or a field or value that the codec cannot
    ///   read.
    package func decode(_ proto: ProtoStructuredQuery.Filter) throws(CodecError) -> Filter {
        switch proto.filterType {
        case .fieldFilter(let filter):
            let field = try at("field", Self.fieldPath(filter.field.fieldPath))
            let op = try at("op", Self.decode(filter.op))
            let value = try at("value", decode(filter.value))
            return .field(field, op, value)
        case .unaryFilter(let filter):
            let field = try at("field", Self.fieldPath(filter.field.fieldPath))
            let op = try at("op", Self.decode(filter.op))
            return .unary(UnaryFilter(field: field, op: op))
        case .compositeFilter(let filter):
            let children = try Self.each("filters", filter.filters) {
                child throws(CodecError) in try decode(child)
            }
            switch filter.op {
            case .and: return .and(children)
            case .or: return .or(children)
            case .unspecified, .UNRECOGNIZED:
                throw CodecError(.unknown(value: "\(filter.op.rawValue)"), at: "op")
            }
        case nil:
            throw CodecError(.missing, at: "filter_type")
        }
    }

    private static func encode(
        _ op: FieldFilter.Operator
    ) -> ProtoStructuredQuery.FieldFilter.Operator {
        switch op {
        case .lessThan: .lessThan
        case .lessThanOrEqual: .lessThanOrEqual
        case .greaterThan: .greaterThan
        case .greaterThanOrEqual: .greaterThanOrEqual
        case .equal: .equal
        case .notEqual: .notEqual
        case .arrayContains: .arrayContains
        case .arrayContainsAny: .arrayContainsAny
        case .isIn: .in
        case .isNotIn: .notIn
        }
    }

    private static func decode(
        _ op: ProtoStructuredQuery.FieldFilter.Operator
    ) throws(CodecError) -> FieldFilter.Operator {
        guard let known = FieldFilter.Operator(op) else {
            throw CodecError(.unknown(value: "\(op.rawValue)"))
        }
        return known
    }

    private static func encode(
        _ op: UnaryFilter.Operator
    ) -> ProtoStructuredQuery.UnaryFilter.Operator {
        switch op {
        case .isNaN: .isNan
        case .isNull: .isNull
        case .isNotNaN: .isNotNan
        case .isNotNull: .isNotNull
        }
    }

    private static func decode(
        _ op: ProtoStructuredQuery.UnaryFilter.Operator
    ) throws(CodecError) -> UnaryFilter.Operator {
        guard let known = UnaryFilter.Operator(op) else {
            throw CodecError(.unknown(value: "\(op.rawValue)"))
        }
        return known
    }
}

extension FieldFilter.Operator {
    /// The operator of a message; `nil` for one that nobody knows.
    init?(_ proto: ProtoStructuredQuery.FieldFilter.Operator) {
        switch proto {
        case .lessThan: self = .lessThan
        case .lessThanOrEqual: self = .lessThanOrEqual
        case .greaterThan: self = .greaterThan
        case .greaterThanOrEqual: self = .greaterThanOrEqual
        case .equal: self = .equal
        case .notEqual: self = .notEqual
        case .arrayContains: self = .arrayContains
        case .arrayContainsAny: self = .arrayContainsAny
        case .in: self = .isIn
        case .notIn: self = .isNotIn
        case .unspecified, .UNRECOGNIZED: return nil
        }
    }
}

extension UnaryFilter.Operator {
    /// The operator of a message; `nil` for one that nobody knows.
    init?(_ proto: ProtoStructuredQuery.UnaryFilter.Operator) {
        switch proto {
        case .isNan: self = .isNaN
        case .isNull: self = .isNull
        case .isNotNan: self = .isNotNaN
        case .isNotNull: self = .isNotNull
        case .unspecified, .UNRECOGNIZED: return nil
        }
    }
}
