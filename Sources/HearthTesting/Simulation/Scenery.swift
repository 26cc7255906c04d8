import HearthModel

/// The few documents, queries and writes that simulations are made of; few, so that they meet.
enum Scenery {
    /// Every document there can be.
    static let keys: [DocumentKey] = ["a", "b", "c", "d", "e", "f"].flatMap { name in
        ["rooms/\(name)", "rooms/a/items/\(name)"].compactMap { path in
            (try? ResourcePath(parsing: path)).flatMap { DocumentKey($0) }
        }
    }

    private static let size = FieldPath(["size"])
    private static let tags = FieldPath(["tags"])

    /// Any query.
    static func query<R: RandomNumberGenerator>(using random: inout R) -> Query {
        var query: Query
        switch Int.random(in: 0..<10, using: &random) {
        case 0, 1: return Query(document: keys.randomElement(using: &random) ?? keys[0])
        case 2: query = Query(collectionGroup: "items")
        case 3: query = Query(path: ResourcePath(["rooms", "a", "items"]))
        default: query = Query(path: ResourcePath(["rooms"]))
        }
        switch Int.random(in: 0..<6, using: &random) {
        case 0: query.filters = [.field(size, .greaterThanOrEqual, number(using: &random))]
        case 1: query.filters = [.field(size, .equal, number(using: &random))]
        case 2: query.filters = [.field(tags, .arrayContains, tag(using: &random))]
        case 3:
            query.filters = [
                .or([
                    .field(size, .lessThan, number(using: &random)),
                    .field(tags, .arrayContains, tag(using: &random)),
                ])
            ]
        default: break
        }
        if Bool.random(using: &random), query.filters.count != 1 || query.inequalityFields == [size]
        {
            query.explicitOrderBys = [
                OrderBy(size, Bool.random(using: &random) ? .ascending : .descending)
            ]
        }
        if Int.random(in: 0..<3, using: &random) == 0 {
            let isLast = !query.explicitOrderBys.isEmpty && Bool.random(using: &random)
            query.limit = .init(Int.random(in: 1...3, using: &random), isLast ? .last : .first)
        }
        return query
    }

    /// Any write to one of some documents.
    static func mutation<R: RandomNumberGenerator>(
        of keys: [DocumentKey], using random: inout R
    ) -> Mutation {
        guard let key = keys.randomElement(using: &random) else {
            preconditionFailure("A writer has at least one document")
        }
        let fields = MapValue([
            ("size", number(using: &random)), ("tags", .array([tag(using: &random)])),
        ])
        switch Int.random(in: 0..<10, using: &random) {
        case 0, 1, 2:
            return Mutation(key: key, kind: .set(fields))
        case 3, 4:
            return Mutation(key: key, kind: .delete)
        case 5, 6:
            let values = MapValue([("size", number(using: &random))])
            return Mutation(
                key: key, kind: .patch(values, FieldMask([size])), precondition: .exists(true))
        case 7:
            let values = MapValue([("size", number(using: &random))])
            return Mutation(key: key, kind: .patch(values, FieldMask([size])))
        case 8:
            return Mutation(
                key: key, kind: .patch(.empty, .empty),
                transforms: [FieldTransform(field: size, operation: .increment(.integer(1)))])
        default:
            let union = FieldTransform.Operation.arrayUnion([tag(using: &random)])
            let time = FieldTransform(field: FieldPath(["at"]), operation: .serverTimestamp)
            return Mutation(
                key: key, kind: .patch(.empty, .empty),
                transforms: [FieldTransform(field: tags, operation: union), time])
        }
    }

    /// What a query must show, computed without any of the engine.
    static func results(of query: Query, among documents: [Document]) -> [Document] {
        let order = query.order
        let matching = documents.filter { query.matches($0) }.sorted { order.compare($0, $1) < 0 }
        guard let limit = query.limit else { return matching }
        return Array(
            limit.end == .first ? matching.prefix(limit.count) : matching.suffix(limit.count))
    }

    private static func number<R: RandomNumberGenerator>(using random: inout R) -> Value {
        .integer(Int64.random(in: 0..<5, using: &random))
    }

    private static func tag<R: RandomNumberGenerator>(using random: inout R) -> Value {
        .string(["x", "y", "z"].randomElement(using: &random) ?? "x")
    }
}
