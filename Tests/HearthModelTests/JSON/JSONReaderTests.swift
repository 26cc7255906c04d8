import HearthModel
import Testing

struct JSONReaderTests {
    private func read(_ text: String) throws(JSONError) -> JSONValue {
        try JSONReader.read(Array(text.utf8))
    }

    @Test func `numbers that are whole and fit stay whole`() throws {
        #expect(try read("9223372036854775807") == .integer(.max))
        #expect(try read("-9223372036854775808") == .integer(.min))
        #expect(try read("9223372036854775808") == .double(9_223_372_036_854_775_808))
        #expect(try read("3.0") == .double(3))
        #expect(try read("1e2") == .double(100))
        #expect(try read("5e-324") == .double(.leastNonzeroMagnitude))
    }

    @Test func `minus zero keeps its sign`() throws {
        let zero = try #require(try read("-0").double)
        #expect(zero.sign == .minus)
    }

    @Test func `escapes and pairs of surrogates become their scalars`() throws {
        #expect(
            try read(#""a\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00""#).string == "a\"\\/\u{8}\u{c}\n\r\té😀"
        )
        #expect(try read(#""\ud83dx""#).string == "\u{FFFD}x")
        #expect(try read(#""\ude00""#).string == "\u{FFFD}")
    }

    @Test func `members keep their order, and two spellings are two names`() throws {
        let json = try read("{\"b\": 1, \"a\": [true, null], \"e\u{301}\": 2, \"\u{e9}\": 3}")
        #expect(
            json.members?.map(\.value) == [
                .integer(1), .array([.boolean(true), .null]), .integer(2), .integer(3),
            ])
        #expect(json["\u{e9}"] == .integer(3))
    }

    @Test(arguments: [
        "", " ", "{", "[", "[1,]", "{\"a\"}", "{\"a\":1,}", "{\"a\":1,\"a\":2}", "tru", "01", "1.",
        "-", "+1", "\"", "\"\\x\"", "\"\\u12\"", "\"\n\"", "1 2", "nan",
    ])
    func `what is no JSON is refused`(text: String) {
        #expect(throws: JSONError.self) { try read(text) }
    }

    @Test func `a string that is not UTF-8 is refused`() {
        #expect(throws: JSONError.self) { try JSONReader.read([0x22, 0xC3, 0x22]) }
    }

    @Test func `depth is limited`() throws {
        let deep = String(repeating: "[", count: 256) + String(repeating: "]", count: 256)
        #expect(try read(deep).elements?.count == 1)
        #expect(throws: JSONError.self) { try read("[\(deep)]") }
    }

    @Test func `the place of an error is told`() {
        #expect(throws: JSONError(offset: 4, reason: "no value starts like this")) {
            try read("[1, x]")
        }
    }
}

struct Base64Tests {
    @Test func `both alphabets are read, with and without padding`() {
        #expect(Base64.decode("") == [])
        #expect(Base64.decode("AAE=") == [0, 1])
        #expect(Base64.decode("AAE") == [0, 1])
        #expect(Base64.decode("+/8=") == [0xFB, 0xFF])
        #expect(Base64.decode("-_8") == [0xFB, 0xFF])
        #expect(Base64.decode("Zm9vYmFy") == Array("foobar".utf8))
    }

    @Test(arguments: ["A", "AA=", "AAAA====", "A A=", "AAé="])
    func `what is no base64 is refused`(text: String) {
        #expect(Base64.decode(text) == nil)
    }
}
