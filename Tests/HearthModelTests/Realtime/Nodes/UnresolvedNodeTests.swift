import HearthModel
import Testing

struct UnresolvedNodeTests {
    private static func read(_ json: String) throws -> UnresolvedNode {
        try NodeReader.read(Array(json.utf8))
    }

    @Test(arguments: [
        (#"{".sv":"timestamp"}"#, "5", "1000"),
        (#"{".sv":{"increment":3}}"#, "5", "8"), (#"{".sv":{"increment":3}}"#, "null", "3"),
        (#"{".sv":{"increment":3}}"#, #""x""#, "3"),
        (#"{".sv":{"increment":3}}"#, #"{"a":1}"#, "3"),
        (#"{".sv":{"increment":0.5}}"#, "5", "5.5"), (#"{".sv":{"increment":-5}}"#, "5", "0"),
        (#"{".sv":{"increment":1}}"#, "9223372036854775807", "9.223372036854775807e18"),
        (#"{".sv":{"increment":1e308}}"#, "1.7e308", "1.7976931348623157e308"),
        (#"{"a":{".sv":{"increment":1}},"b":2}"#, #"{"a":1,"c":3}"#, #"{"a":2,"b":2}"#),
        (
            #"{".value":{".sv":{"increment":1}},".priority":{".sv":"timestamp"}}"#, "1",
            #"{".value":2,".priority":1000}"#
        ),
        (
            #"{".value":1,".priority":{".sv":{"increment":2}}}"#, #"{".value":9,".priority":5}"#,
            #"{".value":1,".priority":7}"#
        ),
        (
            #"{"a":{".sv":"timestamp"},".priority":{".sv":"timestamp"}}"#, "null",
            #"{"a":1000,".priority":1000}"#
        ),
        (#"{".sv":"timestamp",".priority":4}"#, "null", #"{".value":1000,".priority":4}"#),
        (#"{".priority":{".sv":"timestamp"}}"#, "null", "null"),
    ])
    func `the server fills in what was left to it`(json: String, existing: String, expected: String)
        throws
    {
        let resolved = try Self.read(json).resolved(over: Node(json: existing), at: 1_000)
        #expect(resolved == (try Node(json: expected)))
    }

    @Test(arguments: [
        #"{".sv":"timestamp"}"#, #"{".sv":{"increment":0.5}}"#,
        #"{".value":{".sv":{"increment":1}},".priority":{".sv":"timestamp"}}"#,
        #"{".priority":{".sv":"timestamp"},"a":1}"#,
        #"{".priority":"p","10":{".sv":"timestamp"},"a":{"b":{".sv":"timestamp"},"c":1},"d":2}"#,
        #"{".value":1,".priority":{".sv":"timestamp"}}"#, #"{"a":1}"#,
    ])
    func `it is written as it was read`(json: String) throws {
        let read = try Self.read(json)
        #expect(String(decoding: read.exportJSON, as: UTF8.self) == json)
        #expect(try NodeReader.read(read.exportJSON) == read)
    }

    @Test func `places come in the order of keys, whatever the text's`() throws {
        let read = try Self.read(
            #"{"b":{".sv":"timestamp"},"10":{".sv":"timestamp"},"9":{".sv":"timestamp"}}"#)
        #expect(read.places.map(\.path) == ["/9", "/10", "/b"])
        #expect(read.node == nil && !read.isEmpty)
        #expect(throws: NodeError.refusedServerValue) { try Node(json: #"{".sv":"timestamp"}"#) }
    }

    @Test(arguments: [
        (#"{"a":{".sv":"timestamp"},"b":1}"#, "/b", #"{".sv":{"increment":1}}"#),
        (#"{"a":{".sv":"timestamp"},"b":1}"#, "/a", "5"),
        (#"{"a":{".sv":"timestamp"},"b":1}"#, "/a/c", "5"),
        (#"{"a":{".sv":"timestamp"},"b":1}"#, "/a/c", "null"),
        (#"{"a":{"b":{".sv":"timestamp"},".priority":{".sv":"timestamp"}}}"#, "/a/b", "null"),
        (#"{"a":{"b":{".sv":"timestamp"},".priority":{".sv":"timestamp"}}}"#, "/a/c", "1"),
        (#"{".value":{".sv":"timestamp"},".priority":{".sv":"timestamp"}}"#, "/c", "1"),
        ("null", "/", #"{".sv":"timestamp"}"#),
    ])
    func `laid over a place it comes out as if it were written there`(
        json: String, place: String, written: String
    ) throws {
        let path = try #require(RealtimePath(place))
        let (base, laid) = (try Self.read(json), try Self.read(written))
        let joined = base.setting(path, to: laid)
        let expected = base.resolved(over: .empty, at: 7)
            .setting(path, to: laid.resolved(over: .empty, at: 7))
        #expect(joined.resolved(over: .empty, at: 7) == expected)
        // Nothing is left to the server where nothing is any more.
        #expect(try NodeReader.read(joined.exportJSON) == joined)
    }
}
