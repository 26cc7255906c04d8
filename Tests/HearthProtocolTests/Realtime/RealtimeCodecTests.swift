import HearthModel
import HearthProtocol
import Testing

struct RealtimeCodecTests {
    private static func client(_ json: String) throws -> RealtimeClientMessage {
        try RealtimeCodec.decodeClient(Array(json.utf8))
    }

    private static func server(_ json: String) throws -> RealtimeServerMessage {
        try RealtimeCodec.decodeServer(Array(json.utf8))
    }

    private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    private static func unresolved(_ json: String) -> UnresolvedNode {
        guard let node = try? NodeReader.read(Array(json.utf8)) else {
            preconditionFailure("\(json) in the source is no node")
        }
        return node
    }

    private static func write(_ place: String, _ json: String) -> RealtimeChange.Part {
        guard let place = WritePath(place) else { preconditionFailure("\(place) is no path") }
        return RealtimeChange.Part(place, unresolved(json))
    }

    private static let limited = QueryParameters(
        index: .child("/name"), limit: .init(2, from: .first))

    private static let requests: [(String, RealtimeAction)] = [
        (#""s","b":{"c":{"sdk.js.12-0-0":1}}"#, .stats(["sdk.js.12-0-0"])),
        (#""q","b":{"p":"/rooms","h":""}"#, .listen(.init("/rooms", .all, tag: nil, hash: ""))),
        (
            #""q","b":{"p":"/rooms","q":{"i":"name","l":2,"vf":"l"},"t":1,"h":"x"}"#,
            .listen(.init("/rooms", limited, tag: 1, hash: "x"))
        ),
        (
            #""q","b":{"p":"/","h":"x","ch":{"hs":["a",""],"ps":["b/c"]}}"#,
            .listen(
                .init(
                    .root, .all, tag: nil, hash: "x",
                    ranges: CompoundHash(posts: ["/b/c"], hashes: ["a", ""])))
        ),
        (#""n","b":{"p":"/rooms"}"#, .unlisten("/rooms", .all, tag: nil)),
        (
            #""n","b":{"p":"/rooms","q":{"i":"name","l":2,"vf":"l"},"t":1}"#,
            .unlisten("/rooms", limited, tag: 1)
        ),
        (#""g","b":{"p":"/rooms","q":{}}"#, .get("/rooms", .all)),
        (#""p","b":{"p":"/rooms/a","d":2,"h":"x"}"#, .put(WritePath("/rooms/a"), "2", "x")),
        (
            #""p","b":{"p":"/a/.priority","d":"first"}"#,
            .put(WritePath("/a/.priority"), #""first""#, nil)
        ),
        (
            #""p","b":{"p":"/a","d":{"t":{".sv":"timestamp"}}}"#,
            .put(WritePath("/a"), #"{"t":{".sv":"timestamp"}}"#, nil)
        ),
        (
            #""m","b":{"p":"/","d":{"rooms/a":3,"log/-Nx":true}}"#,
            .merge(.root, [write("rooms/a", "3"), write("log/-Nx", "true")])
        ),
        (
            #""o","b":{"p":"/a","d":null}"#,
            .onDisconnectPut(WritePath("/a") ?? .init(.root), .init(.empty))
        ),
        (#""om","b":{"p":"/a","d":{"b":1}}"#, .onDisconnectMerge("/a", [write("b", "1")])),
        (#""oc","b":{"p":"/a","d":null}"#, .onDisconnectCancel(WritePath("/a") ?? .init(.root))),
        (#""auth","b":{"cred":"T"}"#, .authenticate(.init(.user, token: Secret("T")))),
        (
            #""gauth","b":{"cred":"T","authvar":{"uid":"u"}}"#,
            .authenticate(
                .init(
                    .service, token: Secret("T"),
                    override: .variable(.object([.init(name: "uid", value: .string("u"))]))))
        ),
        (
            #""gauth","b":{"cred":"T","noauth":true}"#,
            .authenticate(.init(.service, token: Secret("T"), override: .nobody))
        ),
        (#""unauth","b":{}"#, .unauthenticate), (#""appcheck","b":{"token":"A"}"#, .appCheck("A")),
        (#""unappcheck","b":{}"#, .appCheck(nil)),
    ]

    @Test(arguments: requests.indices)
    func `a request is read as it is written`(index: Int) throws {
        let (json, action) = Self.requests[index]
        let message = #"{"t":"d","d":{"r":7,"a":\#(json)}}"#
        let request = RealtimeRequest(number: 7, action: action)
        #expect(try Self.client(message) == .request(request))
        #expect(Self.text(RealtimeCodec.encode(request)) == message)
    }

    @Test(arguments: [
        #"{"t":"d","d":{"r":1,"a":"p","b":{"p":"/a","d":{"b":1},"h":"x"}}}"#,
        #"{"d":{"b":{"h":"x","d":{"b":1},"p":"a"},"a":"p","r":1},"t":"d"}"#,
        #" { "d" : { "r" : 1 , "b" : { "d" : { "b" : 1 } , "p" : "/a/" , "h" : "x" , "u" : [ { } ] } , "a" : "p" } , "x" : [ "}" ] , "t" : "d" } "#,
    ])
    func `members come in any order`(json: String) throws {
        let action = RealtimeAction.put(WritePath("/a"), #"{"b":1}"#, "x")
        #expect(try Self.client(json) == .request(.init(number: 1, action: action)))
    }

    @Test(arguments: [
        #""p","b":{"p":"/a","d":{"b.c":1}}"#, #""p","b":{"p":"/.info/x","d":1}"#,
        #""p","b":{"p":"/a"}"#, #""p","b":{"d":1}"#, #""m","b":{"p":"/a","d":{"":1}}"#,
        #""m","b":{"p":"/a","d":[1]}"#, #""m","b":{"p":"/a","d":{"b/$":1}}"#,
        #""p","b":{"p":"/a/.priority","d":true}"#, #""p","b":{"p":"/a/.priority","d":{"b":1}}"#,
        #""q","b":{"p":"/a","q":{"l":0},"t":1}"#, #""q","b":{"p":5}"#, #""auth","b":{}"#,
        #""g","b":[]"#,
    ])
    func `a request that cannot be done is refused by its number`(json: String) throws {
        guard case .refused(9, _) = try Self.client(#"{"t":"d","d":{"r":9,"a":\#(json)}}"#) else {
            Issue.record("\(json) was taken")
            return
        }
    }

    @Test func `a path and what is written there may have 32 keys together`() throws {
        func put(_ above: Int, _ below: Int) throws -> RealtimeClientMessage {
            let path = String(repeating: "/k", count: above)
            let node =
                String(repeating: #"{"k":"#, count: below) + "1"
                + String(repeating: "}", count: below)
            return try Self.client(
                #"{"t":"d","d":{"r":1,"a":"p","b":{"d":\#(node),"p":"\#(path)"}}}"#)
        }
        for (above, below) in [(0, 32), (32, 0), (16, 16)] {
            guard case .request = try put(above, below) else {
                Issue.record("\(above) and \(below) were refused")
                return
            }
        }
        for (above, below) in [(0, 33), (33, 0), (16, 17)] {
            guard case .refused(1, .node(.tooDeep)) = try put(above, below) else {
                Issue.record("\(above) and \(below) were taken")
                return
            }
        }
    }

    @Test(arguments: [
        "", "{", "[]", "{}", #"{"t":"d"}"#, #"{"t":"d","d":{}}"#, #"{"t":"d","d":{"r":1}}"#,
        #"{"t":"d","d":{"r":"x","a":"g","b":{}}}"#, #"{"t":"c","d":{}}"#,
        #"{"t":"c","d":{"t":"p"}} x"#,
        #"{"t":"d","d":{"r":1,"a":"g","b":{"p":"/"#, #"{"t":5,"d":{}}"#,
        #"{"t":"d","d":{"r":1,"a":"g","b":{"#
            + (0..<40).map { #""k\#($0)":1"# }.joined(separator: ",") + "}}",
        String(repeating: "[", count: 10_000),
        #"{"t":"x","d":"# + String(repeating: "[", count: 1_000),
    ])
    func `what makes a connection useless is an error`(json: String) {
        #expect(throws: RealtimeCodecError.self) { try Self.client(json) }
        #expect(throws: RealtimeCodecError.self) { try Self.server(json) }
    }

    @Test func `what is not known is passed over`() throws {
        #expect(try Self.client(#"{"t":"c","d":{"t":"n","d":{}}}"#) == .unknown("n"))
        #expect(try Self.client(#"{"d":[1],"t":"z"}"#) == .unknown("z"))
        #expect(
            try Self.client(#"{"t":"d","d":{"r":1,"a":"zz","b":{"x":1}}}"#)
                == .request(.init(number: 1, action: .unknown("zz"))))
        #expect(try Self.server(#"{"t":"d","d":{"a":"zz","b":{}}}"#) == .push(.unknown("zz")))
        #expect(try Self.server(#"{"t":"c","d":{"t":"zz","d":{}}}"#) == .unknown("zz"))
    }

    @Test func `both sides ping and answer`() throws {
        #expect(Self.text(RealtimeCodec.pong) == #"{"t":"c","d":{"t":"o","d":{}}}"#)
        #expect(try RealtimeCodec.decodeClient(RealtimeCodec.ping) == .ping)
        #expect(try RealtimeCodec.decodeClient(RealtimeCodec.pong) == .pong)
        #expect(try RealtimeCodec.decodeServer(RealtimeCodec.ping) == .ping)
        #expect(try RealtimeCodec.decodeServer(RealtimeCodec.pong) == .pong)
    }

    @Test func `the service says hello, and where to go`() throws {
        let hello = RealtimeHello(time: 1_763_840_000_000, host: "h:9000", session: "S")
        let bytes = RealtimeCodec.encode(hello)
        #expect(
            Self.text(bytes)
                == #"{"t":"c","d":{"t":"h","d":{"ts":1763840000000,"v":"5","h":"h:9000","s":"S"}}}"#
        )
        #expect(try RealtimeCodec.decodeServer(bytes) == .hello(hello))
        #expect(
            try RealtimeCodec.decodeServer(RealtimeCodec.reset(host: "other"))
                == .reset(host: "other"))
        #expect(
            try RealtimeCodec.decodeServer(RealtimeCodec.shutdown(reason: "why"))
                == .shutdown(reason: "why"))
        #expect(try Self.server(#"{"t":"d","d":{"error":"no"}}"#) == .error("no"))
    }

    @Test(arguments: [
        (RealtimeAnswer(number: 1), #"{"r":1,"b":{"s":"ok","d":""}}"#),
        (RealtimeAnswer(number: 2, body: .warnings([])), #"{"r":2,"b":{"s":"ok","d":{}}}"#),
        (
            RealtimeAnswer(number: 3, body: .warnings(["no_index"])),
            #"{"r":3,"b":{"s":"ok","d":{"w":["no_index"]}}}"#
        ),
        (
            RealtimeAnswer(number: 7, status: .permissionDenied, body: .text("Permission denied")),
            #"{"r":7,"b":{"s":"permission_denied","d":"Permission denied"}}"#
        ),
        (
            RealtimeAnswer(number: 8, body: .node(Node(1, priority: 2))),
            #"{"r":8,"b":{"s":"ok","d":{".value":1,".priority":2}}}"#
        ),
    ])
    func `an answer is written as the service writes it`(answer: RealtimeAnswer, json: String)
        throws
    {
        let bytes = RealtimeCodec.encode(answer)
        #expect(Self.text(bytes) == #"{"t":"d","d":\#(json)}"#)
        #expect(try RealtimeCodec.decodeServer(bytes) == .answer(answer))
    }

    @Test(arguments: [
        #"{"t":"d","d":{"a":"d","b":{"p":"a/.priority","d":true}}}"#,
        #"{"t":"d","d":{"a":"m","b":{"p":"a","d":{".priority":false}}}}"#,
    ])
    func `a push of a flag as a priority is refused`(message: String) {
        #expect(throws: RealtimeCodecError.node(.refusedPriority)) {
            try RealtimeCodec.decodeServer(Array(message.utf8))
        }
    }

    @Test func `the body of an answer is read by who asked`() throws {
        #expect(RealtimeBody.text("why").text == "why" && RealtimeBody.warnings(["w"]).text == nil)
        #expect(RealtimeBody.warnings(["no_index"]).warnings == ["no_index"])
        #expect(RealtimeBody.none.warnings.isEmpty)
        #expect(try RealtimeBody.node(Node(1)).readNode() == Node(1))
        #expect(throws: NodeError.self) { try RealtimeBody(json: [0x7B]).readNode() }
        guard case .answer(let answer) = try Self.server(#"{"t":"d","d":{"r":1,"b":{"s":"ok"}}}"#)
        else {
            Issue.record("No answer")
            return
        }
        #expect(answer.body == .none)
    }

    private static let pushes: [(RealtimePush, String)] = [
        (.overwrite(.init("/rooms"), Node(1), tag: nil), #""d","b":{"p":"rooms","d":1}"#),
        (.overwrite(.init(.root), .empty, tag: 3), #""d","b":{"p":"","d":null,"t":3}"#),
        (
            .overwrite(.init("/a", isPriority: true), Node(5), tag: nil),
            #""d","b":{"p":"a/.priority","d":5}"#
        ),
        (
            .merge("/a", [.init(.init("/b/c"), Node("x")), .init(.init("/d"), .empty)], tag: 1),
            #""m","b":{"p":"a","d":{"b/c":"x","d":null},"t":1}"#
        ),
        (
            .ranges(
                "/a",
                [
                    .init(
                        range: .init(after: nil, through: NodeRange.edge("b/.priority")),
                        update: Node(true)),
                    .init(range: .init(after: "/c", through: nil), update: .empty),
                ], tag: nil),
            #""rm","b":{"p":"a","d":[{"e":"b/.priority","m":true},{"s":"c","m":null}]}"#
        ),
        (.revoked("/a", []), #""c","b":{"p":"a"}"#),
        (.revoked("/a", [limited]), #""c","b":{"p":"a","q":[{"i":"name","l":2,"vf":"l"}]}"#),
        (
            .authRevoked(.expiredToken, reason: "Auth token is expired."),
            #""ac","b":{"s":"expired_token","d":"Auth token is expired."}"#
        ),
        (.appCheckRevoked(.invalidToken, reason: ""), #""apc","b":{"s":"invalid_token","d":""}"#),
        (.debug("line"), #""sd","b":{"msg":"line"}"#),
    ]

    @Test(arguments: pushes.indices)
    func `a push is written as the service writes it`(index: Int) throws {
        let (push, json) = Self.pushes[index]
        let bytes = RealtimeCodec.encode(push)
        #expect(Self.text(bytes) == #"{"t":"d","d":{"a":\#(json)}}"#)
        #expect(try RealtimeCodec.decodeServer(bytes) == .push(push))
        #expect(SharedPush(push).message(tag: 12).count >= SharedPush(push).byteCount)
    }

    @Test func `what many listeners are told differs by its tag alone`() throws {
        let shared = SharedPush(.overwrite(.init("/a"), Node(1), tag: 99))
        for tag in [nil, 1, 20] {
            #expect(
                try RealtimeCodec.decodeServer(shared.message(tag: tag))
                    == .push(.overwrite(.init("/a"), Node(1), tag: tag)))
        }
    }

    @Test func `a token is never shown`() throws {
        let message = try Self.client(#"{"t":"d","d":{"r":1,"a":"auth","b":{"cred":"TOPSECRET"}}}"#)
        #expect(!"\(message)".contains("TOPSECRET"))
    }
}

extension RealtimeAction {
    /// A put whose value stands in the source.
    fileprivate static func put(_ place: WritePath?, _ json: String, _ hash: String?)
        -> RealtimeAction
    {
        guard let place, let node = try? NodeReader.read(Array(json.utf8)) else {
            preconditionFailure("\(json) in the source is no node")
        }
        return .put(place, node, hash: hash)
    }
}
