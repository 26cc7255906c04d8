import HearthBackend
import HearthModel
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
        let stream = await host.open(outbox, in: database)
        let query = StructuredQuery(parent: .root, source: .init(collectionID: "c"))
        try await host.watch(
            WatchRequest(targetID: WireTargetID(2), subject: .query(query)), on: stream)
        for number in 0..<2_000 {
            _ = try await host.commit([try write(number)], in: database)
        }
        #expect(outbox.count <= Outbox.messageCountMax + 2)
        _ = await outbox.take()
        #expect(outbox.takeSlowness())
        try await host.resume(stream)
        // Ten documents and one snapshot, however many commits there were.
        #expect(await outbox.take().count == 11)
        #expect(!outbox.takeSlowness())
    }

    @Test func `an outbox gives all and waits for more`() async {
        let outbox = Outbox()
        let message = WatchChange.target(.init(kind: .noChange, targets: []))
        #expect(outbox.put([message, message]))
        #expect(await outbox.take().count == 2)
        async let later = outbox.take()
        #expect(outbox.put([message]))
        #expect(await later.count == 1)
        outbox.end()
        #expect(await outbox.take().isEmpty)
    }
}
