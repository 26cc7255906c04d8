import HearthEngine
import HearthModel
import HearthTesting
import Testing

@testable import HearthFirestore

/// The store fails at the start: until the counters are read, nobody is given a number.
struct StartFaultSpecs {
    private static let now = ManualClock().now

    private static func write(_ number: UInt64) -> FirestoreEngine.Input {
        .write(
            WriteRequest(
                id: RequestID(session: 1, number: number),
                identity: WriteIdentity(
                    uid: 7, client: ClientID(high: 1, low: 2), sequence: number),
                answeredBelow: 1, writer: Writer(uid: 7, gid: 7, pid: 7),
                mutations: [Cast.set("hall", size: Int64(number))]))
    }

    private static func take(
        _ input: FirestoreEngine.Input, _ engine: inout FirestoreEngine, _ store: MemoryStore
    ) throws -> [FirestoreEngine.Action] {
        try store.transaction { store throws(StoreError) in
            try engine.take(input, at: now, in: store)
        }
    }

    private static func engine() -> FirestoreEngine {
        FirestoreEngine(configuration: .init(database: DatabaseID(project: "start")), seed: 1)
    }

    @Test func `a write before the counters are read is refused, and goes over no other`() throws {
        let store = MemoryStore()
        var first = Self.engine()
        _ = try Self.take(.start, &first, store)
        for number in UInt64(1)...3 { _ = try Self.take(Self.write(number), &first, store) }
        let counters = try store.transaction { store throws(StoreError) in try store.globals() }
        #expect(counters.lastBatchID == BatchID(3))

        var engine = Self.engine()
        _ = engine.turnFailed(.start, .io("It was pulled out"), at: Self.now)
        let listener = ListenerID(session: 1, number: 8)
        let inputs: [(FirestoreEngine.Input, FirestoreEngine.Action)] = [
            (Self.write(9), .refuse(RequestID(session: 1, number: 9), .notStarted)),
            (.listen(listener, Cast.rooms, ListenOptions()), .fail(listener, .notStarted)),
        ]
        for (input, refusal) in inputs {
            #expect(try Self.take(input, &engine, store) == [refusal])
        }
        _ = try Self.take(.changeUser(UserID("anna")), &engine, store)
        let kept = try store.transaction { store throws(StoreError) in try store.globals() }
        #expect(kept == counters)

        _ = try Self.take(.timerFired(.storeRetry), &engine, store)
        let actions = try Self.take(Self.write(10), &engine, store)
        let accepted = actions.contains {
            if case .accept(_, let batch) = $0 { batch == BatchID(4) } else { false }
        }
        #expect(accepted)
    }
}
