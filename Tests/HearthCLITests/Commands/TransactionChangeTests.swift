import HearthModel
import Testing

@testable import Hearth
@testable import HearthCLI

struct TransactionChangeTests {
    /// What a change makes of a node; `nil` if the change gives up.
    private func result(_ change: TransactionChange, of json: String) throws -> Node? {
        let data = MutableData(try Node(json: json), at: "/votes")
        guard let proposal = try change.run(data).data?.proposal() else { return nil }
        return proposal.node
    }

    @Test(arguments: [
        ("null", 1.0, "1"), ("3", -5, "-2"), ("3", 0.5, "3.5"), ("1.5", 1.5, "3"),
        ("9223372036854775807", 1, "9223372036854775808"),
    ])
    func `a number is added to a number, and to nothing`(
        old: String, delta: Double, new: String
    ) throws {
        #expect(try result(.add(delta), of: old) == Node(json: new))
    }

    @Test(arguments: ["true", #""x""#, #"{"a":1}"#])
    func `what is no number is left alone`(old: String) throws {
        #expect(try result(.add(1), of: old) == nil)
    }

    @Test(arguments: [
        ("null", "null"), ("1", "1"), ("1", "1.0"), ("1.5", "1.5"), ("true", "true"),
        (#""x""#, "x"), (#"{"a":{"b":1},"c":"x"}"#, #"{"c":"x","a":{"b":1,"d":null}}"#),
        (#"["x",null,"y","z"]"#, #"["x",null,"y","z"]"#), ("null", "{}"),
        ("9007199254740993", "9007199254740993"),
    ])
    func `a value takes the place of the one that was expected`(old: String, expected: String)
        throws
    {
        let expected = try ValueReader.readArgument(expected)
        let change = TransactionChange.replace(expected, by: .string("new"))
        #expect(try result(change, of: old) == Node(.string("new")))
    }

    @Test(arguments: [
        ("null", "1"), ("1", "null"), ("1", "2"), ("1", #""1""#), ("true", "1"),
        (#"{"a":1}"#, #"{"a":1,"b":2}"#), (#"{"a":1,"b":2}"#, #"{"a":1}"#),
        (#"{"a":1}"#, #"{"b":1}"#), ("9007199254740993", "9007199254740992"), ("1", #"{"a":1}"#),
    ])
    func `a value that was not expected is left alone`(old: String, expected: String) throws {
        let expected = try ValueReader.readArgument(expected)
        #expect(try result(.replace(expected, by: .null), of: old) == nil)
    }

    @Test func `what was expected can be removed`() throws {
        let change = TransactionChange.replace(.integer(1), by: .null)
        #expect(try result(change, of: "1") == .empty)
    }
}
