import HearthModel

/// The queries of simulations, and what each must show.
extension Scenery {
    /// Any query.
    ///
    /// - Parameter isLimited: Whether it has a limit; `nil` for chance.
    static func query<R: RandomNumberGenerator>(
        isLimited: Bool? = nil, using random: inout R
    ) -> Query {
        var query: Query
        switch Int.random(in: 0..<10, using: &random) {
        case 0, 1:
            guard isLimited == true else {
                return Query(document: keys.randomElement(using: &random) ?? keys[0])
            }
            query = Query(path: ResourcePath(["rooms"]))
        case 2: query = Query(collectionGroup: "items")
        case 3: query = Query(path: ResourcePath(["rooms", "a", "items"]))
        default: query = Query(path: ResourcePath(["rooms"]))
        }
        query.filters = filters(using: &random)
        let mayOrder = query.filters.count != 1 || query.inequalityFields == [size]
        if mayOrder, Bool.random(using: &random) {
            query.explicitOrderBys = [
                OrderBy(size, Bool.random(using: &random) ? .ascending : .descending)
            ]
            cut(&query, using: &random)
        }
        if isLimited ?? (Int.random(in: 0..<3, using: &random) == 0) {
            let isLast = !query.explicitOrderBys.isEmpty && Bool.random(using: &random)
            query.limit = .init(Int.random(in: 1...3, using: &random), isLast ? .last : .first)
        }
        return query
    }

    private static func filters<R: RandomNumberGenerator>(using random: inout R) -> [Filter] {
        let number = number(using: &random)
        let tag = tag(using: &random)
        switch Int.random(in: 0..<8, using: &random) {
        case 0: return [.field(size, .greaterThanOrEqual, number)]
        case 1: return [.field(size, .equal, number)]
        case 2: return [.field(tags, .arrayContains, tag)]
        case 3:
            return [.or([.field(size, .lessThan, number), .field(tags, .arrayContains, tag)])]
        case 4: return [.field(size, .notEqual, number)]
        default: return []
        }
    }

    /// A cursor at either end, or both.
    private static func cut<R: RandomNumberGenerator>(
        _ query: inout Query, using random: inout R
    ) {
        if Int.random(in: 0..<4, using: &random) == 0 {
            query.startAt = Bound(
                [number(using: &random)], isInclusive: Bool.random(using: &random))
        }
        if Int.random(in: 0..<4, using: &random) == 0 {
            query.endAt = Bound(
                [number(using: &random)], isInclusive: Bool.random(using: &random))
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
}
