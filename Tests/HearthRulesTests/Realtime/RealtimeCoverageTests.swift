import HearthModel
import HearthRules
import Testing

/// What is told of rules that were asked.
struct RealtimeCoverageTests {
    private static let source = """
        {"rules": {
          ".read": "auth != null && root.child(\\"s\\").val() == auth.uid",
          "open": {".read": true}, "never": {".write": "newData.exists()"}
        }}
        """

    /// An expression with what it came to.
    private struct Told: Equatable {
        let text: String
        let values: [String]
    }

    private static func told(_ nodes: [RuleReport.Node], _ bytes: [UInt8]) -> [Told] {
        nodes.flatMap { node in
            let text = String(decoding: bytes[node.range.start..<node.range.end], as: UTF8.self)
            let values = node.values.map { value in
                let json = String(decoding: JSONWriter.bytes(of: value.json), as: UTF8.self)
                return "\(value.count) \(json)"
            }
            return [Told(text: text, values: values)] + told(node.children, bytes)
        }
    }

    private static func report(_ users: [String?]) throws -> RuleReport {
        let rules = try RealtimeRuleSet(source)
        let data = try Node(json: #"{"s": "ann"}"#)
        var coverage = RuleCoverage()
        for user in users {
            let auth = user.map { JSONValue.object([.init(name: "uid", value: .string($0))]) }
            var request = RealtimeRuleRequest(auth: auth ?? .null, now: 0, recorder: RuleRecorder())
            _ = rules.decideRead(at: "open", of: data, &request)
            coverage.add(try #require(request.recorder), of: rules)
        }
        return rules.report(of: coverage)
    }

    @Test func `each part of a rule is told by its place in the file, with what it came to`() throws
    {
        let report = try Self.report(["ann", nil])
        let told = Self.told(report.roots, Array(Self.source.utf8))
        let ann = #"{"mapValue":{"fields":{"uid":{"stringValue":"ann"}}}}"#
        let value = #"root.child(\"s\").val()"#
        #expect(
            told == [
                Told(
                    text: "auth != null && \(value) == auth.uid",
                    values: [#"1 {"boolValue":true}"#, #"1 {"boolValue":false}"#]),
                Told(
                    text: "auth != null",
                    values: [#"1 {"boolValue":true}"#, #"1 {"boolValue":false}"#]),
                Told(text: "auth", values: ["1 \(ann)", #"1 {"nullValue":null}"#]),
                Told(
                    text: "\(value) == auth.uid", values: [#"1 {"boolValue":true}"#, "1 {}"]),
                Told(text: value, values: [#"1 {"stringValue":"ann"}"#, "1 {}"]),
                Told(
                    text: #"root.child(\"s\")"#,
                    values: [#"1 {"pathValue":{"segments":[{"simple":"s"}]}}"#, "1 {}"]),
                Told(text: "root", values: [#"1 {"pathValue":{"segments":[]}}"#, "1 {}"]),
                Told(text: "auth.uid", values: [#"1 {"stringValue":"ann"}"#, "1 {}"]),
                Told(text: "auth", values: ["1 \(ann)", "1 {}"]),
                // What was granted above is not asked for below.
                Told(text: "true", values: [#"1 {"boolValue":true}"#]),
                Told(text: "newData.exists()", values: []), Told(text: "newData", values: []),
            ])
    }

    @Test func `a failure is told with its cause`() throws {
        let rules = try RealtimeRuleSet(RealtimeSpec.file(read: "!(auth.n > 1)"))
        var request = RealtimeRuleRequest(auth: .null, now: 0, recorder: RuleRecorder())
        _ = rules.decideRead(at: .root, of: .empty, &request)
        var coverage = RuleCoverage()
        coverage.add(try #require(request.recorder), of: rules)
        let json = String(
            decoding: JSONWriter.bytes(of: rules.report(of: coverage).json), as: UTF8.self)
        #expect(json.contains(#""causeMessage":"\">\" needs two numbers or two strings"#))
        #expect(json.contains(#""name":"database.rules.json""#))
        #expect(rules.report(of: coverage).page.contains("failed:"))
    }
}
