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

    @Test func `one stream that nobody reads takes nothing from many that are read`() async throws {
        let host = try BackendHost(keeper: nil, settings: BackendSettings())
        let query = StructuredQuery(parent: .root, source: .init(collectionID: "c"))
        var streams: [(id: StreamID, outbox: Outbox)] = []
        for _ in 0..<20 {
            let outbox = Outbox()
            let id = host.open(outbox, in: database)
            let request = WatchRequest(targetID: WireTargetID(2), subject: .query(query))
            try await answer { host.watch(request, on: id, then: $0) }
            streams.append((id, outbox))
        }
        let slow = streams.remove(at: 7)
        for stream in streams { stream.outbox.sent(stream.outbox.take().count) }
        for number in 0..<1_500 {
            let write = try write(number)
            let outcome = try await answer { host.commit([write], in: database, then: $0) }
            for stream in streams {
                // The document and the snapshot, at once, whatever the slow one holds.
                let told = stream.outbox.take()
                stream.outbox.sent(told.count)
                guard told.count == 2, case .document(let change)? = told.first else {
                    Issue.record("\(stream.id) was told \(told) of commit \(number)")
                    return
                }
                #expect(change.document?.version == outcome.version)
            }
            #expect(slow.outbox.count <= Outbox.messageCountMax + 2)
        }
        slow.outbox.sent(slow.outbox.take().count)
        #expect(slow.outbox.takeSlowness())
        host.resume(slow.id)
        let missed = slow.outbox.take()
        #expect(missed.count == 11)
        for case .document(let change) in missed {
            let number = change.document?.fields["n"]
            #expect(number == .integer(1_490 + (Int64(change.key.documentID) ?? -1)))
        }
        for stream in streams { #expect(stream.outbox.count == 0) }
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
