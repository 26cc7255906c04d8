import HearthModel
import HearthProtocol
import Testing

struct QueryObjectTests {
    private static func decode(_ json: String) throws -> QueryParameters? {
        QueryObject.decode(try JSONReader.read(Array(json.utf8)))
    }

    private static func text(_ query: QueryParameters) -> String {
        String(decoding: JSONWriter.bytes(of: QueryObject.encode(query)), as: UTF8.self)
    }

    private static func limit(_ count: Int, _ side: QueryParameters.Limit.Side) -> QueryParameters
        .Limit?
    {
        QueryParameters.Limit(count, from: side)
    }

    @Test(arguments: [
        ("{}", QueryParameters.all),
        (#"{"i":".key"}"#, QueryParameters(index: .key)),
        (#"{"i":"name/first"}"#, QueryParameters(index: .child("/name/first"))),
        (
            #"{"i":"name","l":2,"vf":"l"}"#,
            QueryParameters(index: .child("/name"), limit: limit(2, .first))
        ),
        (#"{"l":2,"vf":"r"}"#, QueryParameters(limit: limit(2, .last))),
        (
            #"{"ein":true,"en":"k","ep":5,"i":".value","sin":true,"sp":null}"#,
            QueryParameters(index: .value, start: .init(nil), end: .init(5, key: .key("k")))
        ),
        (
            #"{"sin":false,"sn":"[MAX_NAME]","sp":"x"}"#,
            QueryParameters(start: .init("x", isInclusive: false))
        ),
        (
            #"{"ein":false,"ep":"b","i":".key"}"#,
            QueryParameters(index: .key, end: .init("b", isInclusive: false))
        ),
    ])
    func `what JavaScript sends is read, and written so`(json: String, query: QueryParameters)
        throws
    {
        #expect(try Self.decode(json) == query)
        #expect(Self.text(query) == json)
    }

    @Test func `iOS and Android know inclusive bounds alone`() throws {
        let query = try Self.decode(#"{"sp":3,"sn":"a-","ep":7,"en":"b","i":"n"}"#)
        #expect(query?.start == .init(3, key: .key("a-")))
        #expect(query?.end == .init(7, key: .key("b")))
    }

    @Test func `a bound that leaves out a whole value says so by a key`() throws {
        let open = QueryParameters(
            start: .init(1, isInclusive: false), end: .init(2, isInclusive: false))
        #expect(
            Self.text(open)
                == #"{"ein":false,"en":"[MIN_NAME]","ep":2,"sin":false,"sn":"[MAX_NAME]","sp":1}"#)
    }

    @Test(arguments: [
        (#"{"sp":1}"#, #"{"sp":1,"sn":"[MIN_NAME]"}"#),
        (#"{"ep":1}"#, #"{"ep":1,"en":"[MAX_NAME]"}"#),
        (#"{"sp":1,"sin":false}"#, #"{"sp":1,"sin":false,"sn":"[MAX_NAME]"}"#),
        (#"{"ep":1,"ein":false}"#, #"{"ep":1,"ein":false,"en":"[MIN_NAME]"}"#),
        (#"{"i":".key","sp":"a"}"#, #"{"i":".key","sp":"a","sn":"b"}"#),
    ])
    func `a query is the same with a key that says nothing and without`(one: String, other: String)
        throws
    {
        let query = try #require(try Self.decode(one))
        #expect(try Self.decode(other) == query)
        #expect(try Self.decode(Self.text(query)) == query)
    }

    @Test func `a limit without a side counts from the start, if there is one`() throws {
        #expect(try Self.decode(#"{"l":1}"#)?.limit?.side == .last)
        #expect(try Self.decode(#"{"l":1,"sp":null}"#)?.limit?.side == .first)
        #expect(try Self.decode(#"{"l":1,"ep":1}"#)?.limit?.side == .last)
    }

    @Test func `a path below each child may begin with a combining mark`() throws {
        let query = QueryParameters(index: .child("/\u{301}a/\u{301}b"))
        #expect(try Self.decode(Self.text(query)) == query)
    }

    @Test(arguments: [
        "[]", "1", #"{"i":5}"#, #"{"i":""}"#, #"{"i":"a.b"}"#, #"{"i":"/"}"#, #"{"i":".info"}"#,
        #"{"l":0}"#, #"{"l":"1"}"#, #"{"l":1.5}"#, #"{"l":4294967296}"#, #"{"l":1,"vf":"x"}"#,
        #"{"sp":[]}"#, #"{"ep":{}}"#, #"{"i":".sv"}"#,
    ])
    func `what is no query is refused`(json: String) throws {
        #expect(try Self.decode(json) == nil)
    }
}
