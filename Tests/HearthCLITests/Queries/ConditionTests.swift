import Testing

@testable import HearthCLI

struct ConditionTests {
    @Test(arguments: [
        ("lights >= 3", ["lights"], Condition.Comparison.isGreaterOrEqual, ValueLiteral.integer(3)),
        ("lights>=3", ["lights"], .isGreaterOrEqual, .integer(3)),
        ("name == Great Hall", ["name"], .isEqual, .string("Great Hall")),
        ("name = x", ["name"], .isEqual, .string("x")),
        ("a.b != null", ["a", "b"], .isNotEqual, .null),
        ("tag in [\"a\",\"b\"]", ["tag"], .isIn, .array([.string("a"), .string("b")])),
        ("tag not-in [1]", ["tag"], .isNotIn, .array([.integer(1)])),
        ("tags array-contains red", ["tags"], .contains, .string("red")),
        ("tags array-contains-any [1]", ["tags"], .containsAny, .array([.integer(1)])),
        ("`a b` < 1.5", ["a b"], .isLess, .double(1.5)),
        ("__name__ > hall", ["__name__"], .isGreater, .string("hall")),
        ("note ==\u{301}x", ["note"], .isEqual, .string("\u{301}x")),
        ("note == \u{301}x", ["note"], .isEqual, .string("\u{301}x")),
    ])
    func `a condition is read`(
        text: String, names: [String], comparison: Condition.Comparison, operand: ValueLiteral
    ) throws {
        let condition = try Condition(parsing: text)
        #expect(condition.field.names == names)
        #expect(condition.comparison == comparison)
        #expect(condition.operand == operand)
    }

    @Test(arguments: [
        ("lights", 7, "a comparison is missing"),
        ("lights ~ 3", 8, "a comparison is missing"),
        ("lights === 3", 8, "a comparison is missing"),
        ("lights ==", 10, "a value is missing"),
        ("tag in a", 8, "compares with an array"),
        ("é == [1", 8, "a comma or \"]\" is missing"),
    ])
    func `what is no condition is refused with its place`(
        text: String, column: Int, reason: String
    ) throws {
        let error = try #require(throws: ValueSyntaxError.self) { try Condition(parsing: text) }
        #expect(error.column == column)
        #expect(error.reason.contains(reason), "\(error)")
    }

    @Test func `an order is read with its direction`() throws {
        #expect(try Ordering(parsing: "name").isDescending == false)
        #expect(try Ordering(parsing: "name:asc").isDescending == false)
        #expect(try Ordering(parsing: "a.b:desc").isDescending == true)
        #expect(try Ordering(parsing: "a.b:desc").field.names == ["a", "b"])
        #expect(throws: ValueSyntaxError.self) { try Ordering(parsing: "name:down") }
        #expect(throws: ValueSyntaxError.self) { try Ordering(parsing: "") }
    }
}
