import GRPCCore
import HearthEmulator
import HearthModel
import HearthProtocol
import Testing

/// Rules from end to end: an unsigned token in the metadata of a call decides what it may do.
@Suite(.timeLimit(.minutes(1)))
struct SecurityTests {
    /// {"alg":"none"} . {"sub":"alice"} and {"sub":"bob"}, without a signature.
    private static let alice = "eyJhbGciOiJub25lIn0.eyJzdWIiOiJhbGljZSJ9."
    private static let bob = "eyJhbGciOiJub25lIn0.eyJzdWIiOiJib2IifQ."

    private static let rules = """
        rules_version = '2';
        service cloud.firestore {
          match /databases/{database}/documents {
            match /{user}/{document} {
              allow read, write: if request.auth.uid == user;
            }
          }
        }
        """

    private static func code(_ body: () async throws -> Void) async throws -> RPCError.Code? {
        do {
            try await body()
            return nil
        } catch let error as RPCError {
            return error.code
        }
    }

    @Test func `a user reads and writes what the rules allow, and nothing else`() async throws {
        try await withEmulator { emulator, client, _ in
            try emulator.setRules(Self.rules)
            let alice = client.called(by: Self.alice)
            let bob = client.called(by: Self.bob)
            try await alice.set(["alice/a": 1])
            #expect(try await alice.get("alice/a").fields.count == 1)
            for refused in [bob, client] {
                let set = try await Self.code { try await refused.set(["alice/a": 2]) }
                #expect(set == .permissionDenied)
                let got = try await Self.code { _ = try await refused.get("alice/a") }
                #expect(got == .permissionDenied)
                let deleted = try await Self.code { try await refused.delete("alice/a") }
                #expect(deleted == .permissionDenied)
            }
            let owner = client.called(by: "owner")
            #expect(try await owner.get("alice/a").fields.count == 1)
        }
    }

    @Test func `a refused target ends, and its stream goes on with the others`() async throws {
        try await withEmulator { emulator, client, _ in
            try emulator.setRules(Self.rules)
            let alice = client.called(by: Self.alice)
            try await alice.set(["alice/a": 1])
            let told = try await alice.listen([
                RawClient.target(2, collection: "bob"), RawClient.target(4, collection: "alice"),
            ]) { $0.isSnapshot }
            let refusal = try #require(told.first { $0.targetChange.hasCause }).targetChange
            #expect(refusal.targetChangeType == .remove)
            #expect(refusal.targetIds == [2])
            #expect(refusal.cause.code == 7)
            #expect(refusal.cause.message.hasPrefix("Missing or insufficient permissions."))
            #expect(told.contains { $0.documentChange.targetIds == [4] })
        }
    }

    @Test func `each project may have rules of its own, and wrong ones change nothing`()
        async throws
    {
        try await withEmulator { emulator, client, _ in
            try emulator.setRules(Self.rules)
            try emulator.setRules(
                Self.rules.replacing("request.auth.uid == user", with: "true"), project: "spec")
            try await client.set(["alice/a": 1])
            let error = #expect(throws: HearthError.self) {
                try emulator.setRules("rules_version = '2';\nservice", project: "spec")
            }
            #expect(error?.code == .invalidArgument)
            #expect(error?.message.hasPrefix("Error compiling rules:\nL2:8 ") == true)
            try await client.set(["alice/a": 2])
        }
    }

    @Test func `what only the owner may do is refused to others`() async throws {
        try await withEmulator { _, client, _ in
            var request = ProtoListCollectionIdsRequest()
            request.parent = RawClient.database + "/documents"
            let asked = request
            let ask: @Sendable (RawClient) async throws -> ProtoListCollectionIdsResponse = {
                try await $0.call("ListCollectionIds", asked)
            }
            _ = try await ask(client.called(by: "owner"))
            for other in [client, client.called(by: Self.alice)] {
                let code = try await Self.code { _ = try await ask(other) }
                #expect(code == .permissionDenied)
            }
        }
    }

    @Test func `a token that cannot be read is an invalid argument`() async throws {
        try await withEmulator { _, client, _ in
            for token in ["x", "a.b.c", "owner2", "eyJhbGciOiJub25lIn0.e30."] {
                let other = client.called(by: token)
                let code = try await Self.code { _ = try await other.get("a/b") }
                #expect(code == .invalidArgument, "\(token)")
            }
        }
    }
}
