import Testing

@testable import HearthCLI

struct AssignmentTests {
    @Test(arguments: [
        ("name=Hall", ["name"], ValueLiteral.string("Hall")),
        ("lights=3", ["lights"], .integer(3)),
        ("a.b.c=true", ["a", "b", "c"], .boolean(true)),
        ("`a.b`.c=x=y", ["a.b", "c"], .string("x=y")),
        ("a\\.b=", ["a.b"], .string("")),
        ("visits=increment(1)", ["visits"], .order(.increment(.integer(1)))),
        ("a.\u{301}b=\u{301}x", ["a", "\u{301}b"], .string("\u{301}x")),
    ])
    func `a field and a value are read`(text: String, names: [String], value: ValueLiteral) throws {
        #expect(try Assignment(parsing: text) == Assignment(FieldPathText(names: names), value))
    }

    @Test(arguments: [
        ("name", 5, "\"=\" is missing"),
        ("=1", 1, "a field's name is missing"),
        ("a..b=1", 3, "a field's name is missing"),
        ("`a=1", 1, "a backtick has no end"),
        ("a[0]=1", 2, "needs backticks"),
        ("naïve=[1", 9, "a comma or \"]\" is missing"),
    ])
    func `what is no assignment is refused with its place`(
        text: String, column: Int, reason: String
    ) throws {
        let error = try #require(throws: ValueSyntaxError.self) { try Assignment(parsing: text) }
        #expect(error.column == column)
        #expect(error.reason.contains(reason), "\(error)")
    }

    @Test func `paths with the same start become one map`() throws {
        let assignments = try ["lamp.on=true", "name=Hall", "lamp.color.red=1"].map {
            try Assignment(parsing: $0)
        }
        let text = ValueWriter.write(try Assignment.map(assignments), as: .json)
        #expect(text == #"{"lamp":{"on":true,"color":{"red":1}},"name":"Hall"}"#)
    }

    @Test(arguments: [["a=1", "a=2"], ["a=1", "a.b=2"], ["a.b=1", "a=2"], ["a.b=1", "a.b.c=2"]])
    func `fields that lie in each other are refused`(texts: [String]) throws {
        let assignments = try texts.map { try Assignment(parsing: $0) }
        let failure = try #require(throws: Failure.self) { try Assignment.map(assignments) }
        #expect(failure.status == .usage)
    }

    @Test(arguments: [
        "a", "a.b", "`a.b`.c", "`a b`", "`0`", "`\\``", "`\\\\`", "`é`", "`\\`\u{301}`",
    ])
    func `a field's path is printed as it is read`(text: String) throws {
        #expect(try FieldPathText(text).description == text)
    }
}
