import HearthModel

extension RuleValue {
    /// The value as a report tells it: one member, named by the type. Long texts and lists are cut.
    var report: JSONValue {
        switch self {
        case .null: Self.member("nullValue", .null)
        case .boolean(let flag): Self.member("boolValue", .boolean(flag))
        case .integer(let number): Self.member("intValue", .string("\(number)"))
        case .float(let number): Self.member("floatValue", Self.number(number))
        case .string(let text): Self.member("stringValue", .string(Self.cut(text)))
        case .bytes(let bytes):
            Self.member(
                "bytesValue",
                .string(Base64.encode(Array(bytes.prefix(RulesLimits.notedTextByteCountMax)))))
        case .timestamp(let time): Self.member("timestampValue", .string(time.description))
        case .duration(let span): Self.member("durationValue", .string(span.report))
        case .latlng(let point):
            Self.member(
                "latlngValue",
                .object([
                    .init(name: "latitude", value: Self.number(point.latitude)),
                    .init(name: "longitude", value: Self.number(point.longitude)),
                ]))
        case .path(let path):
            Self.member("pathValue", .object([Self.segments(of: path)]))
        case .list(let elements): Self.member("listValue", Self.values(elements))
        case .set(let elements): Self.member("setValue", Self.values(elements))
        case .map(let map): Self.member("mapValue", Self.fields(of: map))
        case .vector(let map): Self.member("mapValue", Self.fields(of: RuleMap(map)))
        case .mapDiff(let new, let old):
            Self.member("mapDiffValue", Self.statuses(of: new, old))
        case .constraint(let filters): Self.report(of: filters)
        }
    }

    private static func member(_ name: String, _ value: JSONValue) -> JSONValue {
        .object([.init(name: name, value: value)])
    }

    private static func number(_ number: Double) -> JSONValue {
        number.isFinite ? .double(number) : .string("\(number)")
    }

    private static func cut(_ text: String) -> String {
        guard text.utf8.count > RulesLimits.notedTextByteCountMax else { return text }
        return String(decoding: text.utf8.prefix(RulesLimits.notedTextByteCountMax), as: UTF8.self)
            + "..."
    }

    private static func segments(of path: RulePath) -> JSONValue.Member {
        let segments = path.segments.prefix(RulesLimits.notedElementCountMax).map {
            member("simple", .string(cut($0.string)))
        }
        return .init(name: "segments", value: .array(segments))
    }

    private static func values(_ elements: [RuleValue]) -> JSONValue {
        if elements.isEmpty { return .object([]) }
        let told = elements.prefix(RulesLimits.notedElementCountMax).map(\.report)
        return member("values", .array(told))
    }

    private static func fields(of map: RuleMap) -> JSONValue {
        if map.count == 0 { return .object([]) }
        let told = map.entries.prefix(RulesLimits.notedElementCountMax).map {
            JSONValue.Member(name: $0.key, value: $0.value.report)
        }
        return member("fields", .object(told))
    }

    private static func statuses(of new: RuleMap, _ old: RuleMap) -> JSONValue {
        var statuses: [JSONValue.Member] = []
        let keys = Set((new.entries + old.entries).map { UTF8Text($0.key) }).sorted()
        for key in keys.prefix(RulesLimits.notedElementCountMax) {
            let status: String
            switch (new[key.string], old[key.string]) {
            case (let value?, let before?):
                status = value.report == before.report ? "UNCHANGED" : "CHANGED"
            case (nil, _): status = "REMOVED"
            case (_, nil): status = "ADDED"
            }
            statuses.append(.init(name: key.string, value: .string(status)))
        }
        return member("keyStatuses", .object(statuses))
    }

    /// What a query says of a field whose value the rules do not know.
    private static func report(of filters: [FieldFilter]) -> JSONValue {
        let told = filters.prefix(RulesLimits.notedElementCountMax).map { filter in
            JSONValue.object([
                .init(name: "comparator", value: .string("\(filter.op)")),
                .init(name: "value", value: RuleValue(filter.value).report),
            ])
        }
        return member("constraintValue", member("simpleConstraints", .array(told)))
    }
}

extension RuleDuration {
    /// Seconds and an `s`, with a fraction of nine digits if there is one.
    fileprivate var report: String {
        let (seconds, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        if rest == 0 { return "\(seconds)s" }
        let digits = String(rest.magnitude + 1_000_000_000).dropFirst()
        return "\(nanoseconds < 0 && seconds == 0 ? "-" : "")\(seconds).\(digits)s"
    }
}
