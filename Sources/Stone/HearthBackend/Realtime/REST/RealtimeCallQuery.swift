import HearthModel

/// The parameters of REST that choose children: `orderBy`, bounds and limits.
///
/// Values are JSON. A bound may have a key behind a comma: `startAt=5,"key"`, as SDKs write it.
///
/// - Source: the texts of refusals are those that programs have noted of the hosted service's answers.
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
                try Bound(text, parameters.index, isShallow: isShallow)
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

    /// Refuses parameters that exclude each other.
    private static func checkPairs(_ values: [String: String]) throws(RealtimeRefusal) {
        let rivals = [
            ("limitToFirst", "limitToLast"), ("startAt", "startAfter"), ("endAt", "endBefore"),
        ]
        for (one, other) in rivals where values[one] != nil && values[other] != nil {
            throw fault("Only one of \(one) and \(other) may be specified")
        }
        let bounds = ["startAfter", "startAt", "endAt", "endBefore"]
        if values["equalTo"] != nil, bounds.contains(where: { values[$0] != nil }) {
            throw fault(
                "equalTo cannot be specified in addition to startAfter, startAt, endAt, "
                    + "or endBefore")
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
            guard let count = Int(text) else { throw fault("\(name) must be an integer") }
            // No place has more children than the greatest limit.
            let bounded = min(count, QueryParameters.Limit.countMax)
            guard let limit = QueryParameters.Limit(bounded, from: side) else {
                throw fault("\(name) must be positive")
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
    let key: KeyBound?

    init(_ text: String, _ index: QueryIndex, isShallow: Bool) throws(RealtimeRefusal) {
        if index == .key {
            value = .string(try Self.keyText(text, isBare: isShallow))
            key = nil
            return
        }
        guard case .array(let parts) = try? JSONReader.read(Array("[\(text)]".utf8)),
            (1...2).contains(parts.count), let value = Self.leaf(parts[0])
        else { throw Self.noPrimitive }
        self.value = value
        guard parts.count == 2 else {
            key = nil
            return
        }
        guard let text = parts[1].string, let key = Self.key(text) else {
            throw RealtimeCallQuery.fault("Constraint key field must be a valid key name")
        }
        self.key = key
    }

    /// Reads a key, or the names that SDKs have for what comes before and after all keys.
    private static func key(_ text: String) -> KeyBound? {
        let bound = KeyBound(wire: text)
        if case .key = bound, ChildKey.fault(of: text) != nil { return nil }
        return bound
    }

    private static let noPrimitive = RealtimeCallQuery.fault(
        "Constraint index field must be a JSON primitive")

    /// The key of a bound in the order of keys. Firebase's tools walk large trees with bare ones.
    private static func keyText(
        _ text: String, isBare: Bool
    ) throws(RealtimeRefusal) -> String {
        let value = try? JSONReader.read(Array(text.utf8))
        if case .string(let key) = value { return key }
        if isBare { return text }
        guard let value, leaf(value) != nil else { throw noPrimitive }
        throw RealtimeCallQuery.fault("Provided key index type is invalid, must be string")
    }

    func end(isInclusive: Bool) -> QueryParameters.Bound {
        QueryParameters.Bound(value, key: key, isInclusive: isInclusive)
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
