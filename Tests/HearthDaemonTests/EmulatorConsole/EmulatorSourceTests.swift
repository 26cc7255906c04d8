import HearthConsole
import HearthEmulator
import HearthModel
import HearthRPC
import HearthTestSupport
import Logging
import Testing

@testable import HearthDaemon

/// What a console's page is answered about an emulator.
@Suite(.timeLimit(.minutes(1)))
struct EmulatorSourceTests {
    private static let rules = """
        rules_version = '2';
        service cloud.firestore {
          match /databases/{database}/documents {
            match /rooms/{room} { allow read: if request.auth.uid == 'ann'; }
          }
        }
        """
    private let source: EmulatorSource

    init() throws {
        var configuration = EmulatorConfiguration(firestore: [])
        configuration.keepsRequests = true
        let emulator = try Emulator(
            configuration: configuration,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        try emulator.setRules(Self.rules)
        source = EmulatorSource(
            desk: try #require(emulator.desk), addresses: ServingAddresses(["127.0.0.1:0"]))
    }

    private func ask(
        _ route: ConsoleRoute, _ parameters: String = "", _ body: JSONValue? = nil
    ) async throws -> JSONValue {
        let target = try #require(
            HTTPTarget("/api/\(route.rawValue)?db=demo/(default)&\(parameters)"))
        return try await source.answer(route, ConsoleQuestion(target, body: body))
    }

    private func json(_ text: String) throws -> JSONValue { try JSONReader.read(Array(text.utf8)) }

    private func write(_ text: String) async throws {
        _ = try await ask(.write, "", try json(#"{"writes": [\#(text)]}"#))
    }

    @Test func `a page is told the emulator's own sections, and the daemon's are not there`()
        async throws
    {
        #expect(source.sections == [.data, .requests, .rules])
        for route in [ConsoleRoute.queue, .steer, .programs, .network, .deadLetters, .compare] {
            let error = await #expect(throws: HearthError.self) {
                try await ask(route, "", .object([]))
            }
            #expect(error?.code == .notFound)
        }
    }

    @Test func `a page is told the port that the system chose`() {
        #expect(source.place == "127.0.0.1:0")
        source.addresses.became(["127.0.0.1:40123", "unix:/run/emulator"])
        #expect(source.place == "127.0.0.1:40123 unix:/run/emulator")
    }

    @Test func `documents are written, listed page by page, queried and deleted`() async throws {
        for name in ["attic", "hall", "library"] {
            try await write(
                #"{"update": {"name": "rooms/\#(name)", "fields": {"n": {"integerValue": "1"}}}}"#)
        }
        let first = try await ask(.documents, "collection=rooms&pageSize=2")
        #expect(first["documents"]?.elements?.count == 2)
        #expect(first["next"] == .string("hall"))
        let rest = try await ask(.documents, "collection=rooms&pageSize=2&after=hall")
        #expect(rest["documents"]?.elements?.first?["id"] == .string("library"))
        #expect(rest["next"] == .null)
        let query = try json(
            """
            {"query": {"collection": "rooms", "limit": 2, "limitToLast": true,
             "orderBy": [{"field": "n", "direction": "ASCENDING"}]}}
            """)
        let last = try await ask(.query, "", query)
        let ids = last["documents"]?.elements?.map { $0["id"] }
        #expect(ids == [.string("hall"), .string("library")])
        try await write(#"{"delete": "rooms/attic"}"#)
        let gone = try await ask(.document, "path=rooms/attic")
        #expect(gone["document"]?["exists"] == .boolean(false))
        #expect(try await ask(.collections)["collections"] == .array([.string("rooms")]))
    }

    @Test func `collections are told page by page, and none that holds nothing`() async throws {
        for name in ["a", "b", "c"] {
            try await write(#"{"update": {"name": "\#(name)/x", "fields": {}}}"#)
        }
        try await write(#"{"delete": "b/x"}"#)
        let first = try await ask(.collections, "pageSize=1")
        #expect(first["collections"] == .array([.string("a")]))
        #expect(first["hasMore"] == .boolean(true))
        let rest = try await ask(.collections, "pageSize=5&after=a")
        #expect(rest["collections"] == .array([.string("c")]))
        #expect(rest["hasMore"] == .boolean(false))
    }

    @Test func `nodes are written and told page by page`() async throws {
        let body = try json(
            #"{"db": "tree", "writes": [{"path": "/r", "value": {"a": 1, "b": "x", "c": {"d": true}}}]}"#
        )
        let target = try #require(HTTPTarget("/api/node/write"))
        _ = try await source.answer(.nodeWrite, ConsoleQuestion(target, body: body))
        func node(_ parameters: String) async throws -> JSONValue {
            let target = try #require(HTTPTarget("/api/node?db=tree&\(parameters)"))
            return try await source.answer(.node, ConsoleQuestion(target))
        }
        let first = try await node("path=/r&pageSize=2")
        #expect(first["children"]?.elements?.map { $0["key"] } == [.string("a"), .string("b")])
        #expect(first["next"] == .string("b"))
        let rest = try await node("path=/r&pageSize=2&after=b")
        #expect(rest["children"]?.elements?.map { $0["kind"] } == [.string("object")])
        #expect(rest["next"] == .null)
        #expect(try await node("path=/r/a")["value"] == .integer(1))
    }

    @Test func `rules are tried with a verdict and the place that decided, and published`()
        async throws
    {
        let trial = #""method": "get", "path": "rooms/hall", "auth": {"uid": "bob"}"#
        let quoted = String(decoding: JSONWriter.bytes(of: .string(Self.rules)), as: UTF8.self)
        let denied = try await ask(.ruleTrial, "", try json("{\"source\": \(quoted), \(trial)}"))
        #expect(denied["verdict"]?["isAllowed"] == .boolean(false))
        let ground = denied["verdict"]?["grounds"]?.elements?.first
        #expect(ground?["line"] == .integer(4))
        #expect(ground?["text"] == .string("request.auth.uid == 'ann'"))
        #expect(denied["report"]?.elements?.count == 1)
        let broken = try await ask(
            .ruleTrial, "", try json("{\"source\": \"nonsense\", \(trial)}"))
        #expect(broken["problem"]?["line"] == .integer(1))
        let wrong = try await ask(.rulePublication, "", try json(#"{"source": "nonsense"}"#))
        #expect(wrong["problem"]?["column"] == .integer(1))
        #expect(try await ask(.rules)["source"] == .string(Self.rules))
        let open = Self.rules.replacing("request.auth.uid == 'ann'", with: "true")
        let told = String(decoding: JSONWriter.bytes(of: .string(open)), as: UTF8.self)
        _ = try await ask(.rulePublication, "", try json("{\"source\": \(told)}"))
        #expect(try await ask(.rules)["source"] == .string(open))
    }

    /// Asks about the rules of a tree.
    private func askTree(
        _ route: ConsoleRoute, _ body: [JSONValue.Member] = []
    ) async throws -> JSONValue {
        let target = try #require(HTTPTarget("/api/\(route.rawValue)?db=tree"))
        return try await source.answer(
            route, ConsoleQuestion(target, body: body.isEmpty ? nil : .object(body)))
    }

    @Test func `rules of a tree are tried with what is there before and after, and published`()
        async throws
    {
        let rules = """
            {"rules": {"rooms": {"$room": {
              ".read": "data.child('owner').val() === auth.uid",
              ".write": "auth.token.admin === true && newData.hasChild('owner')"
            }}}}
            """
        let first = try await askTree(.rules)
        #expect(first["isHeld"] == .boolean(true) && first["source"] != .string(rules))
        func outcome(_ trial: String) async throws -> JSONValue {
            let body = try #require(try json(trial).members)
            return try await askTree(
                .ruleTrial, [.init(name: "source", value: .string(rules))] + body)
        }
        let read = #""method": "read", "path": "/rooms/hall", "auth": {"uid": "ann"}"#
        let denied = try await outcome("{\(read)}")
        #expect(denied["verdict"]?["isAllowed"] == .boolean(false))
        let ground = denied["verdict"]?["grounds"]?.elements?.first
        #expect(ground?["line"] == .integer(2))
        #expect(denied["report"]?.elements?.count == 2)
        let own = try await outcome("{\(read), \(#""resource": {"value": {"owner": "ann"}}"#)}")
        #expect(own["verdict"]?["isAllowed"] == .boolean(true))
        let write = #"""
            {"method": "write", "path": "/rooms/hall", "auth": {"uid": "ann", "claims": {"admin": true}},
             "newValue": {"owner": "ann"}}
            """#
        #expect(try await outcome(write)["verdict"]?["isAllowed"] == .boolean(true))
        let wrong = try await askTree(
            .rulePublication, [.init(name: "source", value: .string("nonsense"))])
        #expect(wrong["problem"]?["line"] == .integer(1))
        _ = try await askTree(.rulePublication, [.init(name: "source", value: .string(rules))])
        #expect(try await askTree(.rules)["source"] == .string(rules))
    }

    @Test(arguments: [
        #"{"source": "{}", "method": "get", "path": "/rooms"}"#,
        #"{"source": "{}", "method": "read", "path": "/a.b"}"#,
        #"{"source": "{}", "method": "write", "path": "\#(String(repeating: "/a", count: 33))"}"#,
        #"{"source": "{}", "method": "read", "path": "/a", "auth": {"uid": 7}}"#,
        #"{"source": "{}", "method": "write", "path": "/a", "newValue": {"a.b": 1}}"#,
        #"{"source": "{}", "method": "read", "path": "/a", "resource": {"value": {".sv": "timestamp"}}}"#,
        #"{"method": "read", "path": "/a"}"#,
    ])
    func `a trial of a tree that has no meaning is refused`(body: String) async throws {
        let members = try #require(try json(body).members)
        let error = await #expect(throws: HearthError.self) {
            try await askTree(.ruleTrial, members)
        }
        #expect(error?.code == .invalidArgument)
    }

    @Test(arguments: [
        #"{"source": "x", "method": "peek", "path": "rooms/hall"}"#,
        #"{"source": "x", "method": "get", "path": "rooms"}"#,
        #"{"source": "x", "method": "get", "path": "rooms/hall", "auth": {"uid": ""}}"#,
        #"{"source": "x", "method": "get", "path": "rooms/hall", "auth": {"uid": "a", "claims": []}}"#,
        #"{"source": "x", "method": "create", "path": "rooms/hall", "newFields": 7}"#,
        #"{"method": "get", "path": "rooms/hall"}"#,
    ])
    func `a trial that has no meaning is refused`(body: String) async throws {
        let error = await #expect(throws: HearthError.self) {
            try await ask(.ruleTrial, "", try json(body))
        }
        #expect(error?.code == .invalidArgument)
    }

    @Test(arguments: ["demo", "demo/", "/x", "a/b/c", ""])
    func `a name that is no database is refused`(name: String) async throws {
        let target = try #require(HTTPTarget("/api/collections?db=\(name)"))
        await #expect(throws: HearthError.self) {
            try await source.answer(.collections, ConsoleQuestion(target))
        }
    }
}
