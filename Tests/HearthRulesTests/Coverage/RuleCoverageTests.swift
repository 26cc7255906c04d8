import HearthModel
import Testing

@testable import HearthRules

/// What is told of rules after some requests.
struct RuleCoverageTests {
    private static let source = """
        service cloud.firestore {
          function same(a, b) { return a == b; }
          match /databases/{d}/documents {
            /* é😀 */ match /c/{id} {
              allow get: if same(id, 'x') || request.auth.uid == 'u' || resource.data.n > 1;
              allow create: if (id in ['a', 'b']) && !request.resource.data.ok;
              allow delete;
            }
          }
        }
        """

    private struct Told: Equatable {
        let text: String
        let values: [String]
        let children: [Told]
    }

    /// Judges gets of documents of a collection by users, and tells what came of it.
    private func told(_ source: String, _ gets: [(id: String, uid: String?)]) throws -> [Told] {
        let report = try report(source, gets)
        return report.roots.map { Self.told($0, Array(source.utf8)) }
    }

    private func report(_ source: String, _ gets: [(id: String, uid: String?)]) throws -> RuleReport
    {
        let rules = try RuleSet(source, fileName: "my.rules")
        var coverage = RuleCoverage()
        for get in gets {
            let key = RulesSpec.key("c/\(get.id)")
            let request = RuleRequest(
                .get, .found(key, at: .zero, ["n": .integer(1)]), in: RulesSpec.database,
                by: get.uid.map { RuleRequest.Auth(uid: $0, token: [:]) },
                at: Timestamp(seconds: 0, nanoseconds: 0))
            var accesses = RuleAccesses(recorder: RuleRecorder())
            _ = rules.decide(request, reading: RulesSpec.Documents(), &accesses)
            if let recorder = accesses.recorder { coverage.add(recorder, of: rules) }
        }
        return coverage.report(of: rules)
    }

    private static func told(_ node: RuleReport.Node, _ bytes: [UInt8]) -> Told {
        let values = node.values.map { value in
            let json = String(decoding: JSONWriter.bytes(of: value.json), as: UTF8.self)
            return "\(value.count) \(json.contains("mapValue") ? "map" : json)"
        }
        return Told(
            text: String(decoding: bytes[node.range.start..<node.range.end], as: UTF8.self),
            values: values, children: node.children.map { told($0, bytes) })
    }

