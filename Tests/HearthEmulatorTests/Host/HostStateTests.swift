import HearthBackend
import HearthModel
import Testing

@testable import HearthEmulator

/// What the host holds, turn by turn, without a disk.
struct HostStateTests {
    private let database = DatabaseID(project: "host")
    private let reading = ClockReading(
        time: Timestamp(seconds: 1_700_000_000, nanoseconds: 0), uptime: .zero)

    private func sets(_ names: [String]) throws -> [Mutation] {
        try names.map { name in
            Mutation(key: try DocumentKey(parsing: "c/\(name)"), kind: .set(["n": .integer(1)]))
        }
    }

    /// Makes writes in a turn of their own.
    private func commit(_ state: inout HostState, _ names: [String]) throws {
        let writes = try sets(names)
        _ = state.take(reading) { state, now in
            _ = try? state.backend.commit(writes, in: database, at: now)
            return nil
        }
    }

    /// Writes what waits to the disk.
    private func save(_ state: inout HostState) throws {
        let group = state.takeGroup()
        _ = state.saved(try #require(group))
    }

    private func names(_ messages: [WatchChange]) -> [String] {
        messages.compactMap { message in
            if case .document(let change) = message { change.key.documentID } else { nil }
        }
    }

    @Test func `a stream that was resumed in a group that is lost is resumed again`() throws {
        var state = HostState(Backend(identity: 1, run: 1), isKept: true)
        let outbox = Outbox()
        let stream = state.open(outbox, in: database, by: .admin)
        let query = StructuredQuery(parent: .root, source: .init(collectionID: "c"))
        let request = WatchRequest(targetID: WireTargetID(2), subject: .query(query))
        _ = state.take(reading) { state, now in
            try? state.backend.watch(request, on: stream, at: now)
            return nil
        }
        // More than an outbox holds: the stream is paused, and misses what comes after.
        try commit(&state, (0...Outbox.messageCountMax).map { "\($0)" })
        try save(&state)
        try commit(&state, ["missed"])
        try save(&state)
        outbox.sent(outbox.take().count)
        #expect(outbox.takeSlowness())
        // The stream has caught up, in a group that does not get to the disk.
        try commit(&state, ["lost"])
        _ = state.take(reading) { state, now in
            state.backend.resume(stream, at: now)
            return nil
        }
        let group = state.takeGroup()
        _ = state.lost(try #require(group))
        #expect(outbox.take().isEmpty)
        // So it is asked for again, and told what the disk has.
        #expect(outbox.takeSlowness())
        _ = state.take(reading) { state, now in
            state.backend.resume(stream, at: now)
            return nil
        }
        #expect(names(outbox.take()) == ["missed"])
        #expect(!outbox.takeSlowness())
    }
}
