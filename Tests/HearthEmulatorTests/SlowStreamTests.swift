import HearthBackend
import HearthModel
import Synchronization
import Testing

@testable import HearthEmulator

@Suite(.timeLimit(.minutes(1)))
struct SlowStreamTests {
    private let database = DatabaseID(project: "slow")

    private func write(_ number: Int) throws -> Mutation {
        Mutation(
            key: try DocumentKey(parsing: "c/\(number % 10)"),
            kind: .set(["n": .integer(Int64(number))]))
    }

    @Test func `a stream that nobody reads is paused, and told the difference afterwards`()
        async throws
    {
        let host = try BackendHost(keeper: nil, settings: BackendSettings())
        let outbox = Outbox()
        let stream = host.open(outbox, in: database)
        let query = StructuredQuery(parent: .root, source: .init(collectionID: "c"))
        let request = WatchRequest(targetID: WireTargetID(2), subject: .query(query))
        try await answer { host.watch(request, on: stream, then: $0) }
        for number in 0..<2_000 {
            let write = try write(number)
            _ = try await answer { host.commit([write], in: database, then: $0) }
        }
        #expect(outbox.count <= Outbox.messageCountMax + 2)
        outbox.sent(outbox.take().count)
        #expect(outbox.takeSlowness())
        host.resume(stream)
        // Ten documents and one snapshot, however many commits there were.
        #expect(outbox.take().count == 11)
        #expect(!outbox.takeSlowness())
    }

    @Test func `what was taken and not sent counts as waiting`() {
        let wakes = Mutex(0)
        let outbox = Outbox { wakes.withLock { $0 += 1 } }
        let message = WatchChange.target(.init(kind: .noChange, targets: []))
        let many = Array(repeating: message, count: Outbox.messageCountMax)
        #expect(outbox.put(many))
        #expect(outbox.take().count == many.count)
        #expect(!outbox.put([message]))
        #expect(outbox.takeSlowness())
        outbox.sent(many.count)
        #expect(outbox.put([message]))
        #expect(outbox.count == 2)
        #expect(wakes.withLock { $0 } == 2)
    }

    private func answer<Value: Sendable>(
        _ call: (@escaping BackendHost.Reply<Value>) -> Void
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            call { continuation.resume(with: $0) }
        }
    }
}