    @Test func `each expression tells its values, also those that nobody reached`() throws {
        let all = try told(Self.source, [("x", nil), ("y", "u"), ("y", nil)])
        #expect(all.count == 3)
        let yes = #"{"boolValue":true}"#
        let no = #"{"boolValue":false}"#
        #expect(all[0].text == "a == b")
        #expect(all[0].values == ["1 \(yes)", "2 \(no)"])
        #expect(
            all[0].children.map(\.values) == [
                [#"1 {"stringValue":"x"}"#, #"2 {"stringValue":"y"}"#], [#"3 {"stringValue":"x"}"#],
            ])
        let get = all[1]
        #expect(
            get.values == ["2 \(yes)", "1 {\"undefined\":\(Self.place(get, "request.auth.uid"))}"])
        let pair = get.children[0]
        #expect(pair.text == "same(id, 'x') || request.auth.uid == 'u'")
        #expect(pair.values.prefix(1) == ["2 \(yes)"])
        #expect(pair.children.map(\.text) == ["same(id, 'x'", "request.auth.uid == 'u'"])
        #expect(pair.children[0].values == ["1 \(yes)", "2 \(no)"])
        #expect(pair.children[1].values.contains("1 {}"))
        #expect(get.children[1].text == "resource.data.n > 1")
        #expect(get.children[1].values == ["1 \(no)", "2 {}"])
        let create = all[2]
        #expect(create.text == "(id in ['a', 'b']) && !request.resource.data.ok")
        #expect(create.values.isEmpty)
        #expect(create.children.map(\.text) == ["(id in ['a', 'b'", "!request.resource.data.ok"])
        #expect(create.children[0].children.map(\.text) == ["['a', 'b'", "id"])
    }

    /// Where a failure began, and why.
    private static func place(_ node: Told, _ text: String) -> String {
        let value = node.values.first { $0.contains("undefined") } ?? ""
        return String(value.drop { $0 != ":" }.dropFirst().dropLast())
    }

    @Test func `a failure names where it began`() throws {
        let report = try report(Self.source, [("y", nil)])
        let value = try #require(report.roots[1].values.first?.json["undefined"])
        #expect(value["causeMessage"]?.string == "Null value error.")
        let place = try #require(value["sourcePosition"])
        #expect(place["line"]?.integer == 5)
        #expect(place["column"]?.integer == 38)
        let characters = Array(Self.source.unicodeScalars)
        let start = Int(try #require(place["currentOffset"]?.integer))
        let end = Int(try #require(place["endOffset"]?.integer))
        let text = String(String.UnicodeScalarView(characters[start...end]))
        #expect(text == "request.auth.uid")
    }

    @Test func `statements of a function lie inside each other`() throws {
        let source = """
            rules_version = '2';
            service cloud.firestore {
              match /databases/{d}/documents {
                function f(x) { let a = x; let b = math.abs(-1); return a == b; }
                match /c/{id} { allow get: if f(1); }
              }
            }
            """
        let all = try told(source, [("x", nil)])
        #expect(all.map(\.text) == ["let a = x; let b = math.abs(-1); return a == b", "f(1"])
        #expect(all[0].children.map(\.text) == ["x", "let b = math.abs(-1); return a == b"])
        #expect(all[0].children[1].children.map(\.text) == ["math.abs(-1", "a == b"])
        let yes = [#"1 {"boolValue":true}"#]
        #expect([all[0].values, all[0].children[1].values, all[1].values] == [yes, yes, yes])
    }

    @Test func `nothing is noted without a recorder, and the decision is the same`() throws {
        let spec = try RulesSpec(
            "match /c/{id} { allow get: if id == 'x' && request.auth != null; }")
        for (id, uid) in [("x", "u"), ("y", "u"), ("x", nil)] {
            let request = RuleRequest(
                .get, .missing(RulesSpec.key("c/\(id)"), at: .zero), in: RulesSpec.database,
                by: uid.map { RuleRequest.Auth(uid: $0, token: [:]) }, at: spec.time)
            var silent = RuleAccesses()
            var noted = RuleAccesses(recorder: RuleRecorder())
            let decision = spec.rules.decide(request, reading: spec.documents, &silent)
            #expect(spec.rules.decide(request, reading: spec.documents, &noted) == decision)
            #expect(silent.recorder == nil)
            #expect(noted.recorder?.notes.isEmpty == false)
        }
    }

    @Test func `values beyond the limit count and are not told`() throws {
        let gets = (0..<RulesLimits.notedValueCountMax + 5).map {
            (id: "d\($0)", uid: String?.none)
        }
        let report = try report(Self.source, gets)
        let name = try #require(report.roots[0].children.first)
        #expect(name.values.count == RulesLimits.notedValueCountMax)
        #expect(report.roots[0].values.map(\.count) == [gets.count])
    }

    /// The rules judge by the comparisons, so an `==` among others is not told as the value.
    @Test func `a field is told by all comparisons of its query`() {
        let n = FieldPath(["n"])
        let value = RuleValue.constraint([
            FieldFilter(field: n, op: .equal, value: .integer(5)),
            FieldFilter(field: n, op: .greaterThan, value: .integer(3)),
        ])
        let text =
            #"{"constraintValue":{"simpleConstraints":["#
            + #"{"comparator":"equal","value":{"intValue":"5"}},"#
            + #"{"comparator":"greaterThan","value":{"intValue":"3"}}]}}"#
        #expect(String(decoding: JSONWriter.bytes(of: value.report), as: UTF8.self) == text)
    }

    @Test func `every kind of value is told by its type`() {
        let values: [(RuleValue, String)] = [
            (.null, #"{"nullValue":null}"#), (.boolean(true), #"{"boolValue":true}"#),
            (.integer(-1), #"{"intValue":"-1"}"#), (.float(1.5), #"{"floatValue":1.5}"#),
            (.float(.nan), #"{"floatValue":"nan"}"#), (.string("é"), #"{"stringValue":"é"}"#),
            (.bytes([97, 98]), #"{"bytesValue":"YWI="}"#),
            (
                .timestamp(Timestamp(seconds: 0, nanoseconds: 0)),
                #"{"timestampValue":"1970-01-01T00:00:00Z"}"#
            ),
            (.list([]), #"{"listValue":{}}"#),
            (.set([.integer(1)]), #"{"setValue":{"values":[{"intValue":"1"}]}}"#),
            (
                .path(RulePath(["a", "b"])),
                #"{"pathValue":{"segments":[{"simple":"a"},{"simple":"b"}]}}"#
            ),
            (
                .mapDiff(
                    RuleMap([("a", .integer(1)), ("b", .null), ("c", .null)]),
                    from: RuleMap([("a", .integer(2)), ("b", .null), ("d", .null)])),
                #"{"mapDiffValue":{"keyStatuses":{"a":"CHANGED","b":"UNCHANGED","c":"ADDED","d":"REMOVED"}}}"#
            ),
        ]
        for (value, text) in values {
            #expect(String(decoding: JSONWriter.bytes(of: value.report), as: UTF8.self) == text)
        }
    }

    @Test func `the page shows the whole source, with nothing of it taken for HTML`() throws {
        let source = """
            service cloud.firestore {
              match /databases/{d}/documents {
                match /c/{id} { allow get: if id == '<b>&"' || 1 < 2; }
              }
            }
            """
        let page = try report(source, [("x", nil)]).page
        #expect(page.contains("'&lt;b&gt;&amp;&quot;'"))
        #expect(!page.contains("<b>"))
        #expect(page.contains(#"<span class="true" title="1 x true">"#))
        #expect(page.contains(#"<span class="false" title="1 x false">"#))
        #expect(page.contains(#"title="1 x &quot;x&quot;">id</span>"#))
    }
}
