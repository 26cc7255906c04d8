import HearthModel
import HearthRules
import Testing

/// What is no set of rules, and where that is said to be.
struct ParserTests {
    private static func error(_ source: String) throws -> RulesError {
        try #require(throws: RulesError.self) { try RuleSet(source) }
    }

    @Test(arguments: [
        ("match /a/{b} { allow read: true; }", 4, 28, "expected \"if\""),
        ("match /a/{b} { allow read: if ; }", 4, 31, "expected an expression"),
        ("match /a/{b} { allow look; }", 4, 22, "\"look\" is no method"),
        ("match /a/{b} { allow read: if 1 is text; }", 4, 36, "expected a type"),
        ("match /a/{b} { }", 4, 16, "at least one statement"),
        ("match a { allow read; }", 4, 7, "expected a path"),
        ("match /a/{b}/ { allow read; }", 4, 14, "expected a name or {a variable}"),
        ("match /{a=**}/{b=**} { allow read; }", 4, 1, "one {x=**} only"),
        ("match /a/{b} { allow read: if 'x; }", 4, 31, "no end on its line"),
        ("match /a/{b} { allow read: if 9223372036854775808 == 0; }", 4, 31, "64 bits"),
        ("match /a/{b} { allow read: if 1 == 1 &&& 2 == 2; }", 4, 40, "means nothing"),
        ("match /a/{b} { allow read: if 'a'.matches('['); }", 4, 43, "no \"]\""),
        ("match /a/{b} { allow read: if 'a'.matches('(?=a)'); }", 4, 43, "cannot be used"),
        (
            "match /a/{b} { allow read: if f(); } function f() { return f(); }", 4, 60,
            "calls itself"
        ),
        (
            "match /a/{b} { allow read: if f(); function f() { return g(); } "
                + "function g() { return f(); } }", 4, 87, "calls itself"
        ),
        ("function f() { return 1; } function f() { return 2; }", 4, 28, "declared twice"),
        ("function f(a) { let a = 1; return a; }", 4, 21, "already a variable"),
        ("match /a/{b} { allow read: if 1 + ; }", 4, 35, "expected an expression"),
        ("function f() { let a = 1 return a; }", 4, 26, "expected \";\""),
        ("match /a/{b} { allow read: if /*", 4, 31, "no end"),
    ])
    func `an error names its line and column`(
        body: String, line: Int, column: Int, reason: String
    ) throws {
        let error = try Self.error(RulesSpec.framed(body))
        #expect(error.reason.contains(reason), "\(error)")
        #expect(error.position == SourcePosition(line: line, column: column), "\(error)")
    }

    @Test(arguments: [
        ("", "must have a \"service"), ("// nothing\n", "must have a \"service"),
        ("foo", "expected \"service\""),
        ("rules_version = '3';", "must be '1' or '2'"), ("rules_version = 2;", "as a string"),
        ("service firebase.storage { match /b/{c} { allow read; } }", "only the service"),
        ("service cloud.firestore { allow read; }", "expected \"match\""),
    ])
    func `a source that has no service for Firestore is refused`(
        source: String, reason: String
    ) throws {
        #expect(try Self.error(source).reason.contains(reason))
    }

    @Test func `semicolons and the version's end may be left out where production lets them`()
        throws
    {
        _ = try RuleSet(
            """
            rules_version = '2'
            /* of a day */
            function isDay() { return true } // no semicolon
            service cloud.firestore {
              match /databases/{d}/documents/{all=**} {
                allow get, list: if isDay()
                allow write
              }
            }
            """)
    }

    @Test func `nesting has a limit everywhere`() throws {
        let deep = [
            String(repeating: "(", count: 5_000) + "true" + String(repeating: ")", count: 5_000),
            String(repeating: "[", count: 5_000), String(repeating: "!", count: 5_000) + "true",
            String(repeating: "-", count: 5_000) + "1 == 1",
            "1" + String(repeating: " + 1", count: 5_000) + " == 1",
            "a" + String(repeating: ".b", count: 5_000),
            "a" + String(repeating: "[0]", count: 5_000),
            String(repeating: "true ? ", count: 5_000) + "true",
            String(repeating: "f(", count: 5_000), String(repeating: "{'a': ", count: 5_000),
            "/a/" + String(repeating: "$(/a/", count: 5_000),
            "'a'.matches('" + String(repeating: "(", count: 3_000) + "')",
            "'a'.matches('((a{1000}){1000}){1000}')",
        ]
        for condition in deep {
            let error = try Self.error(
                RulesSpec.framed("match /a/{b} { allow read: if \(condition); }"))
            #expect(error.position.line == 4)
        }
        let matches = String(repeating: "match /a { ", count: 5_000)
        #expect(try Self.error(RulesSpec.framed(matches)).reason.contains("inside each other"))
        let long = String(repeating: "/a", count: 200)
        #expect(
            try Self.error(RulesSpec.framed("match \(long) { allow read; }")).reason
                .contains("more than 100 segments"))
        let source = RulesSpec.framed(String(repeating: " ", count: 300_000))
        #expect(try Self.error(source).reason.contains("bytes"))
    }
}
