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
