import HearthModel
import HearthRules
import Testing

/// What is no file of rules, and where that is said to be.
struct RealtimeFileTests {
    private static func error(_ source: String) throws -> RulesError {
        try #require(throws: RulesError.self) { try RealtimeRuleSet(source) }
    }

    @Test(arguments: [
        ("", "1:1", "a file of rules is"), ("[]", "1:1", "a file of rules is"),
        ("{}", "1:2", "a file of rules is"), (#"{"rule": {}}"#, "1:2", "a file of rules is"),
        (#"{"rules": {}, "more": 1}"#, "1:13", "nothing besides"),
        (#"{"rules": {}} x"#, "1:15", "something follows"),
        (#"{"rules": null}"#, "1:11", "expected the rules of a place"),
        (#"{"rules": {"a": "true"}}"#, "1:17", "expected the rules of a place"),
        (#"{"rules": {"a": null}}"#, "1:17", "expected the rules of a place"),
        (#"{"rules": {".woops": true}}"#, "1:12", "there is no \".woops\""),
        (#"{"rules": {".read": 1}}"#, "1:21", "a string, true or false"),
        (#"{"rules": {".read": null}}"#, "1:21", "a string, true or false"),
        (#"{"rules": {".read": trueish}}"#, "1:21", "a string, true or false"),
        (#"{"rules": {".indexOn": true}}"#, "1:24", "a string or a list"),
        (#"{"rules": {".indexOn": [1]}}"#, "1:25", "a string or a list"),
        (#"{"rules": {".indexOn": "$key"}}"#, "1:24", "neither .value nor"),
        (#"{"rules": {".indexOn": ""}}"#, "1:24", "neither .value nor"),
        (#"{"rules": {"$a": {}, "$b": {}}}"#, "1:22", "a place has one wildcard"),
        (#"{"rules": {"$a": {"b": {"$a": {}}}}}"#, "1:25", "already a wildcard"),
        (#"{"rules": {"$": {}}}"#, "1:12", "no name of a wildcard"),
        (#"{"rules": {"a/b": {}}}"#, "1:12", "no name of a place"),
        (#"{"rules": {"": {}}}"#, "1:12", "no name of a place"),
        (#"{"rules": {"a": {}, "a": {}}}"#, "1:21", "\"a\" is there twice"),
        (#"{"rules": {".read": true, ".read": true}}"#, "1:27", "is there twice"),
        (#"{"rules": {".read": true,}}"#, "1:26", "expected a string"),
        (#"{"rules": {".read" true}}"#, "1:20", "expected \":\""),
        (#"{"rules": {".read": true "a": {}}}"#, "1:26", "expected \"}\""),
        (#"{"rules": {".read": "a\qb"}}"#, "1:23", "no such escape"),
        (#"{"rules": {".read": "true"#, "1:21", "no end"), (#"{"rules": {/* "#, "1:12", "no end"),
        (#"{"rules": {".read": ""}}"#, "1:22", "expected an expression"),
        (#"{"rules": {".read": "true &&"}}"#, "1:29", "expected an expression"),
        (#"{"rules": {".read": "a = 5"}}"#, "1:24", "may not assign"),
        (#"{"rules": {".read": "true; false"}}"#, "1:28", "nothing may follow"),
        (#"{"rules": {".read": "true false"}}"#, "1:27", "expected an operator"),
        (#"{"rules": {".read": "var a = 5"}}"#, "1:26", "expected an operator"),
        (#"{"rules": {".read": "1 ** 2 == 1"}}"#, "1:25", "expected an expression"),
        (#"{"rules": {".read": "1 & 2"}}"#, "1:24", "means nothing here"),
        (#"{"rules": {".read": "--now > 0"}}"#, "1:23", "may not change"),
        (#"{"rules": {".read": "1 --1 == 2"}}"#, "1:25", "may not change"),
        (#"{"rules": {".read": "+1 == 1"}}"#, "1:22", "expected an expression"),
        (#"{"rules": {".read": "{} == null"}}"#, "1:22", "expected an expression"),
        (#"{"rules": {".read": "'a == 1"}}"#, "1:22", "no end"),
        (#"{"rules": {".read": "1a == 1"}}"#, "1:23", "followed by a letter"),
        (#"{"rules": {".read": "012 == 10"}}"#, "1:22", "may not begin with 0"),
        (#"{"rules": {".read": "1e999 == 1"}}"#, "1:22", "too large"),
        (#"{"rules": {".read": "1e == 1"}}"#, "1:23", "needs digits"),
        (#"{"rules": {".read": "root.child(\"a\").foo()"}}"#, "1:22", "no method foo"),
        (#"{"rules": {".read": "\"a\" == skies"}}"#, "1:31", "skies is no variable"),
        ("{\"rules\": {\n  // a\n  \".read\":\n    \"true &&\n     skies == 1\"}}", "5:6", "skies"),
        ("{\"rules\": {\".read\": \"'é' == skies\"}}", "1:30", "skies"),
    ])
    func `an error names its line and column in the file`(
        source: String, place: String, reason: String
    ) throws {
        let error = try Self.error(source)
        #expect(error.brief.hasPrefix(place + ": "), "\(source): \(error.brief)")
        #expect(error.reason.contains(reason), "\(source): \(error.brief)")
    }

    @Test func `comments and ends of lines may be where Firebase's tools let them be`() throws {
        _ = try RealtimeRuleSet(
            """
            /* of a day */ { // all
              "rules": {
                ".read": "auth != null // whoever it is
                          && /* and */ auth.uid != ''",
                ".indexOn": [], "rooms": {".indexOn": ["a/b", ".value"], "$r": {}}, // the end
                "$other": {".validate": false}
              }
            }

            """)
        _ = try RealtimeRuleSet(#"{"rules": {}}"#)
        _ = try RealtimeRuleSet("\u{FEFF}{\"rules\": {\"\\u0061\\uD83D\\uDE00\": {}}}")
    }

    @Test func `the strict form is JSON, and the same rules`() throws {
        let rules = try RealtimeRuleSet(
            "\u{FEFF}/* a */ {\"rules\": { // b\n\".read\": \"true\r\n\t&& '/*\\\"*/' != '//'\"/***/}}//"
        )
        let strict = rules.strictSource
        let json = try JSONReader.read(Array(strict.utf8))
        #expect(json["rules"]?[".read"]?.string == "true\r\n\t&& '/*\"*/' != '//'")
        #expect(strict.hasPrefix(" {\"rules\": { \n"))
        #expect(try RealtimeRuleSet(strict).strictSource == strict)
    }

    @Test func `nesting has a limit everywhere`() throws {
        let deep = [
            String(repeating: "(", count: 5_000) + "true" + String(repeating: ")", count: 5_000),
            String(repeating: "[", count: 5_000), String(repeating: "!", count: 5_000) + "true",
            String(repeating: "- ", count: 5_000) + "1 == 1",
            "1" + String(repeating: " + 1", count: 5_000) + " == 1",
            "auth" + String(repeating: ".b", count: 5_000) + " == 1",
            "auth" + String(repeating: "[0]", count: 5_000) + " == 1",
            String(repeating: "auth[", count: 5_000), String(repeating: "a(", count: 5_000),
            String(repeating: "true ? ", count: 5_000) + "true",
            "root" + String(repeating: ".parent()", count: 5_000) + ".exists()",
            "'a'.matches(/" + String(repeating: "(", count: 3_000) + "/)",
        ]
        for rule in deep { _ = try Self.error(RealtimeSpec.file(read: rule)) }
        let names = (0..<5_000).map { "\"a\($0)\": {" }.joined()
        #expect(try Self.error("{\"rules\": {\(names)").reason.contains("nest deeper"))
        let wild = (0..<5_000).map { "\"$a\($0)\": {" }.joined()
        #expect(try Self.error("{\"rules\": {\(wild)").reason.contains("nest deeper"))
        let long = String(repeating: " ", count: 300_000)
        #expect(try Self.error("{\"rules\": {}}\(long)").reason.contains("bytes"))
        // Chains are not deep, however long.
        let chain = Array(repeating: "auth.a != null", count: 5_000).joined(separator: " && ")
        _ = try RealtimeRuleSet(RealtimeSpec.file(read: chain))
    }
}
