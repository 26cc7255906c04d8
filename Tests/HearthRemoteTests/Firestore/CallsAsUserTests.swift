import GRPCCore
import HearthEngine
import HearthFirestore
import HearthModel
import HearthProtocol
import HearthRemote
import Testing

/// Transactions and numbers go upstream as the user who asked, never as the one who came after.
@Suite(.timeLimit(.minutes(1)))
struct CallsAsUserTests {
    private let bench = FirebaseBench()
    private let firebase = StubFirebase()
    private let id = RequestID(session: 1, number: 1)

    /// A backend that takes commits and reads of `users`, and names the token's user in its
    /// refusal.
    private func backend(knowing users: [String]) -> FakeBackend {
        let tokens = users.map { "Bearer \(StubFirebase.idToken(of: $0))" }
        return FakeBackend {
            $0.add("Commit") {
                (metadata, _: RPCAsyncSequence<ProtoCommitRequest, any Error>, answers) in
                let shown = Array(metadata[stringValues: "authorization"])
                guard shown.count == 1, tokens.contains(shown[0]) else {
                    throw RPCError(code: .permissionDenied, message: "\(shown.count) strangers")
                }
                try await answers.write(ProtoCommitResponse())
            }
        }
    }

    @Test func `a call shows the token of the user who asked, and of nobody else`() async throws {
        let (ann, bob) = (UserID("user-ann@x"), UserID("user-bob@x"))
        try await StubEndpoint.serve({ [firebase] in firebase.answer($0) }) { _, host in
            let user = bench.user(.nothing, at: host)
            let first = try await user.signIn(
                .password(email: "ann@x", password: Secret("hunter2")))
            #expect(first == ann)
            try await backend(knowing: [ann.rawValue]).serve { address in
                try await TestUpstream.connected(to: address, as: user) { _, connection, events in
                    connection.perform(.call(id, .commit([]), as: ann))
                    #expect(
                        await events.next() == .called(id, .committed(at: .zero, [])))
                    connection.perform(.call(id, .commit([]), as: bob))
                    #expect(await refusal(&events)?.code == .unavailable)
                    connection.perform(.call(id, .commit([]), as: .unauthenticated))
                    #expect(await refusal(&events)?.code == .unavailable)

                    // The user changes between the question and the next: Ann's goes nowhere.
                    let second = try await user.signIn(
                        .password(email: "bob@x", password: Secret("hunter2")))
                    #expect(second == bob)
                    connection.perform(.call(id, .read([]), as: ann))
                    #expect(await refusal(&events)?.message.contains("user-ann@x") == true)
                    connection.perform(.call(id, .aggregate([], rooms), as: ann))
                    #expect(await refusal(&events)?.message.contains("user-ann@x") == true)
                    connection.perform(.call(id, .commit([]), as: bob))
                    #expect(await refusal(&events)?.code == .permissionDenied)
                }
            }
        }
    }

    @Test func `when nobody is signed in nothing is shown`() async throws {
        try await StubEndpoint.serve({ [firebase] in firebase.answer($0) }) { _, host in
            let user = bench.user(.nothing, at: host)
            try await backend(knowing: []).serve { address in
                try await TestUpstream.connected(to: address, as: user) { _, connection, events in
                    connection.perform(.call(id, .commit([]), as: .unauthenticated))
                    #expect(await refusal(&events)?.message == "0 strangers")
                }
            }
        }
    }

    private var rooms: StructuredQuery {
        StructuredQuery(parent: .root, source: .init(collectionID: "rooms"))
    }

    private func refusal(_ events: inout TestUpstream.Events) async -> HearthError? {
        guard case .called(id, .failed(let error)) = await events.next() else { return nil }
        return error
    }
}
