import HearthModel

/// The values and queries of a bundle: proto3 JSON of `google.firestore.v1`, in both dialects.
struct BundleJSON {
    /// Why a part cannot be read.
    struct Failure: Error {
        let reason: String

        init(_ reason: String) {
            self.reason = reason
        }
    }

    let database: DatabaseID

    // MARK: Scalars

    /// A 64-bit number, which proto3 JSON writes as a string.
    static func integer(_ json: JSONValue) -> Int64? {
        switch json {
        case .integer(let number): number
        case .string(let text): Int64(text)
        case .double(let number): Int64(exactly: number)
        case .null, .boolean, .array, .object: nil
        }
    }

    /// RFC 3339, or an object of seconds and nanoseconds.
    static func timestamp(_ json: JSONValue) -> Timestamp? {
        switch json {
        case .string(let text):
            return Timestamp(text)
        case .object:
            guard let seconds = json["seconds"].map(integer) ?? 0,
                let nanoseconds = json["nanos"].map(integer) ?? 0,
                Timestamp.secondsRange.contains(seconds),
                (0..<1_000_000_000).contains(nanoseconds)
            else { return nil }
            return Timestamp(seconds: seconds, nanoseconds: Int32(nanoseconds))
        case .null, .boolean, .integer, .double, .array:
            return nil
        }
    }

    private static func double(_ json: JSONValue) -> Double? {
        switch json {
        case .string("NaN"): .nan
        case .string("Infinity"): .infinity
        case .string("-Infinity"): -.infinity
        case .string(let text): Double(text).flatMap { $0.isFinite ? $0 : nil }
        case .integer, .double: json.double
        case .null, .boolean, .array, .object: nil
        }
    }

    // MARK: Values

    /// A map of fields; absent for none.
    func fields(_ json: JSONValue?) throws(Failure) -> MapValue {
        guard let json else { return .empty }
        guard let members = json.members else { throw Failure("fields are no object") }
        var entries: [MapValue.Entry] = []
        for member in members {
            entries.append(.init(key: member.name, value: try value(member.value)))
        }
        return MapValue(entries: entries)
    }

    /// A value: an object with a single member, whose name is the value's type.
    func value(_ json: JSONValue) throws(Failure) -> Value {
        guard let members = json.members, members.count == 1, let member = members.first,
            let value = try value(type: member.name, member.value)
        else { throw Failure("a value has no type, two, or a wrong one") }
        return value
    }

    private func value(type: String, _ json: JSONValue) throws(Failure) -> Value? {
        switch type {
        case "nullValue": return .null
        case "booleanValue": return json.boolean.map { .boolean($0) }
        case "integerValue": return Self.integer(json).map { .integer($0) }
        case "doubleValue": return Self.double(json).map { .double($0) }
        case "timestampValue": return Self.timestamp(json).map { .timestamp($0) }
        case "stringValue": return json.string.map { .string($0) }
        case "bytesValue": return json.string.flatMap(Base64.decode).map { .bytes($0) }
        case "referenceValue": return json.string.flatMap(DocumentName.init).map { .reference($0) }
        case "geoPointValue": return Self.geoPoint(json).map { .geoPoint($0) }
        case "arrayValue": return .array(try elements(json["values"]))
        case "mapValue": return .map(try fields(json["fields"]))
        default: throw Failure("the type \"\(type)\" is unknown")
        }
    }

    private func elements(_ json: JSONValue?) throws(Failure) -> [Value] {
        guard let json else { return [] }
        guard let elements = json.elements else { throw Failure("values are no array") }
        var values: [Value] = []
        for element in elements { values.append(try value(element)) }
        return values
    }

    private static func geoPoint(_ json: JSONValue) -> GeoPoint? {
        guard let latitude = json["latitude"].map(double) ?? 0,
            let longitude = json["longitude"].map(double) ?? 0
        else { return nil }
        let point = GeoPoint(latitude: latitude, longitude: longitude)
        return point.isValid ? point : nil
    }

