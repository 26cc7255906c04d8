import HearthEngine
import HearthModel
import Testing

@testable import HearthFirestore

/// What a snapshot says beside its documents.
struct ViewSnapshotTests {
    private let rooms = collection("rooms")
    private let nothing = EmptyCollection<Document>()

    private func current() -> TargetChange {
        TargetChange(resumeToken: token("t"), isCurrent: true)
    }

    @Test func `a snapshot says up to when the backend has told of it`() {
        var view = View(query: rooms, syncedKeys: [], readAt: version(3))
        #expect(view.decide(view.draft(nothing)).snapshot?.readAt == version(3))
        let told = view.decide(
            view.draft([document("rooms/hall")]), change: current(), reached: version(7))
        #expect(told.snapshot?.readAt == version(7))
        let local = document("rooms/attic", pending: .localMutations)
        #expect(view.decide(view.draft([local])).snapshot?.readAt == version(7))
    }

    @Test func `a view that becomes offline is as old as it was`() {
        var view = View(query: rooms, syncedKeys: [])
        _ = view.decide(view.draft(nothing), change: current(), reached: version(7))
        #expect(view.becomeOffline().snapshot?.readAt == version(7))
        let late = view.decide(
            view.draft([document("rooms/hall")]), change: current(), reached: version(5))
        #expect(late.snapshot?.readAt == version(7))
    }

    @Test func `only what the backend said is missing is named as missing`() {
        let names = ["rooms/deleted", "rooms/left", "rooms/waits"]
        var query = rooms
        query.filters = [.field(FieldPath(["n"]), .equal, .integer(1))]
        var view = View(query: query, syncedKeys: names.map { key($0) })
        _ = view.decide(
            view.draft(names.map { document($0, ["n": .integer(1)]) }), change: current(),
            reached: version(1))
        var pending = Document.missing(key("rooms/waits"), at: version(2))
        pending.markLocalMutations()
        let snapshot = view.decide(
            view.draft([
                Document.missing(key("rooms/deleted"), at: version(2)),
                document("rooms/left", at: 2, ["n": .integer(2)]), pending,
            ]), reached: version(2)
        ).snapshot
        #expect(snapshot?.changes.map(\.kind) == [.removed, .removed, .removed])
        #expect(snapshot?.missingKeys == [key("rooms/deleted")])
    }

    @Test func `what the cache holds of a target is as old as the target's last snapshot`() throws {
        let store = MemoryStore()
        let target = rooms.target
        try store.transaction { transaction throws(StoreError) in
            try transaction.setTargetData(
                TargetData(
                    id: TargetID(2), target: target, sequenceNumber: 1,
                    snapshotVersion: version(40), resumeToken: token("t")))
        }
        var bench = try EngineBench(on: store)
        try bench.take(.setNetwork(isEnabled: false))
        let actions = try bench.take(
            .listen(ListenerID(session: 1, number: 1), rooms, ListenOptions()))
        let told = actions.compactMap { action -> ViewSnapshot? in
            if case .emit(let snapshot, _) = action { return snapshot }
            return nil
        }
        #expect(told.map(\.readAt) == [version(40)])
    }
}
