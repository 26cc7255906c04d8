import HearthModel
import HearthRules
import Testing

/// What a condition may cost.
struct LimitTests {
    private static func allows(_ condition: String) throws -> Bool {
        var spec = try RulesSpec("match /a/{b} { allow get: if \(condition); }")
        spec.put("a/x", ["text": .string(String(repeating: "a", count: 100_000))])
        return spec.get("a/x").isAllowed
    }

    private static func list(_ count: Int, _ element: (Int) -> String, _ separator: String)
        -> String
    {
        (0..<count).map(element).joined(separator: separator)
    }

    @Test func `a request evaluates a thousand expressions and no more`() throws {
        let many = Self.list(990, { "\($0)" }, ",")
        #expect(try Self.allows("[\(many)].size() > 0"))
        let more = Self.list(1_000, { "\($0)" }, ",")
        #expect(try !Self.allows("[\(more)].size() > 0"))
        // The limit is no failure that an operator could pass over.
        #expect(try !Self.allows("[\(more)].size() > 0 || true"))
    }

    @Test func `ten documents are looked up, each counted once`() throws {
        func lookups(_ count: Int, _ modulus: Int) -> String {
            Self.list(
                count, { "!exists(/databases/$(database)/documents/n/m\($0 % modulus))" }, " && ")
        }
        #expect(try Self.allows(lookups(10, 10)))
        #expect(try !Self.allows(lookups(11, 11)))
        #expect(try Self.allows(lookups(30, 10)))
    }

    @Test func `twenty functions call each other and no more`() throws {
        func spec(_ count: Int) throws -> RulesSpec {
            let functions = (1..<count).map { "function f\($0)(a) { return f\($0 + 1)(a); }" }
            return try RulesSpec(
                "match /a/{b} { allow get: if f1(1); } \(functions.joined(separator: "\n")) "
                    + "function f\(count)(a) { return true; }")
        }
        #expect(try spec(20).get("a/x").isAllowed)
        #expect(try !spec(21).get("a/x").isAllowed)
    }

    @Test(
        .timeLimit(.minutes(1)),
        arguments: [
            "resource.data.text.matches('(a*)*b')", "resource.data.text.matches('(a|aa)+b')",
            "resource.data.text.matches('(a?){50}a{50}b')",
            "resource.data.text.matches('.*.*.*.*b')",
            "resource.data.text.matches('((((a*)*)*)*)*b')",
            "resource.data.text.matches('(?:(?:a{1,20}){1,20}){1,5}b')",
        ])
    func `no pattern takes more than linear time`(condition: String) throws {
        #expect(try !Self.allows(condition))
    }

    @Test func `values do not grow without end`() throws {
        var spec = try RulesSpec(
            """
            function twice(text) { return text + text + text + text + text + text + text + text; }
            match /a/{b} {
              allow get: if twice(twice(twice(twice(resource.data.text)))).size() > 0;
            }
            """)
        spec.put("a/x", ["text": .string(String(repeating: "a", count: 100_000))])
        #expect(!spec.get("a/x").isAllowed)
        #expect(try !Self.allows("resource.data.text.replace('a', resource.data.text) == ''"))
    }

    @Test func `wildcards inside wildcards end`() throws {
        let depth = 9
        let open = (0..<depth).map { "match /{p\($0)=**} { " }.joined()
        let spec = try RulesSpec(
            open + "allow get: if false;" + String(repeating: "}", count: depth))
        let path = (0..<60).map { "s\($0)" }.joined(separator: "/")
        #expect(!spec.get(path).isAllowed)
    }
}
