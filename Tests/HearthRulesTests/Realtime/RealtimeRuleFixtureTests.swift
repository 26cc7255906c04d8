import HearthModel
import HearthRules
import HearthTestSupport
import Testing

/// Every case of the files in the folder that `HEARTH_REALTIME_RULES_DIR` names: expressions, with what
/// the hosted service said of them. Prints a line with how many agree.
@Suite(.serialized)
struct RealtimeRuleFixtureTests {
    private static let folder = Judges.variable("HEARTH_REALTIME_RULES_DIR")

    @Test(.enabled(if: folder != nil, "HEARTH_REALTIME_RULES_DIR names no folder of rule cases"))
    func `rules come to what the hosted service made of them`() throws {
        let folder = try #require(Self.folder)
        var passed = 0
        var faults: [String] = []
        for file in Judges.files(in: folder, ending: ".json") {
            let bytes = try #require(Judges.bytes(of: "\(folder)/\(file)"), "\(file) is unreadable")
            let content = try JSONReader.read(bytes)
            let cases = try #require(content["tests"]?.elements, "\(file) holds no tests")
            for (index, json) in cases.enumerated() {
                let test = try RealtimeRuleFixture(json, users: content["users"])
                let verdict = try test.verdict()
                if verdict.agrees(with: test.expected) {
                    passed += 1
                } else {
                    faults.append(
                        "\(file) \(index): \(test.rule) is \(verdict), not \(test.expected)")
                }
            }
        }
        print("realtime rules: \(passed) passed, \(faults.count) failed")
        for fault in faults { Issue.record("\(fault)") }
        #expect(passed + faults.count > 0, "there are no cases in the folder")
    }
}

/// One recorded case.
struct RealtimeRuleFixture {
    let rule: String
    let expected: RealtimeVerdict
    private let auth: JSONValue
    private let data: Node
    private let wildcards: [(name: String, value: String)]
    private let query: RealtimeRuleQuery

    init(_ json: JSONValue, users: JSONValue?) throws {
        rule = try #require(json["rule"]?.string)
        auth = users?[json["user"]?.string ?? "unauth"] ?? .null
        data = try Node(
            json: String(decoding: JSONWriter.bytes(of: json["data"] ?? .null), as: UTF8.self))
        wildcards = (json["wildchildren"]?.members ?? []).map { ($0.name, $0.value.string ?? "") }
            .sorted { utf8Precedes($0.name, $1.name) }
        query = RealtimeRuleQuery(fixture: json["query"])
        if json["isValid"]?.boolean != true {
            expected = .refused("")
        } else if json["failAtRuntime"]?.boolean == true {
            expected = .failed("")
        } else {
            expected = .value(json["evaluateTo"]?.boolean == true)
        }
    }

    func verdict() throws -> RealtimeVerdict {
        try RealtimeVerdict(rule, auth: auth, data: data, wildcards: wildcards, query: query)
    }
}

extension RealtimeRuleQuery {
    fileprivate init(fixture json: JSONValue?) {
        self.init()
        guard let json else { return }
        if json["orderByValue"]?.boolean == true { order = .value }
        if json["orderByPriority"]?.boolean == true { order = .priority }
        if let path = json["orderByChild"]?.string { order = .child(path) }
        startAt = LeafValue(fixture: json["startAt"])
        endAt = LeafValue(fixture: json["endAt"])
        equalTo = LeafValue(fixture: json["equalTo"])
        limitToFirst = json["limitToFirst"]?.integer.map { Int($0) }
        limitToLast = json["limitToLast"]?.integer.map { Int($0) }
    }
}

extension LeafValue {
    fileprivate init?(fixture json: JSONValue?) {
        switch json {
        case .boolean(let flag): self = .bool(flag)
        case .integer(let number): self = .integer(number)
        case .double(let number): self = .double(number)
        case .string(let text): self = .string(text)
        case nil, .null, .array, .object: return nil
        }
    }
}
