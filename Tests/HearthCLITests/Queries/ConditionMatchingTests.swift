import Testing

@testable import HearthCLI

struct ConditionMatchingTests {
    private let object = Report().with("n", 3).with("word", "beta").with("none", String?.none)
        .with("flag", true).with("list", .array([.string("a"), .integer(2)]))
        .with("inner", .map([.init(name: "x", value: .double(1.5))])).value

    @Test(arguments: [
        "n == 3", "n == 3.0", "n >= 3", "n < 4", "n != 4", "n in [1,3]", "n not-in [1,2]",
        "word == beta", "word > alpha", "none == null", "flag == true", "inner.x == 1.5",
        "list array-contains a", "list array-contains-any [9,2]", "absent == null",
    ])
    func `a condition holds`(text: String) throws {
        #expect(try Condition(parsing: text).holds(for: object))
    }

    @Test(arguments: [
        "n == 4", "n > 3", "n == beta", "word < 3", "n in [1,2]", "flag == false",
        "list array-contains b", "absent == 1", "inner == 1.5", "n != 3",
    ])
    func `a condition does not hold`(text: String) throws {
        #expect(try !Condition(parsing: text).holds(for: object))
    }
}
