/// Values and queries of a bundle in the JSON form of `google.firestore.v1`.
struct BundleValues: Sendable {
    let database: DatabaseID

    /// The full name of a path.
    func name(_ path: ResourcePath) -> JSONValue {
        .string(DocumentName(database: database, path: path).description)
    }

    /// A map's fields.
    func fields(_ map: MapValue) -> JSONValue {
        .object(map.entries.map { JSONValue.Member(name: $0.key, value: value($0.value)) })
    }

    /// One value: an object with one member, whose name is the type.
    func value(_ value: Value) -> JSONValue {
        switch value {
        case .null: .object(["nullValue": .null])
        case .boolean(let flag): .object(["booleanValue": .boolean(flag)])
        case .integer(let number): .object(["integerValue": .string("\(number)")])
        case .double(let number): .object(["doubleValue": Self.double(number)])
        case .timestamp(let time): .object(["timestampValue": .string(time.description)])
        case .string(let text): .object(["stringValue": .string(text)])
        case .bytes(let bytes): .object(["bytesValue": .string(Base64.encode(bytes))])
        case .reference(let name): .object(["referenceValue": .string(name.description)])
        case .geoPoint(let point):
            .object([
                "geoPointValue": .object([
                    "latitude": Self.double(point.latitude),
                    "longitude": Self.double(point.longitude),
                ])
            ])
        case .array(let elements): .object(["arrayValue": values(elements)])
        case .map(let map): .object(["mapValue": .object(["fields": fields(map)])])
        case .serverTimestamp:
            preconditionFailure("A time that the backend has not set is nothing it knows")
        }
    }

    private func values(_ values: [Value]) -> JSONValue {
        .object(["values": .array(values.map { value($0) })])
    }

    private static func double(_ number: Double) -> JSONValue {
        if number.isNaN { return .string("NaN") }
        if number.isInfinite { return .string(number < 0 ? "-Infinity" : "Infinity") }
        return .double(number)
    }

    // MARK: Queries

    /// A query without its parent.
    func query(_ query: StructuredQuery) -> JSONValue {
        var members: [JSONValue.Member] = []
        func add(_ name: String, _ value: JSONValue?) {
            if let value { members.append(JSONValue.Member(name: name, value: value)) }
        }
        add("from", query.source.map { .array([source($0)]) })
        add("where", query.filter.map { filter($0) })
        if !query.orderBys.isEmpty { add("orderBy", .array(query.orderBys.map { orderBy($0) })) }
        // The flag means "before the position": inclusive for a start, exclusive for an end.
        add("startAt", query.startAt.map { cursor($0, isBefore: $0.isInclusive) })
        add("endAt", query.endAt.map { cursor($0, isBefore: !$0.isInclusive) })
        add("limit", query.limit.map { .integer(Int64($0)) })
        return .object(members)
    }

    private func source(_ source: StructuredQuery.Source) -> JSONValue {
        var members: [JSONValue.Member] = []
        if let id = source.collectionID {
            members.append(.init(name: "collectionId", value: .string(id)))
        }
        if source.allDescendants {
            members.append(.init(name: "allDescendants", value: .boolean(true)))
        }
        return .object(members)
    }

    private func cursor(_ bound: Bound, isBefore: Bool) -> JSONValue {
        .object([
            "values": .array(bound.position.map { value($0) }),
            "before": .boolean(isBefore),
        ])
    }

    private func orderBy(_ orderBy: OrderBy) -> JSONValue {
        .object([
            "field": field(orderBy.field),
            "direction": .string(orderBy.direction == .ascending ? "ASCENDING" : "DESCENDING"),
        ])
    }

    private func field(_ path: FieldPath) -> JSONValue {
        .object(["fieldPath": .string(path.description)])
    }

    private func filter(_ filter: Filter) -> JSONValue {
        switch filter {
        case .field(let comparison):
            .object([
                "fieldFilter": .object([
                    "field": field(comparison.field),
                    "op": .string(comparison.op.wireName),
                    "value": value(comparison.value),
                ])
            ])
        case .unary(let test):
            .object([
                "unaryFilter": .object([
                    "op": .string(Self.name(of: test.op)), "field": field(test.field),
                ])
            ])
        case .composite(let composite):
            .object([
                "compositeFilter": .object([
                    "op": .string(composite.op == .and ? "AND" : "OR"),
                    "filters": .array(composite.filters.map { self.filter($0) }),
                ])
            ])
        }
    }

    private static func name(of op: UnaryFilter.Operator) -> String {
        switch op {
        case .isNaN: "IS_NAN"
        case .isNull: "IS_NULL"
        case .isNotNaN: "IS_NOT_NAN"
        case .isNotNull: "IS_NOT_NULL"
        }
    }
}

extension JSONValue {
    /// An object of these members, in this order.
    static func object(_ members: KeyValuePairs<String, JSONValue>) -> JSONValue {
        .object(members.map { Member(name: $0.key, value: $0.value) })
    }
}