    // MARK: Queries

    /// A query below `parent`.
    func structuredQuery(_ json: JSONValue, parent: ResourcePath) throws(Failure)
        -> StructuredQuery
    {
        for name in ["select", "offset", "findNearest"] where json[name] != nil {
            throw Failure("a cached query cannot have \"\(name)\"")
        }
        guard let sources = json["from"]?.elements, sources.count == 1, let source = sources.first
        else { throw Failure("a cached query needs exactly one collection") }
        var query = StructuredQuery(
            parent: parent,
            source: .init(
                collectionID: try collection(source["collectionId"]?.string),
                allDescendants: source["allDescendants"]?.boolean ?? false))
        if let filter = json["where"] { query.filter = try self.filter(filter) }
        for orderBy in json["orderBy"]?.elements ?? [] {
            query.orderBys.append(
                OrderBy(
                    try field(orderBy),
                    orderBy["direction"]?.string == "DESCENDING" ? .descending : .ascending))
        }
        // The flag means "before the position": inclusive for a start, exclusive for an end.
        query.startAt = try json["startAt"].map { json throws(Failure) in
            Bound(try elements(json["values"]), isInclusive: json["before"]?.boolean ?? false)
        }
        query.endAt = try json["endAt"].map { json throws(Failure) in
            Bound(try elements(json["values"]), isInclusive: !(json["before"]?.boolean ?? false))
        }
        query.limit = try limit(json["limit"])
        return query
    }

    private func collection(_ id: String?) throws(Failure) -> PathSegment? {
        do throws(PathError) {
            return try id.map { text throws(PathError) in try PathSegment(parsing: text) }
        } catch {
            throw Failure("\(error)")
        }
    }

    /// A number, or one wrapped in an object.
    private func limit(_ json: JSONValue?) throws(Failure) -> Int? {
        guard let json, json != .null else { return nil }
        guard let number = Self.integer(json["value"] ?? json), number > 0,
            number <= Int64(Int32.max)
        else { throw Failure("a limit must be a positive number") }
        return Int(number)
    }

    private func field(_ json: JSONValue) throws(Failure) -> FieldPath {
        guard let text = json["field"]?["fieldPath"]?.string else { throw Failure("no field") }
        do {
            return try FieldPath(canonical: text)
        } catch {
            throw Failure("\(error)")
        }
    }

    private func filter(_ json: JSONValue) throws(Failure) -> Filter {
        if let composite = json["compositeFilter"] {
            var filters: [Filter] = []
            for child in composite["filters"]?.elements ?? [] { filters.append(try filter(child)) }
            return composite["op"]?.string == "OR" ? .or(filters) : .and(filters)
        }
        if let unary = json["unaryFilter"] {
            guard let name = unary["op"]?.string, let op = Self.unaryOperators[name] else {
                throw Failure("a test is unknown")
            }
            return .unary(UnaryFilter(field: try field(unary), op: op))
        }
        guard let comparison = json["fieldFilter"], let operand = comparison["value"],
            let name = comparison["op"]?.string, let op = Self.operators[name]
        else { throw Failure("a filter is unknown") }
        return .field(try field(comparison), op, try value(operand))
    }

    private static let unaryOperators: [String: UnaryFilter.Operator] = [
        "IS_NAN": .isNaN, "IS_NULL": .isNull, "IS_NOT_NAN": .isNotNaN, "IS_NOT_NULL": .isNotNull,
    ]

    private static let operators: [String: FieldFilter.Operator] = [
        "LESS_THAN": .lessThan, "LESS_THAN_OR_EQUAL": .lessThanOrEqual,
        "GREATER_THAN": .greaterThan, "GREATER_THAN_OR_EQUAL": .greaterThanOrEqual,
        "EQUAL": .equal, "NOT_EQUAL": .notEqual, "ARRAY_CONTAINS": .arrayContains,
        "ARRAY_CONTAINS_ANY": .arrayContainsAny, "IN": .isIn, "NOT_IN": .isNotIn,
    ]
}
