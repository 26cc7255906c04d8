/// What the backend watches: the normalised form of a query.
package struct Target: Hashable, Sendable {
    /// A collection's path, a document's, or the path above a group.
    package let path: ResourcePath
    /// The collection id, if the target is a group.
    package var collectionGroup: String? { group?.string }
    /// The collection id as a name, if the target is a group.
    package let group: PathSegment?
    /// The conditions; all must hold. No AND, no unary test, no composite of a single filter.
    package let filters: [Filter]
    /// Every sort key, the implicit ones too.
    package let orderBys: [OrderBy]
    /// The most results, from the start of the order.
    package let limit: Int?
    /// Where the results start.
    package let startAt: Bound?
    /// Where the results end.
    package let endAt: Bound?

    /// Brings the filters into the one form in which targets are compared.
    ///
    /// - Parameters:
    ///   - path: A collection's path, a document's, or the path above a group.
    ///   - collectionGroup: The collection id of a group; `nil` for a target that is no group.
    ///   - filters: The conditions; all must hold. No AND, no unary test, no composite of a single
    ///     filter.
    ///   - orderBys: Every sort key, the implicit ones too.
    ///   - limit: The most results, from the start of the order; `nil` for all.
    ///   - startAt: Where the results start; `nil` for the first.
    ///   - endAt: Where the results end; `nil` for the last.
    package init(
        path: ResourcePath, collectionGroup: PathSegment? = nil, filters: [Filter] = [],
        orderBys: [OrderBy] = [OrderBy(.documentID)], limit: Int? = nil, startAt: Bound? = nil,
        endAt: Bound? = nil
    ) {
        self.path = path
        self.group = collectionGroup
        self.filters = filters.flatMap(\.conjuncts)
        self.orderBys = orderBys
        self.limit = limit
        self.startAt = startAt
        self.endAt = endAt
    }

    /// The document, if the target is exactly one by its name.
    package var documentKey: DocumentKey? {
        collectionGroup == nil && filters.isEmpty ? DocumentKey(path) : nil
    }

    /// A text that equal targets share. Different targets can share a text too.
    ///
    /// Shape: path, then `|cg:`, `|f:`, `|ob:`, `|l:`, `|lb:` and `|ub:` parts.
    package var canonicalID: String {
        var id = path.string
        if let collectionGroup { id += "|cg:\(collectionGroup)" }
        id += "|f:" + filters.map(\.canonicalID).joined(separator: ",")
        id += "|ob:"
        id += orderBys.map { "\($0.field)\($0.direction == .ascending ? "asc" : "desc")" }
            .joined(separator: ",")
        if let limit { id += "|l:\(limit)" }
        if let startAt { id += "|lb:\(startAt.isInclusive ? "b:" : "a:")\(startAt.canonicalID)" }
        if let endAt { id += "|ub:\(endAt.isInclusive ? "a:" : "b:")\(endAt.canonicalID)" }
        return id
    }
}

extension Filter {
    /// The filter's part of a canonical id. A flat AND has the same text as a list of the AND's
    /// filters.
    var canonicalID: String {
        switch self {
        case .field(let filter):
            return "\(filter.field)\(filter.op.rawValue)\(filter.value.canonicalID)"
        case .unary(let filter):
            return Filter.field(filter.comparison).canonicalID
        case .composite(let filter):
            let parts = filter.filters.map(\.canonicalID).joined(separator: ",")
            if filter.isFlatConjunction { return parts }
            return "\(filter.op == .and ? "and" : "or")(\(parts))"
        }
    }
}

extension Bound {
    fileprivate var canonicalID: String {
        position.map(\.canonicalID).joined(separator: ",")
    }
}

extension Value {
    /// A short text that is the same for equal values.
    package var canonicalID: String {
        switch self {
        case .null: "null"
        case .boolean(let flag): "\(flag)"
        case .integer(let number): "\(number)"
        case .double(let number): "\(number)"
        case .timestamp(let time): "time(\(time.seconds),\(time.nanoseconds))"
        case .serverTimestamp(let pending): "pending(\(pending.localWriteTime))"
        case .string(let text): text
        case .bytes(let bytes): bytes.map { String($0, radix: 16) }.joined(separator: ".")
        case .reference(let name): name.path.string
        case .geoPoint(let point): "geo(\(point.latitude),\(point.longitude))"
        case .array(let elements):
            "[" + elements.map(\.canonicalID).joined(separator: ",") + "]"
        case .map(let map):
            "{" + map.entries.map { "\($0.key):\($0.value.canonicalID)" }.joined(separator: ",")
                + "}"
        }
    }
}
