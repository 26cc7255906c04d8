import HearthModel
import HearthRules
import HearthTestSupport
import Testing

/// No rule takes more than its budget, with any text and any data.
struct RealtimeBudgetTests {
    private static func reason(_ rule: String, _ data: Node) throws -> String {
        guard case .failed(let reason) = try RealtimeVerdict(rule, data: data) else { return "" }
        return reason
    }

    private static let long = Node(.string(String(repeating: "a", count: 10_000_000)))

    @Test(arguments: [
        "root.val().replace('a', root.val()) == ''",
        "root.val() + root.val() + root.val() + root.val() == ''",
        "root.val().matches(/a?a?a?a?a?a?a?a?b/)", "root.child(root.val()).exists()",
    ])
    func `a rule whose values are too large fails`(rule: String) throws {
        #expect(try Self.reason(rule, Self.long).contains("too large"), "\(rule)")
    }

    @Test(arguments: [
        "root.val().length == 10000000", "root.val().contains('b') == false",
        "root.val().endsWith('aa')", "root.val() == root.val()", "root.val() != root.val() + 'b'",
    ])
    func `what one look at the longest text takes is there`(rule: String) throws {
        #expect(try RealtimeVerdict(rule, data: Self.long) == .value(true), "\(rule)")
    }

    @Test func `all rules of a request have one budget`() throws {
        // Each copies a million bytes.
        let rules = """
            {"rules": {".write": true,
                       "$k": {".validate": "(root.child('s').val() + 'b').length > 0"}}}
            """
        let text = String(repeating: "a", count: 1_000_000)
        let data = Node.empty.setting("s", to: Node(.string(text)))
        let children = (0..<600).map { "\"k\($0)\": 1" }.joined(separator: ", ")
        let spec = try RealtimeRuleSet(rules)
        var request = RealtimeRuleRequest(auth: .null, now: 0)
        let few = try Node(json: "{\"k1\": 1, \"k2\": 1}")
        #expect(spec.decideWrite(at: [.root], from: data, to: few, &request).isAllowed)
        let many = try Node(json: "{\(children)}")
        request = RealtimeRuleRequest(auth: .null, now: 0)
        let decision = spec.decideWrite(at: [.root], from: data, to: many, &request)
        guard case .denied(let reasons) = decision else {
            Issue.record("the budget of a request does not end")
            return
        }
        #expect(reasons.joined().contains("too large"))
        // What is used up stays so for the same request.
        #expect(!spec.decideWrite(at: [.root], from: data, to: few, &request).isAllowed)
    }

