import GRPCCore
import HearthBackend
import HearthModel
import HearthProtocol
import HearthRules
import HearthTestSupport
import Testing

@testable import HearthEmulator

/// What a console sees of an emulator: data, requests with what the rules said, and rules.
@Suite(.timeLimit(.minutes(1)))
struct EmulatorDeskTests {
    /// {"alg":"none"} . {"sub":"bob"}, without a signature.
    private static let bob = "eyJhbGciOiJub25lIn0.eyJzdWIiOiJib2IifQ."
    private static let database = DatabaseID(project: "spec", database: "(default)")
    private static let rules = """
        rules_version = '2';
        service cloud.firestore {
          match /databases/{database}/documents {
            match /rooms/{room} { allow read: if true; allow write: if request.auth.uid == 'ann'; }
          }
        }
        """

    private func withDesk(
        _ body: @Sendable (EmulatorDesk, RawClient, String) async throws -> Void
    ) async throws {
        try await withEmulator(configure: { $0.keepsRequests = true }) {
            emulator, client, address in
            try emulator.setRules(Self.rules)
            try await body(try #require(emulator.desk), client, address)
        }
    }

    @Test func `without a console nothing is noted, and there is no desk`() async throws {
        try await withEmulator { emulator, client, _ in
            try await client.set(["rooms/hall": 1])
            #expect(emulator.desk == nil)
        }
    }

    @Test func `a refused commit is told with who asked and the expression that decided`()
        async throws
    {
        try await withDesk { desk, client, _ in
            _ = try? await client.called(by: Self.bob).set(["rooms/hall": 1])
            let entry = try #require(desk.requests.entries(after: 0).entries.first)
            #expect(entry.number == 1)
            #expect(entry.method == "Commit")
            #expect(entry.database == "spec/(default)")
            #expect(entry.paths == ["rooms/hall"])
            #expect(entry.asker == .user("bob"))
            #expect(entry.error?.code == .permissionDenied)
            let verdict = try #require(entry.verdicts.first)
            #expect(!verdict.isAllowed)
            #expect(verdict.method == "create")
            #expect(verdict.grounds.map(\.text) == ["request.auth.uid == 'ann'"])
            #expect(verdict.grounds.map(\.position.line) == [4])
        }
    }

    @Test func `a request of the owner, a missing document and a malformed one are told too`()
        async throws
    {
        try await withDesk { desk, client, _ in
            let owner = client.called(by: "owner")
            try await owner.set(["rooms/hall": 1])
            _ = try? await client.get("rooms/none")
            _ = try? await client.get("rooms")
            let entries = desk.requests.entries(after: 0).entries.reversed()
            #expect(entries.map(\.method) == ["Commit", "GetDocument", "GetDocument"])
            #expect(entries.map(\.asker) == [.owner, .nobody, .nobody])
            #expect(entries.map(\.error?.code) == [nil, .notFound, .invalidArgument])
            #expect(entries.map(\.verdicts.count) == [0, 1, 0])
        }
    }

    @Test func `a refused target of a listener is told, and so is one that stands`() async throws {
        try await withDesk { desk, client, _ in
            _ = try await client.listen([
                RawClient.target(2, collection: "secrets"),
                RawClient.target(4, collection: "rooms"),
            ]) { $0.isSnapshot }
            let entries = desk.requests.entries(after: 0).entries.reversed()
            #expect(entries.map(\.method) == ["Listen", "Listen"])
            #expect(entries.map(\.paths) == [["secrets"], ["rooms"]])
            #expect(entries.map(\.error?.code) == [.permissionDenied, nil])
            #expect(entries.map { $0.verdicts.map(\.isAllowed) } == [[false], [true]])
        }
    }

    @Test func `a stream of requests wakes when one ends`() async throws {
        try await withDesk { desk, client, _ in
            var wakes = desk.requests.wakes().makeAsyncIterator()
            #expect(await wakes.next() != nil)
            try await client.called(by: "owner").set(["rooms/hall": 1])
            #expect(await wakes.next() != nil)
            #expect(desk.requests.entries(after: 0).last == 1)
        }
    }

    @Test func `documents are followed, and what the console writes is no request`() async throws {
        try await withDesk { desk, _, _ in
            let path = try ResourcePath(parsing: "rooms")
            let query = Query(path: path).target.structuredQuery
            let follower = desk.follow(.query(query), in: Self.database)
            var wakes = follower.wakes.makeAsyncIterator()
            _ = await wakes.next()
            try follower.take()
            #expect(try await desk.documents(query, in: Self.database).isEmpty)
            let key = try DocumentKey(parsing: "rooms/hall")
            try await desk.commit(
                [Mutation(key: key, kind: .set(["seats": .integer(40)]))], in: Self.database)
            while try await desk.documents(query, in: Self.database).isEmpty {
                _ = await wakes.next()
                try follower.take()
            }
            #expect(desk.databases.contains(Self.database))
            #expect(desk.requests.entries(after: 0).entries.isEmpty)
        }
    }

    @Test func `a node is followed, written and refused, and none of it is a request`() async throws
    {
        try await withDesk { desk, _, _ in
            let tree = try #require(RealtimeNamespace("desk"))
            let follower = desk.follow("/rooms", of: tree)
            try await desk.write([("/rooms/hall", .string("large"))], to: tree)
            for await _ in follower.wakes {
                try follower.take()
                if desk.node(at: "/rooms/hall", of: tree).leaf == .string("large") { break }
            }
            #expect(desk.instances == [tree])
            await #expect(throws: HearthError.self) {
                try await desk.write([("/rooms/a.b", .string("large"))], to: tree)
            }
            try await desk.write([("/", .null)], to: tree)
            #expect(desk.node(at: .root, of: tree).isEmpty)
            #expect(desk.requests.entries(after: 0).entries.isEmpty)
        }
    }

