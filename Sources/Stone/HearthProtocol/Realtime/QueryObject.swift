package import HearthModel

/// The wire's form of a query: `{"sp":…,"sn":…,"sin":…,"ep":…,"en":…,"ein":…,"l":…,"vf":…,"i":…}`.
///
/// Two dialects are read. JavaScript says by `sin` and `ein` whether a bound is inside; iOS and Android know
/// inclusive bounds alone, and send the key that follows or precedes. JavaScript's is written.
///
/// - Source: firebase-js-sdk `core/view/QueryParams.ts`.
package enum QueryObject {
    /// Reads a query; `nil` if a member is not what it should be.
    package static func decode(_ value: JSONValue) -> QueryParameters? {
        guard value.members != nil, let index = index(value["i"]),
            let start = bound(value, .start), let end = bound(value, .end),
            let limit = limit(value, hasStart: start.bound != nil)
        else { return nil }
        return QueryParameters(index: index, start: start.bound, end: end.bound, limit: limit.limit)
    }

    /// The members of a query, sorted by name, so that equal queries give equal texts.
    ///
    /// A query for the whole node by priority has no members.
    package static func encode(_ query: QueryParameters) -> JSONValue {
        var members: [(String, JSONValue)] = []
        if let end = query.end { members += encode(end, .end, query.index) }
        if let start = query.start { members += encode(start, .start, query.index) }
        if let limit = query.limit {
            members.append(("l", .integer(Int64(limit.count))))
            members.append(("vf", .string(limit.side == .first ? "l" : "r")))
        }
        if let name = name(of: query.index) { members.append(("i", .string(name))) }
        members.sort { utf8Precedes($0.0, $1.0) }
        return .object(members.map { .init(name: $0.0, value: $0.1) })
    }

    private static func index(_ value: JSONValue?) -> QueryIndex? {
        guard let value else { return .priority }
        guard let text = value.string else { return nil }
        switch text {
        case ".key": return .key
        case ".value": return .value
        case ".priority": return .priority
        default:
            guard let path = RealtimePath(text), !path.isRoot, !path.isInfo else { return nil }
            return .child(path)
        }
    }

    private static func name(of index: QueryIndex) -> String? {
        switch index {
        case .priority: nil
        case .key: ".key"
        case .value: ".value"
        case .child(let path): path.bareText
        }
    }

    /// The members that tell one bound.
    private struct BoundNames {
        let value: String
        let key: String
        let inclusive: String
        /// The key that a bound has which leaves out a whole value.
        let outside: KeyBound

        static let start = BoundNames(value: "sp", key: "sn", inclusive: "sin", outside: .greatest)
        static let end = BoundNames(value: "ep", key: "en", inclusive: "ein", outside: .least)
    }

    private struct ReadBound {
        let bound: QueryParameters.Bound?
    }

    private static func bound(_ object: JSONValue, _ names: BoundNames) -> ReadBound? {
        guard let found = object[names.value] else { return ReadBound(bound: nil) }
        guard let leaf = leaf(found) else { return nil }
        let isInclusive = object[names.inclusive]?.boolean ?? true
        let key = object[names.key]?.string.map(KeyBound.init(wire:))
        return ReadBound(bound: .init(leaf.leaf, key: key, isInclusive: isInclusive))
    }

    private struct ReadLeaf {
        let leaf: LeafValue?
    }

    private static func leaf(_ value: JSONValue) -> ReadLeaf? {
        switch value {
        case .null: ReadLeaf(leaf: nil)
        case .boolean(let flag): ReadLeaf(leaf: .bool(flag))
        case .integer(let number): ReadLeaf(leaf: .integer(number))
        case .double(let number): ReadLeaf(leaf: LeafValue.number(number))
        case .string(let text): ReadLeaf(leaf: .string(text))
        case .array, .object: nil
        }
    }

    private struct ReadLimit {
        let limit: QueryParameters.Limit?
    }

    /// Without `vf` a limit counts from the side that has a bound: from the start, if there is one.
    private static func limit(_ object: JSONValue, hasStart: Bool) -> ReadLimit? {
        guard let count = object["l"] else { return ReadLimit(limit: nil) }
        let side: QueryParameters.Limit.Side
        switch object["vf"]?.string {
        case "l": side = .first
        case "r": side = .last
        case nil: side = hasStart ? .first : .last
        default: return nil
        }
        guard let number = count.integer.flatMap(Int.init(exactly:)),
            let limit = QueryParameters.Limit(number, from: side)
        else { return nil }
        return ReadLimit(limit: limit)
    }

    private static func encode(
        _ bound: QueryParameters.Bound, _ names: BoundNames, _ index: QueryIndex
    ) -> [(String, JSONValue)] {
        var members = [
            (names.value, encode(bound.value)), (names.inclusive, .boolean(bound.isInclusive)),
        ]
        let key = bound.key ?? (bound.isInclusive || index == .key ? nil : names.outside)
        if let key { members.append((names.key, .string(key.wire))) }
        return members
    }

    private static func encode(_ leaf: LeafValue?) -> JSONValue {
        switch leaf {
        case nil: .null
        case .bool(let flag): .boolean(flag)
        case .integer(let number): .integer(number)
        case .double(let number): .double(number)
        case .string(let text): .string(text)
        }
    }
}
