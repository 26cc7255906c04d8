import HearthModel

/// The parameters of REST that choose children: `orderBy`, bounds and limits.
///
/// Values are JSON. A bound may have a key behind a comma: `startAt=5,"key"`, as SDKs write it.
struct RealtimeCallQuery {
    private(set) var parameters = QueryParameters()

    private static let names = [
        "startAt", "startAfter", "endAt", "endBefore", "equalTo", "limitToFirst", "limitToLast",
    ]

    /// Reads what chooses children; `nil` if nothing does.
    ///
    /// - Parameters:
    ///   - values: All parameters by name.
    ///   - isShallow: Whether only names are wanted. Firebase's tools then leave out `orderBy`, and
    ///     write keys
    ///     without quotes.
    init?(_ values: [String: String], isShallow: Bool) throws(RealtimeRefusal) {
        guard let order = values["orderBy"] else {
            guard Self.names.contains(where: { values[$0] != nil }) else { return nil }
            guard isShallow else {
                throw Self.fault("orderBy must be defined when other query parameters are defined")
            }
            parameters.index = .key
            try read(values, isShallow: true)
            return
        }
        parameters.index = try Self.index(order)
        try read(values, isShallow: isShallow)
    }

    private static func index(_ text: String) throws(RealtimeRefusal) -> QueryIndex {
        guard case .string(let name) = try? JSONReader.read(Array(text.utf8)) else {
            throw fault("orderBy must be a valid JSON encoded path")
        }
        switch name {
        case "$key": return .key
        case "$value": return .value
        case "$priority": return .priority
        default:
            guard let path = RealtimePath(name), !path.isRoot, !path.isInfo else {
                throw fault("orderBy must be a valid JSON encoded path")
            }
            return .child(path)
        }
    }

    private mutating func read(
        _ values: [String: String], isShallow: Bool
    ) throws(RealtimeRefusal) {
        func bound(_ name: String) throws(RealtimeRefusal) -> Bound? {
            try values[name].map { text throws(RealtimeRefusal) in
                try Bound(text, name, parameters.index, isShallow: isShallow)
            }
        }
        try Self.checkPairs(values)
        let (at, after) = (try bound("startAt"), try bound("startAfter"))
        parameters.start = at?.end(isInclusive: true) ?? after?.end(isInclusive: false)
        let (last, before) = (try bound("endAt"), try bound("endBefore"))
        parameters.end = last?.end(isInclusive: true) ?? before?.end(isInclusive: false)
        if let only = try bound("equalTo") {
            parameters.start = only.end(isInclusive: true)
            parameters.end = parameters.start
        }
        parameters.limit = try Self.limit(values)
    }

    /// Refuses two parameters that exclude each other.
    private static func checkPairs(_ values: [String: String]) throws(RealtimeRefusal) {
        let rivals = [
            ["startAt", "startAfter", "equalTo"], ["endAt", "endBefore", "equalTo"],
            ["limitToFirst", "limitToLast"],
        ]
        for names in rivals {
            let given = names.filter { values[$0] != nil }
            if given.count > 1 {
                throw fault("\(given[0]) and \(given[1]) cannot be combined")
            }
        }
    }

    private static func limit(
        _ values: [String: String]
    ) throws(RealtimeRefusal) -> QueryParameters.Limit? {
        let sides: [(String, QueryParameters.Limit.Side)] = [
            ("limitToFirst", .first), ("limitToLast", .last),
        ]
        for (name, side) in sides {
            guard let text = values[name] else { continue }
            guard let count = Int(text), let limit = QueryParameters.Limit(count, from: side) else {
                throw fault("\(name) must be a positive integer")
            }
            return limit
        }
        return nil
    }

    static func fault(_ text: String) -> RealtimeRefusal { RealtimeRefusal(.failed, text) }
}

/// One end of a query's range, as an address gives the end.
private struct Bound {
    let value: LeafValue?
    let key: ChildKey?

    init(
        _ text: String, _ name: String, _ index: QueryIndex, isShallow: Bool
    ) throws(RealtimeRefusal) {
        let fault = RealtimeCallQuery.fault(
            "\(name) must be a JSON string, number, boolean or null")
        if index == .key {
            value = .string(try Self.keyText(text, isBare: isShallow, or: fault))
            key = nil
            return
        }
        guard case .array(let parts) = try? JSONReader.read(Array("[\(text)]".utf8)),
            (1...2).contains(parts.count), let value = Self.leaf(parts[0])
        else { throw fault }
        self.value = value
        guard parts.count == 2 else {
            key = nil
            return
        }
        guard let text = parts[1].string, let key = ChildKey(text) else {
            throw RealtimeCallQuery.fault("The key in \(name) must be a JSON string that is a key")
        }
        self.key = key
    }

    /// The key of a bound in the order of keys. Firebase's tools walk large trees with bare ones.
    private static func keyText(
        _ text: String, isBare: Bool, or fault: RealtimeRefusal
    ) throws(RealtimeRefusal) -> String {
        if case .string(let key) = try? JSONReader.read(Array(text.utf8)) { return key }
        guard isBare else { throw fault }
        return text
    }

    func end(isInclusive: Bool) -> QueryParameters.Bound {
        QueryParameters.Bound(value, key: key.map(KeyBound.key), isInclusive: isInclusive)
    }

    private static func leaf(_ json: JSONValue) -> LeafValue?? {
        switch json {
        case .null: .some(nil)
        case .boolean(let flag): .bool(flag)
        case .integer(let number): .integer(number)
        case .double(let number): LeafValue.number(number)
        case .string(let text): .string(text)
        case .array, .object: nil
        }
    }
}
