import HearthModel
import Testing

struct FieldPathTests {
    @Test(
        arguments: [
            (["a"], "a"), (["a", "b"], "a.b"), (["_"], "_"), (["a1"], "a1"), (["1a"], "`1a`"),
            (["a.b"], "`a.b`"), (["a`b"], "`a\\`b`"), (["a\\b"], "`a\\\\b`"), (["a-b"], "`a-b`"),
            (["\u{E9}"], "`\u{E9}`"), (["a", "b c", "d"], "a.`b c`.d"), (["~*/[]"], "`~*/[]`"),
        ])
    func `a path is written and read again`(segments: [String], text: String) throws {
        let path = FieldPath(segments)
        #expect(utf8Equals(path.canonicalString, text))
        #expect("\(path)" == text)
        #expect(try FieldPath(canonical: text) == path)
    }

    @Test func `backticks may stand where they need not`() throws {
        #expect(try FieldPath(canonical: "`a`.`b`") == FieldPath(["a", "b"]))
    }

    @Test(
        arguments: [
            "", ".", "a..b", ".a", "a.", "``", "a.``", "``.a", "`a", "a`", "`a``b`", "a`b`", "`a`b",
            "a\\.b", "`a\\.b`", "a\\b", "`a\\", "`a\\`", "a-b", "a b", "\u{E9}", "1a", "a.1", "$a",
        ])
    func `what is not canonical is refused`(text: String) {
        #expect(throws: PathError.self) { try FieldPath(canonical: text) }
    }

    @Test func `a programmer's path is split at dots`() throws {
        #expect(try FieldPath(dotted: "a.b-c.\u{E9}") == FieldPath(["a", "b-c", "\u{E9}"]))
        #expect(try FieldPath(dotted: "`a") == FieldPath(["`a"]))
    }

    @Test(arguments: ["", "a..b", ".a", "a.", "a~b", "a*b", "a/b", "a[0]", "a]"])
    func `a programmer's path has no empty segment and none of five signs`(text: String) {
        #expect(throws: PathError.self) { try FieldPath(dotted: text) }
    }

    @Test func `paths know what lies around them`() {
        #expect(field("a").isPrefix(of: field("a.b")))
        #expect(field("a.b").isPrefix(of: field("a.b")))
        #expect(!field("a.b").isPrefix(of: field("a")))
        #expect(!field("a").isPrefix(of: field("ab")))
        #expect(FieldPath.empty.isPrefix(of: field("a")))
        #expect(field("a.b").parent == field("a"))
        #expect(field("a").appending("b") == field("a.b"))
        #expect(field("a.b.c").count == 3)
        #expect(FieldPath.documentID.isDocumentID)
        #expect(!FieldPath(["__name__", "a"]).isDocumentID)
    }

    @Test func `paths are ordered by segments, in bytes`() {
        let ordered = ["a", "a.b", "a.c", "a!", "aa", "b", "e\u{301}", "f", "\u{E9}"].map {
            FieldPath($0.utf8.split(separator: UInt8(ascii: ".")).map { String($0) ?? "" })
        }
        #expect(ordered.reversed().sorted() == ordered)
        #expect(!(field("a") < field("a")))
    }

    @Test func `canonical equivalents are two paths`() {
        let composed = FieldPath(["\u{E9}"])
        let decomposed = FieldPath(["e\u{301}"])
        #expect(composed != decomposed)
        #expect(Set([composed, decomposed]).count == 2)
        #expect(hash(FieldPath(["a", "b"])) == hash(field("a.b")))
    }
}
