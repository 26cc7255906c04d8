import HearthModel
import HearthRules
import Testing

/// The patterns of `matches()`.
struct RealtimePatternTests {
    private static func verdict(_ pattern: String, _ text: String) throws -> RealtimeVerdict {
        try RealtimeVerdict("root.val().matches(\(pattern))", data: Node(.string(text)))
    }

    @Test(arguments: [
        ("/a/", "bac", true), ("/a/", "b", false), ("/^a/", "ba", false), ("/a$/", "ab", false),
        ("/^a*$/", "aaa", true), ("/^a*$/", "", true), ("/^a+$/", "", false),
        ("/^a?$/", "aa", false),
        ("/......../", "Firebase", true), ("/^.$/", "\n", true), ("/^(ab)*$/", "abab", true),
        ("/a|bc/", "bc", true), ("/^a|c$/", "ab", true), ("/^a|c$/", "bc", true),
        ("/^(a|c)$/", "ab", false), ("/[a-f]/", "F", false), ("/[A-F]/i", "f", true),
        ("/BAR/i", "xbarx", true), ("/[^0-9]/", "12", false), ("/[^a]/i", "A", false),
        ("/^[0-9A-F]+$/", "09AF", true), ("/^a{2}$/", "aa", true), ("/^a{2,}$/", "a", false),
        ("/^a{2,3}$/", "aaaa", false), ("/^a{0,1}$/", "", true), ("/^(foo){2}$/", "foofoo", true),
        (#"/^\d\D\s\S\w\W$/"#, "1a b_-", true), (#"/^\w+$/"#, "é", false), (#"/\./"#, "a", false),
        (#"/\{foo}/"#, "{foo}", true), ("/a]b}/", "a]b}", true), (#"/a\/b/"#, "a/b", true),
        ("/[/]/", "/", true), (#"/[\]\-\\]/"#, "\\", true), ("/[-a]/", "-", true),
        ("/[a-]/", "-", true), (#"/[\w-]/"#, "-", true), ("/[.]/", "x", false),
        ("/[$^]/", "^", true), ("/a.*?b/", "axxb", true), (#"/^\$\^$/"#, "$^", true),
        ("/^[a-z😀]+$/", "a😀", true),
        (
            "/^(19|20)[0-9][0-9][-\\/. ](0[1-9]|1[012])[-\\/. ](0[1-9]|[12][0-9]|3[01])$/",
            "1999-12-31", true
        ),
        (
            "/^(19|20)[0-9][0-9][-\\/. ](0[1-9]|1[012])[-\\/. ](0[1-9]|[12][0-9]|3[01])$/",
            "1999-13-31", false
        ),
        (#"/^[A-Z0-9._%+-]+@[A-Z0-9.-]+\.[A-Z]{2,4}$/i"#, "ann@example.org", true),
        (#"/^[A-Z0-9._%+-]+@[A-Z0-9.-]+\.[A-Z]{2,4}$/i"#, "ann@example", false),
        (
            #"/^(ht|f)tp(s?):\/\/[0-9a-zA-Z]([-.\w]*[0-9a-zA-Z])*((0-9)*)*(\/?)([a-zA-Z0-9\-\.\?\,\'\/\\+&=%\$#_]*)?$/"#,
            "https://example.org/a?b=c", true
        ),
    ])
    func `a pattern is looked for anywhere`(
        pattern: String, text: String, isFound: Bool
    ) throws {
        #expect(try Self.verdict(pattern, text) == .value(isFound), "\(pattern)")
    }

    @Test(arguments: [
        ("/bar/ig", "flags"), ("/bar/g", "flags"), ("/^(foo|)$/", "empty"), ("/a||b/", "empty"),
        ("/a()/", "empty"), ("/|a/", "empty"), ("/^$/", "empty"), ("/a^b/", "first character"),
        ("/(^a)/", "first character"), ("/a|^b/", "first character"), ("/a$b/", "last character"),
        ("/(a$)/", "last character"), ("/a$|b/", "last character"), ("/+a/", "repeats nothing"),
        ("/^*a/", "repeats nothing"), ("/(?=a)/", "not supported"), ("/(?:a)/", "not supported"),
        ("/a**/", "repetition is repeated"), ("/a{,2}/", "a repetition is"),
        ("/a{x}/", "a repetition is"), ("/a{3,2}/", "a repetition is"),
        ("/a{1001}/", "a repetition is"), ("/a{99999999999999999999}/", "a repetition is"),
        ("/(a/", "no \")\""), ("/a)/", "no \"(\""), ("/[]/", "set is empty"),
        ("/[^]/", "set is empty"), ("/[z-a]/", "backwards"), (#"/[a-\d]/"#, "range must end"),
        ("/a", "no end"), ("/[a/", "no end"), ("/((a{1000}){1000}){1000}/", "steps"),
    ])
    func `what is no pattern is refused`(pattern: String, reason: String) throws {
        guard case .refused(let refusal) = try Self.verdict(pattern, "a") else {
            Issue.record("\(pattern) is taken")
            return
        }
        #expect(refusal.contains(reason), "\(pattern): \(refusal)")
    }

    @Test func `a pattern that others would try again and again takes no time`() throws {
        let text = String(repeating: "a", count: 20_000)
        #expect(try Self.verdict("/^(a+)+$/", text) == .value(true))
        #expect(try Self.verdict("/^(a+)+$/", text + "b") == .value(false))
        #expect(try Self.verdict("/^(a|a)*$/", text + "b") == .value(false))
    }

    @Test func `a pattern that begins at the start is not looked for elsewhere`() throws {
        // Looked for everywhere, it would take more than the budget.
        let text = String(repeating: "x", count: 10_000_000)
        #expect(try Self.verdict("/^data:image/", text) == .value(false))
    }
}