    @Test func `a large write is judged by rules that a small one passes`() throws {
        let rules = try RealtimeRuleSet(
            """
            {"rules": {".write": true, "$k": {".validate":
                "newData.hasChildren(['n', 's']) && newData.child('s').val().length < 100",
                "n": {".validate": "newData.isNumber() && newData.val() >= 0"},
                "s": {".validate": "newData.isString()"}}}}
            """)
        let child = try Node(json: #"{"n": 1, "s": "some text"}"#)
        let many = Node(
            children: (0..<20_000).map { (key: ChildKey(unchecked: "k\($0)"), node: child) })
        var request = RealtimeRuleRequest(auth: .null, now: 0)
        let decision = rules.decideWrite(at: [.root], from: .empty, to: many, &request)
        #expect(decision.isAllowed)
    }

    @Test func `one heavy rule holds up the others for no longer than a look at the longest text`()
        throws
    {
        let rules = try RealtimeRuleSet(
            #"{"rules": {".read": "root.child('s').val().matches(/(a|b|ab)*(a|b|ab)*c$/)"}}"#)
        func reasons(textByteCount: Int) -> String {
            let text = String(repeating: "ab", count: textByteCount / 2)
            var request = RealtimeRuleRequest(auth: .null, now: 0)
            let decision = rules.decideRead(
                at: .root, of: Node.empty.setting("s", to: Node(.string(text))), &request)
            guard case .denied(let reasons) = decision else { return "allowed" }
            return reasons.joined()
        }
        #expect(reasons(textByteCount: 20_000).contains("false"))
        // The pattern makes a dozen steps and more for each byte, so this is the budget's end, and
        // an eighth of what took over two seconds in a build for debugging.
        #expect(reasons(textByteCount: 300_000).contains("too large"))
    }

    @Test func `rules that nobody wrote are refused, or answer`() throws {
        var grammar = RealtimeGrammar(random: SeededGenerator(seed: 7))
        let data = try Node(json: #"{"a": {"b": 1, "c": "x"}, "n": 2, "s": "text", "t": true}"#)
        let newData = data.setting("a/b", to: Node(2))
        let auth = JSONValue.object([
            .init(name: "uid", value: .string("ann")), .init(name: "n", value: .integer(1)),
        ])
        var takenCount = 0
        for _ in 0..<FuzzSettings.count {
            guard let rules = try? RealtimeRuleSet(grammar.source()) else { continue }
            takenCount += 1
            var request = RealtimeRuleRequest(auth: auth, now: 5, recorder: RuleRecorder())
            let isRead = rules.decideRead(at: "a/b", of: data, &request).isAllowed
            let isWritten = rules.decideWrite(at: ["a"], from: data, to: newData, &request)
                .isAllowed
            // Noting what happens changes nothing.
            var plain = RealtimeRuleRequest(auth: auth, now: 5)
            #expect(rules.decideRead(at: "a/b", of: data, &plain).isAllowed == isRead)
            #expect(
                rules.decideWrite(at: ["a"], from: data, to: newData, &plain).isAllowed == isWritten
            )
            var coverage = RuleCoverage()
            if let recorder = request.recorder { coverage.add(recorder, of: rules) }
            _ = rules.report(of: coverage).json
        }
        #expect(takenCount > FuzzSettings.count / 20, "the grammar makes nothing that is taken")
    }
}

extension Node {
    fileprivate init(_ number: Int64) {
        self.init(LeafValue.integer(number))
    }
}

/// Files in the form of the grammar, with little sense.
struct RealtimeGrammar {
    var random: SeededGenerator
    private var hasNewData = true

    init(random: SeededGenerator) {
        self.random = random
    }

    mutating func source() -> String {
        hasNewData = false
        let read = "\".read\": \"\(expression(3))\""
        hasNewData = true
        let write = "\".write\": \"\(expression(3))\", \".validate\": \"\(expression(2))\""
        let block = "{\(read), \(write)}"
        return """
            {"rules": {".write": "\(expression(1))", "a": \(block), "$x": {"b": {\(write)}}}}
            """
    }

    private mutating func expression(_ depth: Int) -> String {
        let left = depth > 1 ? expression(depth - 1) : comparison()
        switch Int.random(in: 0..<8, using: &random) {
        case 0...2: return "(\(left) \(random.pick(["&&", "||"])) \(comparison()))"
        case 3: return "!(\(left))"
        case 4: return "(\(left) ? \(comparison()) : \(comparison()))"
        default: return left
        }
    }

    private mutating func comparison() -> String {
        switch Int.random(in: 0..<6, using: &random) {
        case 0: return "\(place()).\(random.pick(["exists()", "hasChildren()", "isString()"]))"
        case 1: return "\(place()).hasChildren([\(text()), \(text())])"
        case 2: return "\(text()).\(random.pick(["contains", "beginsWith", "endsWith"]))(\(text()))"
        case 3: return "\(text()).matches(/^[a-z]+$/i)"
        case 4: return "\(value()) \(random.pick(["==", "!=", "===", "!=="])) \(value())"
        default: return "\(number()) \(random.pick(["<", "<=", ">", ">="])) \(number())"
        }
    }

    private mutating func value() -> String {
        switch Int.random(in: 0..<5, using: &random) {
        case 0: return "(\(number()) \(random.pick(["+", "-", "*", "/", "%"])) \(number()))"
        case 1: return number()
        case 2: return random.pick(["null", "true", "auth", "auth.uid", "auth.n", "query.startAt"])
        default: return text()
        }
    }

    private mutating func number() -> String {
        random.pick(["0", "1", "-1", "0.5", "now", "auth.n", "9223372036854775807", "'a'.length"])
    }

    private mutating func text() -> String {
        random.pick([
            "'a'", "''", "'a/b'", "auth.uid", "\(place()).val()", "'ab'.replace('a', 'b')",
            "auth.uid.toUpperCase()",
        ])
    }

    private mutating func place() -> String {
        random.pick([
            "root", "data", "root.child('a')", "root.child('s')", "data.parent()",
            "root.child(auth.uid)", hasNewData ? "newData" : "data",
            hasNewData ? "newData.parent().child('n')" : "root",
        ])
    }
}
