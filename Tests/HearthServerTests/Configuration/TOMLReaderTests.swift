import HearthServer
import Testing

struct TOMLReaderTests {
    @Test func `tables and dotted keys join to one name`() throws {
        let values = try TOMLReader.read(
            """
            # A comment.
            top = "t"
            [store]
            folder = '/var/lib/x'   # literal
            isPersistent = true
            [ cache ]
            byteCountMax = 1_048_576
            [limits]
            "clientCountMax" = 0x10
            """)
        #expect(
            values == [
                "top": .text("t"), "store.folder": .text("/var/lib/x"),
                "store.isPersistent": .flag(true), "cache.byteCountMax": .number(1_048_576),
                "limits.clientCountMax": .number(16),
            ])
    }

    @Test func `texts keep their escapes and hashes`() throws {
        let values = try TOMLReader.read(##"a.b = "x # \"y\"\t\u00e9\\""##)
        #expect(values == ["a.b": .text("x # \"y\"\té\\")])
    }

    @Test(arguments: [
        ("a = []", []), ("a = [ ] # none", []), ("a = [\"/x, y\", '/z' ,]", ["/x, y", "/z"]),
    ])
    func `a list holds texts`(text: String, texts: [String]) throws {
        #expect(try TOMLReader.read(text) == ["a": .texts(texts)])
    }

    @Test(arguments: [
        ("a = [1, 2]", "a list"), ("a = [\"x\", 2]", "a list"), ("a = {b = 1}", "a table"),
        ("a = 1.5", "a fraction"),
        ("a = 2026-11-21", "a date"), ("a = 1e3", "a fraction"),
        ("a = 9223372036854775808", "9223372036854775808, which is beyond 64 bits"),
    ])
    func `other values are kept by the name of their kind`(text: String, kind: String) throws {
        #expect(try TOMLReader.read(text) == ["a": .other(kind)])
    }

    @Test func `a layer knows the line of each key, after a byte order mark too`() throws {
        let layer = try TOMLReader.layer("\u{FEFF}# Top.\n\n[store]\nfolder = '/x'\n", from: "file")
        #expect(layer.values == ["store.folder": .text("/x")])
        #expect(layer.origin(of: "store.folder") == "file, line 4")
        #expect(layer.origin(of: "log.level") == "file")
    }

    @Test(arguments: [
        ("x", 1, "\"=\" is missing"),
        ("a = 1\nb = word", 2, "\"word\" is no value; texts need quotation marks"),
        ("a = \"open", 1, "a text does not end"),
        ("a = 1\n\na = 2", 3, "a is set twice"),
        ("a = 1 2", 1, "nothing may follow but a comment, not \"2\""),
        ("[[a]]", 1, "lists of tables have no meaning here"),
        ("a = [\"x\"", 1, "a list does not end on its line"),
        ("a = [\"x\" \"y\"]", 1, "a list does not end on its line"),
        ("a =", 1, "a value is missing"),
        ("= 1", 1, "a key is missing"),
    ])
    func `what cannot be read is told with its line`(text: String, line: Int, message: String) {
        #expect(throws: TOMLReader.Failure(line: line, message: message)) {
            try TOMLReader.read(text)
        }
    }
}
