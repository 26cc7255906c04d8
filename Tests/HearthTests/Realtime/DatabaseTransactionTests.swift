import HearthModel
import HearthWire
import Testing

@testable import Hearth

struct DatabaseTransactionTests {
    private let server: TreeDaemon
    private let ref: DatabaseReference

    init() throws {
        server = try TreeDaemon()
        ref = server.daemon.realtime().reference()
    }

    private static let increment: @Sendable (MutableData) -> TransactionResult = { data in
        data.value = (data.value as? Int ?? 0) + 1
        return .success(withValue: data)
    }

    @Test func `a transaction computes from what is there`() async throws {
        let (isCommitted, snapshot) = try await ref.child("n").runTransactionBlock(Self.increment)
        #expect(isCommitted)
        #expect(snapshot.value as? Int == 1)
        #expect(server.tree == (try Node(json: #"{"n":1}"#)))
    }

    @Test func `fifty at once count to fifty`() async throws {
        let ref = ref
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<50 {
                group.addTask { try await ref.child("n").runTransactionBlock(Self.increment) }
            }
            try await group.waitForAll()
        }
        #expect(server.tree == (try Node(json: #"{"n":50}"#)))
    }

    @Test func `a transaction that gives up writes nothing, and is no error`() async throws {
        try await ref.child("n").setValue(4)
        let (isCommitted, snapshot) = try await ref.child("n").runTransactionBlock { data in
            data.value = 9
            return .abort()
        }
        #expect(!isCommitted)
        #expect(snapshot.value as? Int == 4)
        #expect(server.tree == (try Node(json: #"{"n":4}"#)))
    }

    @Test func `a transaction whose value cannot be written fails, and names the place`()
        async throws
    {
        let error = await #expect(throws: DatabaseError.self) {
            try await ref.child("n").runTransactionBlock { data in
                data.value = ["a.b": 1]
                return .success(withValue: data)
            }
        }
        #expect(error?.code == .invalidArgument)
        #expect(error?.message.contains("(at /n)") == true)
    }

    @Test func `a completion is told the error, the outcome and what is there`() async throws {
        let (outcomes, continuation) = AsyncStream.makeStream(of: String.self)
        ref.child("n").runTransactionBlock(Self.increment) { error, isCommitted, snapshot in
            continuation.yield("\(error == nil) \(isCommitted) \(snapshot?.value as? Int ?? 0)")
        }
        ref.child("n").runTransactionBlock(
            { _ in .abort() },
            andCompletionBlock: { error, isCommitted, snapshot in
                continuation.yield(
                    "\(error == nil) \(isCommitted) \(snapshot?.value as? Int ?? 0)")
            }, withLocalEvents: false)
        var iterator = outcomes.makeAsyncIterator()
        let first = await iterator.next()
        let second = await iterator.next()
        let told = Set([first, second].compactMap { $0 })
        #expect(told.contains("true true 1"))
        #expect(told.contains { $0.hasPrefix("true false ") })
    }

    @Test func `a transaction whose answer was lost may have been applied`() async throws {
        let daemon = try FakeDaemon(FakeDaemon.instance)
        let ref = daemon.realtime().reference()
        let running = Task { try await ref.child("n").runTransactionBlock(Self.increment) }
        var sessions = daemon.sessions.makeAsyncIterator()
        let session = try #require(await sessions.next())
        _ = try await session.greet()
        let asked = try #require(await session.next())
        try session.send(NodeParts(of: .run(Node(4), round: 1)), asked.number)
        let proposed = try #require(await session.next())
        #expect(proposed.request == .realtime(.propose(UnresolvedNode(Node(5)), round: 1)))
        let lost = HearthError(code: .unavailable, message: "disconnect: lost")
        try session.send(NodeParts(of: .failed(lost, Node(4))), asked.number)
        let error = await #expect(throws: DatabaseError.self) { try await running.value }
        #expect(error == DatabaseError(.unavailable, lost.message, mayHaveBeenApplied: true))
    }
}
