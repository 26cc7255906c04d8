package import HearthModel

/// A query as a page's form describes it; see `query(_:limitMax:in:)`.
package enum QueryJSON {
    /// The query that an object describes.
    ///
    /// Shape: `{"collection" | "collectionGroup", "match", "where": [{"field", "op", "value"}], "orderBy":
    /// [{"field", "direction"}], "limit", "limitToLast", "startAt" | "startAfter", "endAt" | "endBefore"}`.
    ///
    /// - Parameters:
    ///   - json: The object; `nil` is refused as anything else that is no object.
    ///   - limitMax: The limit of a query that has none; no query may have a greater one.
    ///   - database: The database of references in the object's values.
    /// - Throws: `HearthError` `invalidArgument` if the object has another shape, or if no query
    ///   can be so.
    package static func query(
        _ json: JSONValue?, limitMax: Int, in database: DatabaseID
    ) throws(HearthError) -> Query {
        guard let json, json.members != nil else { throw .argument("A query is an object.") }
        var query = try source(json)
        query.filters = try filters(json, query, database)
        query.explicitOrderBys = try orderBys(json["orderBy"])
        query.limit = try limit(json, limitMax: limitMax)
        query.startAt = try bound(json, "startAt", "startAfter", query, database)
        query.endAt = try bound(json, "endAt", "endBefore", query, database)
        try query.validate()
        return query
    }

    private static func source(_ json: JSONValue) throws(HearthError) -> Query {
        do throws(PathError) {
            switch (json["collection"]?.string, json["collectionGroup"]?.string) {
            case (let path?, nil):
                let path = try ResourcePath(parsing: path)
                guard path.count % 2 == 1 else {
                    throw .wrongSegmentCount(path: path.string, count: path.count)
                }
                return Query(path: path)
            case (nil, let group?): return Query(collectionGroup: try PathSegment(parsing: group))
            default: break
            }
        } catch {
            throw .argument("\(error)")
        }
        throw .argument("A query names a collection, or a collectionGroup.")
    }

    private static func filters(
        _ json: JSONValue, _ query: Query, _ database: DatabaseID
    ) throws(HearthError) -> [Filter] {
        var filters: [Filter] = []
        for condition in json["where"]?.elements ?? [] {
            let name = condition["op"]?.string ?? ""
            guard let op = FieldFilter.Operator.allCases.first(where: { $0.wireName == name })
            else {
                throw .argument("There is no comparison \"\(name.prefix(40))\".")
            }
            let field = try MutationJSON.field(condition["field"])
            let value = try ValueJSON.value(condition["value"] ?? .null)
            filters.append(.field(field, op, try named(value, field, query, database)))
        }
        switch json["match"]?.string {
        case nil, "all": return filters
        case "any": return filters.isEmpty ? [] : [.or(filters)]
        default: throw .argument("\"match\" is all or any.")
        }
    }

    private static func orderBys(_ json: JSONValue?) throws(HearthError) -> [OrderBy] {
        var orderBys: [OrderBy] = []
        for key in json?.elements ?? [] {
            let direction: OrderBy.Direction
            switch key["direction"]?.string {
            case nil, "ASCENDING": direction = .ascending
            case "DESCENDING": direction = .descending
            default: throw .argument("A direction is ASCENDING or DESCENDING.")
            }
            orderBys.append(OrderBy(try MutationJSON.field(key["field"]), direction))
        }
        return orderBys
    }

    private static func limit(
        _ json: JSONValue, limitMax: Int
    ) throws(HearthError) -> Query.Limit {
        let number = json["limit"].map { $0.integer ?? 0 } ?? Int64(limitMax)
        guard number > 0 else { throw .argument("A limit is a whole number, 1 or more.") }
        let isLast = json["limitToLast"]?.boolean ?? false
        return Query.Limit(Int(min(number, Int64(limitMax))), isLast ? .last : .first)
    }

    private static func bound(
        _ json: JSONValue, _ inclusive: String, _ exclusive: String, _ query: Query,
        _ database: DatabaseID
    ) throws(HearthError) -> Bound? {
        guard let values = (json[inclusive] ?? json[exclusive])?.elements else { return nil }
        guard values.count <= query.orderBys.count else {
            throw .argument("A cursor has more values than the query has sort fields.")
        }
        var position: [Value] = []
        for (element, orderBy) in zip(values, query.orderBys) {
            let value = try ValueJSON.value(element)
            position.append(try named(value, orderBy.field, query, database))
        }
        return Bound(position, isInclusive: json[inclusive] != nil)
    }

    /// The value itself; for the document's id, which is text in a form, the document's name.
    private static func named(
        _ value: Value, _ field: FieldPath, _ query: Query, _ database: DatabaseID
    ) throws(HearthError) -> Value {
        guard field.isDocumentID else { return value }
        switch value {
        case .string(let text):
            let path = query.group == nil ? "\(query.path.string)/\(text)" : text
            return .reference(
                DocumentName(database: database, key: try MutationJSON.key(path, in: database)))
        case .array(let elements):
            var names: [Value] = []
            for element in elements { names.append(try named(element, field, query, database)) }
            return .array(names)
        case .null, .boolean, .integer, .double, .timestamp, .serverTimestamp, .bytes, .reference,
            .geoPoint, .map:
            return value
        }
    }
}