    @Test func `rules of a tree are tried without counting, and published for the tree`()
        async throws
    {
        try await withDesk { desk, _, _ in
            let tree = try #require(RealtimeNamespace("desk"))
            let other = try #require(RealtimeNamespace("other"))
            let closed = #"{"rules": {"rooms": {".read": "auth != null"}}}"#
            let trial = RealtimeRuleTrial(.read, at: "/rooms", by: .null)
            #expect(!(try desk.outcome(of: trial, by: closed, in: tree).verdict.isAllowed))
            func source(_ tree: RealtimeNamespace) -> JSONValue? {
                desk.ruleReport(of: tree)["rules"]?["files"]?.elements?.first?["content"]
            }
            let open = source(tree)
            #expect(open != .string(closed))
            try await desk.publish(closed, for: tree)
            #expect(source(tree) == .string(closed))
            #expect(source(other) == open)
            await #expect(throws: HearthError.self) {
                try await desk.publish("nonsense", for: tree)
            }
            #expect(source(tree) == .string(closed))
            #expect(desk.requests.entries(after: 0).entries.isEmpty)
        }
    }

    @Test func `rules are tried without counting, and published for their project`() async throws {
        try await withDesk { desk, client, _ in
            let key = try ResourcePath(parsing: "rooms/hall")
            let trial = try RuleTrial(.update, key, by: nil, newFields: ["n": .integer(1)])
            let open = Self.rules.replacing("request.auth.uid == 'ann'", with: "true")
            #expect(
                try await desk.outcome(of: trial, by: open, in: Self.database).verdict.isAllowed)
            await #expect(throws: (any Error).self) { try await client.set(["rooms/hall": 1]) }
            try await desk.publish(open, for: "spec")
            try await client.set(["rooms/hall": 1])
            let report = desk.ruleReport(of: "spec")
            #expect(report["rules"]?["files"]?.elements?.first?["content"] == .string(open))
            await #expect(throws: HearthError.self) {
                try await desk.publish("nonsense", for: "spec")
            }
            try await client.set(["rooms/hall": 2])
        }
    }
}
