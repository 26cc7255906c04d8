import Hearth
import Testing

@testable import HearthCLI

struct ValueReaderTests {
    private static let values: [(String, ValueLiteral)] = [
        ("null", .null),
        ("true", .boolean(true)),
        (" false ", .boolean(false)),
        ("0", .integer(0)),
        ("-9223372036854775808", .integer(.min)),
        ("1.0", .double(1)),
        ("-0", .double(-0.0)),
        ("1e3", .double(1_000)),
        ("Infinity", .double(.infinity)),
        ("-Infinity", .double(-.infinity)),
        ("\"a\\u00e9\\ud83d\\ude00\\n\"", .string("aé😀\n")),
        ("[]", .array([])),
        ("[1, [2], \"x\"]", .array([.integer(1), .array([.integer(2)]), .string("x")])),
        ("{}", .map([])),
        ("{a: 1}", .map([.init(name: "a", value: .integer(1))])),
        ("{\"$map\": {\"$x\": 1}}", .map([.init(name: "$x", value: .integer(1))])),
        (
            "{\"$x\": 1, \"y\": 2}",
            .map([
                .init(name: "$x", value: .integer(1)), .init(name: "y", value: .integer(2)),
            ])
        ),
        (
            "{\"$map\": {\"$double\": 1}, \"y\": 2}",
            .map([
                .init(name: "$map", value: .double(1)), .init(name: "y", value: .integer(2)),
            ])
        ),
        (
            "{\"$map\": {\"$map\": {\"$map\": {\"$x\": 1}}}}",
            .map([.init(name: "$map", value: .map([.init(name: "$x", value: .integer(1))]))])
        ),
        (
            "timestamp(1970-01-01T00:00:01.5Z)",
            .timestamp(Timestamp(seconds: 1, nanoseconds: 500_000_000))
        ),
        (
            "{\"$timestamp\": \"1970-01-01T01:00:00+01:00\"}",
            .timestamp(Timestamp(seconds: 0, nanoseconds: 0))
        ),
        ("bytes(aGk=)", .bytes([0x68, 0x69])),
        ("bytes()", .bytes([])),
        ("{\"$bytes\": \"aGk\"}", .bytes([0x68, 0x69])),
        ("geo(-1.5, 180)", .geoPoint(GeoPoint(latitude: -1.5, longitude: 180))),
        ("ref( rooms/hall )", .reference("rooms/hall")),
        ("ref(\"rooms/a)b\")", .reference("rooms/a)b")),
        (
            "ref(projects/p/databases/d/documents/a/b)",
            .reference("projects/p/databases/d/documents/a/b")
        ),
        ("vector(1, 2.5)", .vector([1, 2.5])),
        ("vector()", .vector([])),
        ("{\"$double\": \"-Infinity\"}", .double(-.infinity)),
        ("serverTimestamp()", .order(.serverTimestamp)),
        ("delete( )", .order(.delete)),
        ("increment(-2)", .order(.increment(.integer(-2)))),
        ("increment(0.5)", .order(.increment(.double(0.5)))),
        ("maximum(3)", .order(.maximum(.integer(3)))),
        ("{\"$minimum\": 3}", .order(.minimum(.integer(3)))),
        (
            "arrayUnion(\"a\", geo(1,2))",
            .order(
                .arrayUnion([
                    .string("a"), .geoPoint(GeoPoint(latitude: 1, longitude: 2)),
                ]))
        ),
        ("{\"$arrayRemove\": [null]}", .order(.arrayRemove([.null]))),
    ]

    @Test(arguments: values)
    func `a value is read from either form`(text: String, value: ValueLiteral) throws {
        #expect(try ValueReader.read(text) == value)
    }

    @Test func `not a number is read from both forms`() throws {
        for text in ["NaN", "{\"$double\": \"NaN\"}"] {
            #expect(try ValueReader.read(text).number?.isNaN == true)
        }
    }

