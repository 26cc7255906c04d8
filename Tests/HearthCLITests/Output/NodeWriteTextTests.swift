import Hearth
import Testing

@testable import HearthCLI

struct NodeWriteTextTests {
    private func written(_ json: String) throws -> PendingNodeWrite {
        try NodeWriteText.write(try ValueReader.readArgument(json))
    }

    @Test(arguments: [
        #"{"set":"/rooms/hall","value":{"name":"Hall","lights":3}}"#,
        #"{"set":"/rooms/hall","value":null}"#,
        #"{"set":"/a/.priority","value":2.5}"#,
        #"{"set":"/","value":{"at":{".sv":"timestamp"},"n":{".sv":{"increment":2}}}}"#,
        #"{"set":"/a","value":{".priority":3,".value":true}}"#,
    ])
    func `what show prints is what edit reads`(json: String) throws {
        let write = try written(json)
        let shown = ValueWriter.write(NodeWriteText.literal(write), as: .json)
        let again = ValueWriter.write(NodeWriteText.literal(try written(shown)), as: .json)
        #expect(shown == again)
        let value = try ValueReader.readArgument(json)["value"]
        #expect(NodeWriteText.literal(write)["value"]?.fields?.count == value?.fields?.count)
    }

    @Test(arguments: [
        "1", #"{"set":"a"}"#, #"{"value":1}"#, #"{"set":1,"value":1}"#,
        #"{"set":"a","value":1,"exists":true}"#,
        #"{"set":"a","value":{"$timestamp":"2026-01-02T03:04:05Z"}}"#,
    ])
    func `what is no write to an instance is refused as usage`(json: String) throws {
        let failure = #expect(throws: Failure.self) { try written(json) }
        #expect(failure?.status == .usage)
    }
}
