import Testing

@testable import HearthCLI

struct DerivationTests {
    private let record = ValueLiteral.map([
        .init(name: "code", value: .string("DE-BE")),
        .init(name: "name", value: .string("berlin")),
        .init(name: "number", value: .integer(7)),
    ])

    @Test(arguments: [
        ("country=code:before:-", "country", ValueLiteral.string("DE")),
        ("part=code:after:-", "part", .string("BE")),
        ("part=code:after:x", "part", .string("DE-BE")),
        ("letter=name:first:1:upper", "letter", .string("B")),
        ("end=name:last:3", "end", .string("lin")),
        ("low=code:lower", "low", .string("de-be")),
        ("home=code:before:-:ref:countries", "home", .reference("countries/DE")),
        ("copy=number", "copy", .integer(7)),
        ("name=code", "name", .string("DE-BE")),
    ])
    func `a field is made from another`(text: String, target: String, value: ValueLiteral) throws {
        let derived = try Derivation(parsing: text).apply(to: record)
        #expect(derived[target] == value)
        #expect(derived["code"] == .string("DE-BE"))
    }

    @Test func `a field of a map is made, and the map with it`() throws {
        let derived = try Derivation(parsing: "of.country=code:before:-").apply(to: record)
        #expect(derived["of"]?["country"] == .string("DE"))
    }

    @Test func `a record without the source stays as it was`() throws {
        #expect(try Derivation(parsing: "a=b:lower").apply(to: record) == record)
    }

    @Test func `a value that a step cannot take is told`() throws {
        let error = try #require(throws: ImportProblem.self) {
            try Derivation(parsing: "a=number:lower").apply(to: record)
        }
        #expect(error.reason == "a cannot be derived from number, which is 7")
        #expect(throws: ImportProblem.self) {
            try Derivation(parsing: "a=name:integer").apply(to: record)
        }
    }

    @Test func `an escaped colon belongs to the argument`() throws {
        #expect(try Derivation(parsing: "a=b:before:\\:").steps == [.before(":")])
    }

    @Test(arguments: [
        ("a", 2, "\"=\" is missing"),
        ("a=", 3, "a field's name is missing"),
        ("a=b:", 4, "\"\" is no step"),
        ("a=b:prefix:3", 4, "\"prefix\" is no step"),
        ("a=b:before", 11, "needs \":\" and an argument"),
        ("a=b:first:x", 10, "\"x\" is no count"),
        ("a=b:ref:a/b", 8, "is no collection"),
    ])
    func `what is no rule is refused with its place`(
        text: String, column: Int, reason: String
    ) throws {
        let error = try #require(throws: ValueSyntaxError.self) { try Derivation(parsing: text) }
        #expect(error.column == column)
        #expect(error.reason.contains(reason), "\(error)")
    }
}
