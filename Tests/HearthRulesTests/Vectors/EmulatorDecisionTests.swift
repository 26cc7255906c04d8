import HearthModel
import HearthRules
import Testing

/// The decisions of Google's emulator, written down by ask-emulator.py, against ours.
struct EmulatorDecisionTests {
    private static let fields: MapValue = [
        "n": .integer(5), "d": .double(1.5), "s": .string("abc"), "b": .boolean(true), "z": .null,
        "l": .array([.integer(1), .string("x")]),
        "m": .map(["k": .integer(1), "j": .string("x")]),
        "t": .timestamp(Timestamp(seconds: 1_704_164_645, nanoseconds: 678_901_000)),
        "by": .bytes([1, 2, 3]), "g": .geoPoint(GeoPoint(latitude: 1, longitude: 2)),
        "r": .reference(DocumentName(database: RulesSpec.database, key: RulesSpec.key("t/d"))),
        "v": .vector([1, 2]), "w": .vector([2, 1]),
    ]

    @Test func `conditions hold where Google's emulator holds them`() {
        for line in EmulatorDecisions.conditions.split(separator: "\n") {
            let condition = String(line.dropFirst(2))
            let answer = Self.decide("match /t/{id} { allow get: if \(condition); }", "2", ["t/d"])
            #expect(answer == line.prefix(1), "\(condition)")
        }
    }

    @Test func `paths match where Google's emulator matches them`() {
        for line in EmulatorDecisions.bodies.split(separator: "\n") {
            let body = String(line.dropFirst(4))
            let answer = Self.decide(body, String(line.prefix(1)), ["t/d", "t/d/u/e"])
            let wanted = line.dropFirst().prefix(2)
            #expect(answer == (wanted == "!!" ? "!" : wanted), "\(line.prefix(1)) \(body)")
        }
    }

    @Test func `queries are allowed where Google's emulator allows them`() throws {
        for line in EmulatorDecisions.queries.split(separator: "\n") {
            let text = String(line.dropFirst(2))
            let end = try #require(text.range(ofLast: "|c"))
            let parts = text[end...].split(separator: "|", omittingEmptySubsequences: false)
            let query = QueryFact(
                scope: "c", filters: parts.count > 2 ? String(parts[2]) : "",
                options: parts.count > 3 ? String(parts[3]) : "")
            var spec = try RulesSpec("match /c/{x} { allow list: if \(text[..<end]); }")
            spec.put("c/a", ["own": .string("alice")])
            #expect(try query.decide(spec) == (line.first == "+"), "\(text)")
        }
    }

    @Test func `queries match paths where Google's emulator matches them`() throws {
        for line in EmulatorDecisions.scopes.split(separator: "\n") {
            let parts = line.dropFirst(2).split(separator: "|")
            let spec = try RulesSpec("match \(parts[0]) { allow list; }")
            let query = QueryFact(scope: String(parts[1]), filters: "", options: "")
            #expect(try query.decide(spec) == (line.first == "+"), "\(line)")
        }
    }

    private static func decide(_ body: String, _ version: String, _ paths: [String]) -> Substring {
        guard var spec = try? RulesSpec(body, version: version) else { return "!" }
        spec.time = Timestamp(seconds: 1_800_000_000, nanoseconds: 0)
        spec.put("t/d", fields)
        let claims: MapValue = [
            "user_id": .string("alice"), "aud": .string("demo"),
            "iss": .string("https://securetoken.google.com/demo"),
        ]
        return Substring(
            paths.map { spec.get($0, claims).isAllowed ? "+" : "-" }.joined())
    }
}

/// A query as the facts spell it.
private struct QueryFact {
    let scope: String
    let filters: String
    let options: String

    /// Whether every conjunction of the query is allowed.
    func decide(_ spec: RulesSpec) throws -> Bool {
        let segments = scope.split(separator: "/").map(String.init)
        let last = try #require(segments.last)
        let isGroup = last.hasPrefix("**")
        let path = (isGroup ? segments.dropLast() : segments[...]).joined(separator: "/")
        var limit: Int?
        var offset = 0
        var orderBys: [OrderBy] = []
        for option in options.split(separator: ",") {
            let parts = option.split(separator: "=").map(String.init)
            switch parts[0] {
            case "limit": limit = Int(parts[1])
            case "offset": offset = try #require(Int(parts[1]))
            default: orderBys = [OrderBy(FieldPath([parts[1]]))]
            }
        }
        return try conjunctions().allSatisfy { filters in
            try spec.list(
                path, filters, limit: limit, offset: offset,
                group: isGroup ? String(last.dropFirst(2)) : nil, orderBys: orderBys
            ).isAllowed
        }
    }

    private func conjunctions() throws -> [[FieldFilter]] {
        var result: [[FieldFilter]] = [[]]
        for part in filters.split(separator: ";") {
            let words = part.split(separator: " ", maxSplits: 2).map(String.init)
            let value = try Self.value(JSONReader.read(Array(words[2].utf8)))
            let field = FieldPath(words[0].split(separator: ".").map(String.init))
            let op = try #require(Self.operators[words[1]])
            var choices = [(op, value)]
            if op == .isIn || op == .arrayContainsAny {
                let single: FieldFilter.Operator = op == .isIn ? .equal : .arrayContains
                choices = (value.arrayElements ?? []).map { (single, $0) }
            }
            result = result.flatMap { known in
                choices.map { op, value in
                    known + [FieldFilter(field: field, op: op, value: value)]
                }
            }
        }
        return result
    }

    private static let operators: [String: FieldFilter.Operator] = [
        "EQUAL": .equal, "NOT_EQUAL": .notEqual, "LESS_THAN": .lessThan,
        "LESS_THAN_OR_EQUAL": .lessThanOrEqual, "GREATER_THAN": .greaterThan,
        "GREATER_THAN_OR_EQUAL": .greaterThanOrEqual, "IN": .isIn, "NOT_IN": .isNotIn,
        "ARRAY_CONTAINS": .arrayContains, "ARRAY_CONTAINS_ANY": .arrayContainsAny,
    ]

    private static func value(_ json: JSONValue) throws -> Value {
        switch json {
        case .boolean(let flag): .boolean(flag)
        case .integer(let number): .integer(number)
        case .double(let number): .double(number)
        case .string(let text) where text.hasPrefix("ref:"):
            .reference(
                DocumentName(
                    database: RulesSpec.database, key: RulesSpec.key(String(text.dropFirst(4)))))
        case .string(let text): .string(text)
        case .array(let elements): .array(try elements.map(value))
        case .null, .object: try #require(nil as Value?)
        }
    }
}

extension String {
    /// Where the last occurrence of a short text begins.
    fileprivate func range(ofLast text: String) -> String.Index? {
        indices.reversed().first { self[$0...].hasPrefix(text) }
    }
}
