/// What a query asks, as people read it.
extension Query {
    /// The query in words on one line: `rooms where seats < 50 order by seats limit 10`.
    ///
    /// Shape: the path, with `**/ID` for a group, then conditions, sort keys, bounds and the limit; values as the
    /// command line writes them. The words are the same for queries with equal targets and limits, whether a
    /// program or Hearth has added a sort key, and have no control characters. O(size of the query).
    package var words: String {
        var parts = [source]
        if !filters.isEmpty {
            let conditions = filters.flatMap(\.conjuncts).map(\.words)
            parts.append("where " + conditions.joined(separator: " and "))
        }
        if !tellingOrderBys.isEmpty {
            parts.append("order by " + tellingOrderBys.map(\.words).joined(separator: ", "))
        }
        if let startAt {
            parts.append((startAt.isInclusive ? "start at " : "start after ") + startAt.words)
        }
        if let endAt {
            parts.append((endAt.isInclusive ? "end at " : "end before ") + endAt.words)
        }
        if let limit {
            parts.append((limit.end == .first ? "limit " : "limit to last ") + "\(limit.count)")
        }
        return ControlCharacters.escaped(parts.joined(separator: " "))
    }

    private var source: String {
        guard let collectionGroup else { return path.string }
        return (path.isEmpty ? "" : "\(path.string)/") + "**/\(collectionGroup)"
    }

    /// The sort keys without the key at their end, if the key's direction follows from the others.
    private var tellingOrderBys: ArraySlice<OrderBy> {
        let others = orderBys.dropLast()
        guard let last = orderBys.last, last.field.isDocumentID,
            last.direction == others.last?.direction ?? .ascending
        else { return orderBys[...] }
        return others
    }
}

extension Filter {
    fileprivate var words: String {
        switch self {
        case .field(let filter):
            return "\(filter.field) \(filter.op.rawValue) \(filter.value.words)"
        case .unary(let filter): return Filter.field(filter.comparison).words
        case .composite(let filter):
            let conditions = filter.filters.map(\.words)
            return "(\(conditions.joined(separator: filter.op == .and ? " and " : " or ")))"
        }
    }
}

extension OrderBy {
    fileprivate var words: String { direction == .ascending ? "\(field)" : "\(field) desc" }
}

extension Bound {
    fileprivate var words: String { position.map(\.words).joined(separator: ", ") }
}

extension Value {
    fileprivate var words: String {
        switch self {
        case .null: return "null"
        case .boolean(let flag): return "\(flag)"
        case .integer(let number): return "\(number)"
        case .double(let number):
            if number.isNaN { return "NaN" }
            return number.isFinite ? "\(number)" : number < 0 ? "-Infinity" : "Infinity"
        case .timestamp(let time): return "timestamp(\(time))"
        case .serverTimestamp(let pending): return "timestamp(\(pending.localWriteTime))"
        case .string(let text): return Self.quoted(text)
        case .bytes(let bytes): return "bytes(\(Base64.encode(bytes)))"
        case .reference(let name): return "ref(\(name.path.string))"
        case .geoPoint(let point): return "geo(\(point.latitude), \(point.longitude))"
        case .array(let elements):
            return "[\(elements.map(\.words).joined(separator: ", "))]"
        case .map(let map):
            let fields = map.entries.map { "\(Self.quoted($0.key)): \($0.value.words)" }
            return "{\(fields.joined(separator: ", "))}"
        }
    }

    private static func quoted(_ text: String) -> String {
        "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    }
}
