import HearthEmulator
import HearthModel
import HearthRealtime
import HearthTestSupport
import Logging
import Synchronization
import Testing

@testable import HearthRemote

/// Lists of keys by REST.
@Suite(.timeLimit(.minutes(1)))
struct RealtimeRESTDoorTests {
    /// Asks an endpoint that answers by a script for the children of `/rooms/a b` behind `k`.
    private func ask(
        as credentials: any Credentials = FixedToken.owner,
        _ script: @escaping StubEndpoint.Script,
        _ check: (Result<[ListedChild], HearthError>, [StubEndpoint.Question]) throws -> Void
    ) async throws {
        let instance = try #require(TestLink.instance)
        try await StubEndpoint.serve(script) { endpoint, host in
            let address = RealtimeAddress(instance, emulator: BackendAddress(parsing: host))
            let door = RealtimeRESTDoor(address) { LinkIdentity(credentials) }
            let result: Result<[ListedChild], HearthError>
            do throws(HearthError) {
                result = .success(
                    try await door.children(of: "rooms/a b", after: "k", countMax: 3))
            } catch {
                result = .failure(error)
            }
            try check(result, endpoint.questions)
        }
    }

    @Test func `keys alone are asked for, as many as are wanted, behind the last one`() async throws
    {
        let body = #"{"b":true,"10":true,"9":7,"a":true,"no/key":true}"#
        try await ask { _ in
            .json(body)
        } _: { result, questions in
            #expect(
                try result.get() == [
                    ListedChild(key: "9", mayHaveChildren: false),
                    ListedChild(key: "10", mayHaveChildren: true),
                    ListedChild(key: "a", mayHaveChildren: true),
                ])
            let question = try #require(questions.first)
            #expect(questions.count == 1 && question.method == "GET")
            #expect(question.path == "/rooms/a%20b.json")
            let asked = question.target.split(separator: "?").last?.split(separator: "&") ?? []
            #expect(
                asked == [
                    "shallow=true", "limitToFirst=3", "timeout=10s", "startAfter=k", "ns=demo",
                ])
            #expect(question.headers["authorization"] == "Bearer owner")
        }
    }

    @Test func `keys that no path can hold do not end the list`() async throws {
        try await ask { question in
            question.target.contains("startAfter=k&")
                ? .json(#"{"l":true,"m":true,"n.o":true}"#)
                : question.target.contains("startAfter=n.o&")
                    ? .json(#"{"p$":true,"q$":true,"r$":true}"#) : .json(#"{"s":true}"#)
        } _: { result, questions in
            let keys = try result.get().map(\.key)
            #expect(keys == ["l", "m", "s"])
            #expect(questions.count == 3)
        }
        try await ask { question in
            question.target.contains("startAfter=k&")
                ? .json(#"{"l":true,"m":true,"n.o":true}"#)
                : .json(#"{"p":true,"q":true,"r":true}"#)
        } _: { result, _ in
            let keys = try result.get().map(\.key)
            #expect(keys == ["l", "m", "p"])
        }
        try await ask { _ in
            .json(#"{"p$":true,"q$":true,"r$":true}"#)
        } _: { result, questions in
            let error = #expect(throws: HearthError.self) { try result.get() }
            #expect(error?.code == .failedPrecondition)
            #expect(questions.count == 10)
        }
    }

    @Test(arguments: ["null", "7", #""text""#])
    func `a leaf and nothing have no children`(body: String) async throws {
        try await ask { _ in
            .json(body)
        } _: { result, _ in
            let children = try result.get()
            #expect(children.isEmpty)
        }
    }

    @Test func `a user's token goes into the address, and a refusal does not tell it`()
        async throws
    {
        let user = EmulatorUser(UserID("ada"), project: "demo")
        try await ask(as: user) { question in
            let token = question.target.split(separator: "auth=").last ?? ""
            return .json(#"{"error":"Permission denied for \#(token)"}"#, status: 401)
        } _: { result, questions in
            let error = #expect(throws: HearthError.self) { try result.get() }
            #expect(error?.code == .permissionDenied)
            #expect(error?.message.hasSuffix("for <secret>.") == true)
            #expect(questions.count == 1 && questions.first?.headers["authorization"] == nil)
        }
    }

    @Test func `a token that is refused is reported, and the next is shown once`() async throws {
        let tokens = AgeingToken()
        try await ask(as: tokens) { question in
            question.headers["authorization"] == "Bearer t1"
                ? .json("{}") : .json(#"{"error":"Auth token is expired"}"#, status: 401)
        } _: { result, questions in
            let children = try result.get()
            #expect(children.isEmpty)
            #expect(questions.map { $0.headers["authorization"] } == ["Bearer t0", "Bearer t1"])
        }
        try await ask(as: AgeingToken()) { _ in
            .json(#"{"error":"Auth token is expired"}"#, status: 401)
        } _: { result, questions in
            let error = #expect(throws: HearthError.self) { try result.get() }
            #expect(error?.code == .unauthenticated)
            #expect(questions.count == 2)
        }
    }

    @Test(arguments: [
        (403, StatusCode.permissionDenied), (404, StatusCode.notFound),
        (503, StatusCode.unavailable),
    ])
    func `a status that is no success is told`(status: Int, code: StatusCode) async throws {
        try await ask { _ in
            .json("no JSON", status: status)
        } _: { result, _ in
            let error = #expect(throws: HearthError.self) { try result.get() }
            #expect(error?.code == code)
            #expect(error?.message.hasSuffix(" answered \(status).") == true)
        }
    }

    @Test func `our own emulator lists a large place part by part, over a socket`() async throws {
        let folder = TemporaryFolder()
        defer { folder.remove() }
        let path = "\(folder.path)/database.sock"
        let emulator = try Emulator(
            configuration: EmulatorConfiguration(firestore: [.unix(path: path)]),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let instance = try #require(TestLink.instance)
        let address = RealtimeAddress(instance, emulator: .unix(path: path))
        try await emulator.run { _ in
            do {
                try await Self.fill(address)
                let door = RealtimeRESTDoor(address) { LinkIdentity(FixedToken.owner) }
                let first = try await door.children(of: "rooms", after: nil, countMax: 2)
                #expect(first.map(\.key) == ["2", "10"])
                let rest = try await door.children(of: "rooms", after: "10", countMax: 2)
                #expect(rest.map(\.key) == ["hall"])
                #expect(try await door.children(of: "rooms/2", after: nil, countMax: 2).isEmpty)
                #expect(
                    try await door.children(of: .root, after: nil, countMax: 2).map(\.key)
                        == ["rooms"])
            } catch {
                Issue.record(error)
            }
            emulator.shutdown()
        }
    }

    /// Writes three rooms.
    private static func fill(_ address: RealtimeAddress) async throws {
        try await TestLink.connected(to: address, as: FixedToken.owner) { writer, answers in
            writer.perform(.open(TestLink.first, as: .unauthenticated))
            #expect(await answers.isOpened())
            let json = #"{"10":{"seats":4},"2":7,"hall":{"seats":40}}"#
            let node = UnresolvedNode(try Node(json: Array(json.utf8), from: .client))
            let place = try #require(WritePath("rooms"))
            writer.perform(
                .send(
                    TestLink.first,
                    RealtimeRequest(number: 1, action: .put(place, node, hash: nil))))
            #expect(
                await answers.next() == .answered(TestLink.first, RealtimeAnswer(number: 1)))
        }
    }
}

/// Credentials that show another token after each refusal.
private final class AgeingToken: Credentials {
    private let count = Mutex(0)

    func headers(as user: UserID?) async throws(HearthError) -> [Header] {
        [.bearer(Secret("t\(count.withLock { $0 })"))]
    }

    func refused(_ headers: [Header]) async { count.withLock { $0 += 1 } }

    func believed(_ headers: [Header]) async {}
}