    @Test(arguments: [
        ("", 1, "the text ends where a value should be"),
        ("tru", 1, "\"tru\" is no value"),
        ("[1 2]", 4, "a comma or \"]\" is missing"),
        ("[1,", 4, "the text ends"),
        ("{\"a\": 1, \"a\": 2}", 10, "the name \"a\" is there twice"),
        ("{\"a\" 1}", 6, "a colon is missing"),
        ("\"abc", 1, "the string has no closing quote"),
        ("\"a\\q\"", 3, "is no escape"),
        ("\"\\ud83d\"", 2, "half of a surrogate pair is missing"),
        ("01", 2, "something follows the value"),
        ("1.", 3, "a digit is missing"),
        ("9223372036854775808", 1, "write 9223372036854775808.0 for a double"),
        ("1e400", 1, "no double is so large; write Infinity if that is meant"),
        ("[1, -1.5e400]", 5, "write -Infinity if that is meant"),
        ("increment(1e400)", 11, "no double is so large"),
        ("increment(5", 12, "\")\" is missing"),
        ("increment(\"5\")", 1, "\"increment\" takes a number, not a string"),
        ("serverTimestamp(1)", 17, "takes nothing"),
        ("geo(91, 0)", 1, "no point on the globe"),
        ("geo(1)", 1, "a latitude and a longitude"),
        ("timestamp(2026-13-01T00:00:00Z)", 1, "is no time"),
        ("timestamp(0000-01-01T00:00:00Z)", 1, "is no time"),
        ("bytes(a)", 1, "is no Base64"),
        ("ref(rooms)", 1, "names no document"),
        ("ref(projects/p/databases/d/documents)", 1, "names no document"),
        ("ref(projects/p/databases/d/docs/a/b)", 1, "names no document"),
        ("ref(a//b)", 1, "names no document"),
        ("servertimestamp()", 1, "there is no form servertimestamp()"),
        ("{\"$time\": 1}", 1, "there is no tag \"$time\""),
        ("[increment(1)]", 2, "an order cannot stand in an array"),
        ("é, 1", 1, "no value starts like this"),
        ("[\"é\", x]", 7, "\"x\" is no value"),
    ])
    func `a wrong text is refused with its place`(
        text: String, column: Int, reason: String
    ) throws {
        let error = try #require(throws: ValueSyntaxError.self) { try ValueReader.read(text) }
        #expect(error.column == column)
        #expect(error.line == 1)
        #expect(error.reason.contains(reason), "\(error)")
    }

    @Test func `an error in a file names its line`() throws {
        let error = try #require(throws: ValueSyntaxError.self) {
            try ValueReader.read("{\n  \"a\": 1,\n  \"b\": x\n}")
        }
        #expect(error.description.hasPrefix("at line 3, column 8: "))
    }

    @Test func `nesting has a limit`() {
        let deep = String(repeating: "[", count: 100_000)
        #expect(throws: ValueSyntaxError.self) { try ValueReader.read(deep) }
        let calls = String(repeating: "increment(", count: 100_000)
        #expect(throws: ValueSyntaxError.self) { try ValueReader.read(calls) }
    }

    @Test(arguments: [
        ("Hall", ValueLiteral.string("Hall")),
        ("Great Hall", .string("Great Hall")),
        ("2026-01-02", .string("2026-01-02")),
        ("007", .string("007")),
        ("a(b) c", .string("a(b) c")),
        ("12", .integer(12)),
        ("12 ", .integer(12)),
        ("true", .boolean(true)),
        ("\"true\"", .string("true")),
        ("", .string("")),
        ("-", .string("-")),
        ("0099999999999999999999", .string("0099999999999999999999")),
    ])
    func `an argument that is nothing else is text`(text: String, value: ValueLiteral) throws {
        if text == "a(b) c" {
            #expect(throws: ValueSyntaxError.self) { try ValueReader.readArgument(text) }
        } else {
            #expect(try ValueReader.readArgument(text) == value)
        }
    }

    @Test(arguments: ["9223372036854775808", "-9223372036854775809 ", "99999999999999999999"])
    func `an integer of more than 64 bits is no text, and a double where numbers are JSON's`(
        text: String
    ) throws {
        let error = try #require(throws: ValueSyntaxError.self) {
            try ValueReader.readArgument(text)
        }
        #expect(error.reason.contains("quotes for text"))
        let number = try #require(Double(text.filter { $0 != " " }))
        #expect(try ValueReader.readArgument(text, wideIntegers: .double) == .double(number))
        #expect(try ValueArgument.read("[\(text)]") == .array([.double(number)]))
        let assignment = #expect(throws: ValueSyntaxError.self) {
            try Assignment(parsing: "v=\(text)")
        }
        #expect(assignment?.column == 3)
        let endless = String(repeating: "9", count: 400)
        #expect(throws: ValueSyntaxError.self) {
            try ValueReader.readArgument(endless, wideIntegers: .double)
        }
    }

    @Test func `where numbers are JSON's, nobody is sent to a word that JSON lacks`() throws {
        let error = try #require(throws: ValueSyntaxError.self) {
            try ValueReader.readArgument("1e400", wideIntegers: .double)
        }
        #expect(error.reason == "no double is so large; text needs quotes")
        #expect(try ValueReader.read("1.7976931348623157e308") == .double(.greatestFiniteMagnitude))
        #expect(try ValueReader.read("1e-400") == .double(0))
    }

    @Test(arguments: ["increment(5", "[1,", "{a", "\"a", "incremnt(5)", " [1"])
    func `an argument that looks like a value must be one`(text: String) {
        #expect(throws: ValueSyntaxError.self) { try ValueReader.readArgument(text) }
    }
}
