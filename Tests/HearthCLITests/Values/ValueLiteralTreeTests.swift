import HearthModel
import Testing

@testable import Hearth
@testable import HearthCLI

struct ValueLiteralTreeTests {
    private static let database = Database(
        settings: DatabaseSettings(socketPath: "/nowhere", url: "https://demo.firebaseio.com"))

    private func snapshot(_ json: String) throws -> DataSnapshot {
        DataSnapshot(Self.database.reference(withPath: "rooms"), try Node(json: json))
    }

    /// What the library reads of a literal's value, as the service's JSON.
    private func read(_ text: String) throws -> String {
        let value = try ValueReader.read(text).treeValue()
        return String(decoding: try UserNode.read(value, at: .root).exportJSON, as: UTF8.self)
    }

    @Test(arguments: [
        ("12", "12"), ("1.5", "1.5"), ("true", "true"), (#""x""#, #""x""#), ("null", "null"),
        (#"{"b":{"c":null},"a":[1,null,"x"]}"#, #"{"a":{"0":1,"2":"x"}}"#),
        (#"{".value":1,".priority":2}"#, #"{".value":1,".priority":2}"#),
        ("serverTimestamp()", #"{".sv":"timestamp"}"#),
        ("increment(2)", #"{".sv":{"increment":2}}"#),
        (#"{"at":{".sv":"timestamp"}}"#, #"{"at":{".sv":"timestamp"}}"#),
    ])
    func `a value is written as it was typed`(text: String, json: String) throws {
        #expect(try read(text) == json)
    }

    /// Swift takes the two spellings for one name, and the service does not.
    @Test func `two spellings of a key are two children`() throws {
        let text = "{\"\u{E9}\":1,\"e\u{301}\":{\"\u{E9}\":2,\"e\u{301}\":3}}"
        let written = try ValueReader.read(text).treeValue()
        let node = try UserNode.read(written, at: .root).template
        #expect(node.childCount == 2)
        #expect(node.child("e\u{301}").childCount == 2)
        let failure = #expect(throws: Failure.self) { try ValueReader.read(text).treeUpdate() }
        #expect(failure?.message?.contains("two spellings") == true)
    }

    @Test(arguments: ["bytes(AAA=)", "geo(1,2)", "ref(a/b)", "vector(1,2)", "arrayUnion(1)"])
    func `a type that the Realtime Database lacks is refused as usage`(text: String) throws {
        let failure = try #require(throws: Failure.self) {
            try ValueReader.read(text).treeValue()
        }
        #expect(failure.status == .usage)
        #expect(failure.message?.contains("Realtime Database") == true)
    }

    @Test(arguments: [
        "null", "true", "-3", "1.5", #""x""#, #"{"10":1,"9":{"a":{"b":"x"}},"a":false}"#,
        #"{"a":{".value":1,".priority":"p"},"b":{".priority":2.5,"c":true}}"#,
    ])
    func `what a snapshot shows is written back as it was`(json: String) throws {
        let literal = ValueLiteral(showing: try snapshot(json), withPriorities: true)
        #expect(try read(ValueWriter.write(literal, as: .json)) == Node(json: json).description)
    }

    @Test func `children are shown in their order, and priorities only if asked for`() throws {
        let found = try snapshot(
            #"{"b":{".value":1,".priority":2},"a":{".value":3,".priority":4}}"#)
        #expect(ValueWriter.write(ValueLiteral(showing: found), as: .json) == #"{"b":1,"a":3}"#)
    }

    @Test func `an update removes what is null`() throws {
        let update = try ValueReader.read(#"{"a":null,"b/c":1}"#).treeUpdate()
        #expect(Set(update.keys) == ["a", "b/c"])
        #expect(throws: Failure.self) { try ValueReader.read("[1]").treeUpdate() }
    }
}
