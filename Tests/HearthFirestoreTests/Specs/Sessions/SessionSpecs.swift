import HearthEngine
import HearthFirestore
import HearthModel
import Testing

/// Several programs on one engine: what the SDKs promise to the tabs of one browser.
///
/// This folder tells the SDKs' stories of several clients again, if a daemon can keep the promise
/// of the story. In the left column a part of their names.
///
/// | story | told by |
/// |---|---|
/// | bundle: load from primary, same secondary; resumed from different tabs | SharedCacheSpecs |
/// | index: creation succeeds, is visible on all | SharedCacheSpecs |
/// | limbo: resolved after failover, survive transitions | SharedQuerySpecs, after a restart |
/// | limbo: limitToLast query, expected limbo document; limit: query is refilled | MirrorQuerySpecs |
/// | listen_source: mirror queries | MirrorQuerySpecs |
/// | listen_source: the others | CacheSourceSpecs |
/// | listen: executed, joined, shared, unlistened; only raises events in participating clients | SharedQuerySpecs |
/// | listen: rejected; rejected and re-listened | SharedQuerySpecs |
/// | listen: empty due to delete; advances query state | SharedQuerySpecs |
/// | listen: mirror queries | MirrorQuerySpecs |
/// | listen: established in new, newly started primary; bounces | SharedQuerySpecs, after a restart |
/// | listen: online state of new, secondary client; does not persist | NetworkVoteSpecs |
/// | listen: primary if no client has its network enabled; persistence: lease bound to network | NetworkVoteSpecs |
/// | persistence: clearPersistence shuts down others | ClearingSpecs: refused while in use |
/// | query: will not interfere | SharedQuerySpecs |
/// | recovery: listened, raises events, lookup mutations, acknowledged | SharedWriteSpecs |
/// | write: acknowledged, rejected, released, held, waits | SharedWriteSpecs |
/// | write: sequenced by multiple clients | here |
/// | write: failover, takeover, newly started primary, not sent twice | SharedWriteSpecs, after a restart |
/// | write: scoped by user, handle user change | SharedWriteSpecs, UserSpecs |
///
/// Not told, because one process owns the cache and there is no lease to win or to lose: of listen
/// "Unresponsive primary", "Previous primary regains"; of persistence "Detects all active clients",
/// "Foreground tab", "Single tab"; of write "Unresponsive primary" (twice); of recovery "Query without
/// active view". Of limbo "no expected limbo document" is the limit's own story, told by one client.
struct SessionSpecs {
    private let rooms = collection("rooms")
    private let refused = HearthError(code: .permissionDenied, message: "Not allowed.")

    private func snapshots(
        _ actions: [FirestoreEngine.Action], of id: ListenerID
    ) -> [ViewSnapshot] {
        actions.compactMap { action in
            guard case .emit(let snapshot, let ids) = action, ids.contains(id) else { return nil }
            return snapshot
        }
    }

    private func listener(_ session: UInt64, _ number: UInt64 = 1) -> ListenerID {
        ListenerID(session: session, number: number)
    }

    private func isSettled(_ actions: [FirestoreEngine.Action], _ id: RequestID) -> Bool {
        actions.contains { action in
            if case .settle(id, _, .committed) = action { true } else { false }
        }
    }

    @Test func `one program's write shows at once in another's listener, as pending`() throws {
        var bench = try EngineBench()
        try bench.take(.setNetwork(isEnabled: false))
        try bench.take(.listen(listener(2), rooms, ListenOptions()))
        let actions = try bench.take(.write(request(1, session: 1)))
        let shown = snapshots(actions, of: listener(2))
        #expect(shown.map(\.hasPendingWrites) == [true])
        #expect(shown.first?.documents.count == 1)
    }

    @Test func `a write's answer goes to the program that wrote, and to no other`() throws {
        var bench = try EngineBench()
        try bench.take(.write(request(1, session: 1)))
        try bench.take(.write(request(1, "rooms/den", session: 2)))
        try bench.openWriteStream(1)
        try bench.commit(1, at: 1_000)
        #expect(isSettled(bench.actions, RequestID(session: 1, number: 1)))
        #expect(!isSettled(bench.actions, RequestID(session: 2, number: 1)))
    }

    @Test func `the writes of a program that is gone are sent, and others wait for them`() throws {
        var bench = try EngineBench()
        try bench.take(.write(request(1, session: 1)))
        try bench.take(.disconnected(session: 1))
        let waiter = RequestID(session: 2, number: 1)
        #expect(try bench.take(.waitForPendingWrites(waiter, .all)).isEmpty)
        try bench.openWriteStream(1)
        try bench.commit(1, at: 1_000)
        #expect(bench.actions.contains(.complete(waiter)))
    }

    @Test func `programs share a target, which is released with the last of them`() throws {
        var bench = try EngineBench()
        try bench.take(.setNetwork(isEnabled: false))
        try bench.take(.listen(listener(1), rooms, ListenOptions()))
        let target = try #require(bench.engine.targetID(for: rooms))
        let late = try bench.take(.listen(listener(2), rooms, ListenOptions()))
        #expect(snapshots(late, of: listener(2)).count == 1)
        #expect(bench.engine.targetID(for: rooms) == target)
        try bench.take(.disconnected(session: 1))
        #expect(bench.engine.targetID(for: rooms) == target)
        try bench.take(.unlisten(listener(2)))
        #expect(bench.engine.targetID(for: rooms) == nil)
    }

    @Test func `a refused target ends every program's listener, and may be asked for again`() throws
    {
        var bench = try EngineBench()
        try bench.take(.listen(listener(1), rooms, ListenOptions()))
        try bench.take(.listen(listener(2), rooms, ListenOptions()))
        let stream = StreamNumber(1)
        try bench.take(.upstream(.watchOpened(stream)))
        let wire = try #require(bench.engine.wireTargetIDs().values.first)
        let refusal = TargetWatchChange(kind: .removed(refused), targets: [wire])
        let actions = try bench.take(.upstream(.watched(stream, .target(refusal))))
        for session: UInt64 in [1, 2] {
            #expect(actions.contains(.fail(listener(session), refused)))
        }
        #expect(bench.engine.targetID(for: rooms) == nil)
        try bench.take(.listen(listener(1, 2), rooms, ListenOptions()))
        #expect(bench.engine.targetID(for: rooms) != nil)
    }

    @Test func `writes of several programs are sent once, in the order of their acceptance`() throws
    {
        var bench = try EngineBench()
        for session: UInt64 in 1...3 {
            try bench.take(.write(request(session, "rooms/r\(session)", session: session)))
        }
        try bench.openWriteStream(1)
        let sent = bench.actions.compactMap { action -> String? in
            guard case .upstream(.write(_, _, let mutations, _)) = action else { return nil }
            return mutations.first?.key.documentID
        }
        #expect(sent == ["r1", "r2", "r3"])
    }
}
