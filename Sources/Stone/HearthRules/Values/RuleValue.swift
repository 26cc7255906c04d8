package import HearthModel

/// A value of the rules language.
package indirect enum RuleValue: Sendable {
    case null
    case boolean(Bool)
    case integer(Int64)
    case float(Double)
    case string(String)
    case bytes([UInt8])
    case timestamp(Timestamp)
    case duration(RuleDuration)
    case latlng(GeoPoint)
    /// A path by its segments.
    case path(RulePath)
    case list([RuleValue])
    /// Elements in the order of their insertion, none equal to another.
    case set([RuleValue])
    case map(RuleMap)
    /// A vector, which is a map only in a document: rules see none of its parts.
    case vector(MapValue)
    /// What turns the second map into the first.
    case mapDiff(RuleMap, from: RuleMap)
    /// A field of every possible result of a query: only the comparisons that the field fulfils are
    /// known.
    case constraint([FieldFilter])

    /// A value of a document.
    package init(_ value: Value) {
        switch value {
        case .null: self = .null
        case .boolean(let flag): self = .boolean(flag)
        case .integer(let number): self = .integer(number)
        case .double(let number): self = .float(number)
        case .timestamp(let time): self = .timestamp(time)
        case .serverTimestamp(let pending): self = .timestamp(pending.localWriteTime)
        case .string(let text): self = .string(text)
        case .bytes(let bytes): self = .bytes(bytes)
        case .reference(let name): self = .path(RulePath(name))
        case .geoPoint(let point): self = .latlng(point)
        case .array(let elements): self = .list(elements.map { RuleValue($0) })
        case .map(let map):
            self = map.vectorElements == nil ? .map(RuleMap(map)) : .vector(map)
        }
    }

    /// The type's name, as `is` and errors have it.
    var typeName: String {
        switch self {
        case .null: "null"
        case .boolean: "bool"
        case .integer: "int"
        case .float: "float"
        case .string: "string"
        case .bytes: "bytes"
        case .timestamp: "timestamp"
        case .duration: "duration"
        case .latlng: "latlng"
        case .path: "path"
        case .list: "list"
        case .set: "set"
        case .map: "map"
        case .vector: "vector"
        case .mapDiff: "map_diff"
        case .constraint: "constraint"
        }
    }
}

/// A path by its segments, such as `/databases/(default)/documents/rooms/hall`.
package struct RulePath: Hashable, Sendable {
    /// The segments, none empty.
    package let segments: [UTF8Text]

    /// Joins segments.
    package init(_ segments: [String]) {
        self.segments = segments.map { UTF8Text($0) }
    }

    /// The path of a document or collection.
    package init(_ name: DocumentName) {
        self.init(
            ["databases", name.database.database, "documents"] + name.path.segments)
    }

    /// The text with a slash before each segment.
    package var text: String { segments.map { "/\($0.string)" }.joined() }
}

/// A map from text to values: sorted by key, each once.
package struct RuleMap: Sendable {
    /// One entry.
    struct Entry: Sendable {
        let key: String
        let value: RuleValue
    }

    /// The entries in the order of their keys' UTF-8.
    private(set) var entries: [Entry]
    /// Whether there may be further entries that nobody knows: fields of a query's possible
    /// results.
    private(set) var isOpen = false

    /// The map of a document's fields, or of a value inside.
    package init(_ map: MapValue) {
        entries = map.entries.map { Entry(key: $0.key, value: RuleValue($0.value)) }
    }

    /// Sorts entries; of two with one key, the later counts.
    package init(_ pairs: [(String, RuleValue)], isOpen: Bool = false) {
        self.isOpen = isOpen
        entries = []
        let sorted = pairs.enumerated().sorted {
            let order = utf8Compare($0.element.0, $1.element.0)
            return order != 0 ? order < 0 : $0.offset < $1.offset
        }
        for (_, pair) in sorted {
            if let last = entries.last, utf8Equals(last.key, pair.0) { entries.removeLast() }
            entries.append(Entry(key: pair.0, value: pair.1))
        }
    }

    /// How many entries there are.
    var count: Int { entries.count }

    /// The value of a key. O(log n).
    subscript(key: String) -> RuleValue? {
        var low = 0
        var high = entries.count
        while low < high {
            let middle = (low + high) / 2
            let order = utf8Compare(entries[middle].key, key)
            if order == 0 { return entries[middle].value }
            if order < 0 { low = middle + 1 } else { high = middle }
        }
        return nil
    }
}
