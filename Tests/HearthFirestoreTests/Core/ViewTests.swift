import HashTreeCollections
import HearthModel
import Testing

@testable import HearthFirestore

struct ViewTests {
    private let rooms = collection("rooms")

    private func current(
        added: [DocumentKey] = [], removed: [DocumentKey] = [], isCurrent: Bool = true
    ) -> TargetChange {
        TargetChange(
            resumeToken: token("t"), isCurrent: isCurrent, added: added, removed: removed)
    }

    private func view(
        of query: Query, _ documents: [Document], syncedKeys: [DocumentKey]? = nil
    ) -> View {
        let keys = syncedKeys ?? documents.map(\.key)
        var view = View(query: query, syncedKeys: keys)
        _ = view.decide(view.draft(documents), change: current())
        return view
    }

    @Test func `a view that lacks a successor is from the cache until it is filled`() {
        var query = rooms
        query.limit = Query.Limit(2)
        let all = ["a", "b", "c"].map { document("rooms/\($0)") }
        var view = view(of: query, Array(all.prefix(2)), syncedKeys: all.map(\.key))
        let gone = Document.missing(key("rooms/a"), at: version(2_000))
        let short = view.decide(view.draft([gone]))
        #expect(view.lacksSuccessor)
        #expect(short.snapshot?.isFromCache == true)
        #expect(short.snapshot?.documents.count == 1)
        // What lies behind the missing document is not known to be all.
        #expect(view.isConcerned(by: document("rooms/z")))
        let empty = view.draft(EmptyCollection<Document>())
        #expect(empty.needsRefill)
        let filled = view.decide(view.draft(Array(all.dropFirst()), continuing: empty))
        #expect(!view.lacksSuccessor)
        #expect(filled.snapshot?.isFromCache == false)
        #expect(filled.snapshot?.documents.documents.map(\.key.documentID) == ["b", "c"])
    }

    @Test(arguments: [nil, Query.Limit(2), Query.Limit(2, .last)])
    func `what was sorted before is shown as what is sorted now`(limit: Query.Limit?) {
        var query = collection("rooms")
        query.limit = limit
        let found = ["d", "a", "c", "b"].map { document("rooms/\($0)") }
        var one = View(query: query, syncedKeys: [DocumentKey]())
        var other = one
        let first = one.decide(one.draft(found))
        let sorted = DocumentSet(order: query.order, found)
        let second = other.decide(other.draft(filling: sorted))
        #expect(first.snapshot == second.snapshot)
        #expect(first.snapshot?.documents.count == limit?.count ?? 4)
    }

    @Test func `the first decision always makes a snapshot, even of nothing`() {
        var view = View(query: rooms, syncedKeys: [])
        let outcome = view.decide(view.draft(EmptyCollection<Document>()))
        #expect(outcome.snapshot?.isFromCache == true)
        #expect(outcome.snapshot?.documents.isEmpty == true)
    }

    @Test func `a change that changes nothing makes no snapshot`() {
        var view = view(of: rooms, [document("rooms/hall")])
        let outcome = view.decide(view.draft([document("rooms/hall")]))
        #expect(outcome.snapshot == nil)
    }

    @Test func `a document the backend did not name joins limbo once the target is current`() {
        var view = View(query: rooms, syncedKeys: [])
        let first = view.decide(view.draft([document("rooms/hall")]))
        #expect(first.joinedLimbo.isEmpty)
        let second = view.decide(view.draft(EmptyCollection<Document>()), change: current())
        #expect(second.joinedLimbo == [key("rooms/hall")])
        #expect(view.isFromCache)
        let third = view.decide(
            view.draft(EmptyCollection<Document>()), change: current(added: [key("rooms/hall")]))
        #expect(third.leftLimbo == [key("rooms/hall")])
        #expect(third.snapshot?.isFromCache == false)
    }

    @Test func `a document with local writes is not in limbo until they are gone`() {
        let local = document("rooms/hall", pending: .localMutations)
        var view = View(query: rooms, syncedKeys: [])
        let first = view.decide(view.draft([local]), change: current())
        #expect(first.joinedLimbo.isEmpty)
        let second = view.decide(view.draft([document("rooms/hall", at: 2)]))
        #expect(second.joinedLimbo == [key("rooms/hall")])
    }

    @Test func `an acknowledged write is shown only when the watch stream brings it`() {
        let local = document("rooms/hall", ["n": .integer(1)], pending: .localMutations)
        var view = view(of: rooms, [local])
        let committed = document(
            "rooms/hall", at: 2, ["n": .integer(2)], pending: .committedMutations)
        #expect(view.decide(view.draft([committed])).snapshot == nil)
        let watched = document("rooms/hall", at: 2, ["n": .integer(2)])
        let snapshot = view.decide(view.draft([watched])).snapshot
        #expect(snapshot?.changes == [DocumentChange(.modified, watched)])
        #expect(snapshot?.hasPendingWrites == false)
    }

    @Test func `a result with an acknowledged write waits for its version`() {
        let local = document("rooms/hall", pending: .localMutations)
        var view = view(of: rooms, [local], syncedKeys: [])
        #expect(view.awaitedVersion == nil)
        let committed = document("rooms/hall", at: 2, pending: .committedMutations)
        #expect(
            view.decide(view.draft([committed]), reached: version(9)).joinedLimbo == [local.key])
        #expect(view.awaitedVersion == nil)

        view = self.view(of: rooms, [local], syncedKeys: [])
        #expect(view.decide(view.draft([committed])).joinedLimbo.isEmpty)
        #expect(view.awaitedVersion == version(2))
        let nothing = EmptyCollection<Document>()
        #expect(view.decide(view.draft(nothing), reached: version(1)).joinedLimbo.isEmpty)
        #expect(view.decide(view.draft(nothing), reached: version(2)).joinedLimbo == [local.key])
        #expect(view.isFromCache)
    }

    @Test func `what silence tells of an acknowledgement can wait if nothing else is told`() {
        let local = document("rooms/attic", pending: .localMutations)
        let fresh = document("rooms/attic", at: 2, pending: .committedMutations)
        var view = view(of: rooms, [local], syncedKeys: [])
        let outcome = view.decide(
            view.draft([fresh]), reached: version(9), justAcknowledged: [fresh.key])
        #expect(outcome.joinedLimbo.isEmpty)
        #expect(outcome.snapshot == nil)
        let nothing = EmptyCollection<Document>()
        #expect(view.decide(view.draft(nothing), reached: version(9)).joinedLimbo == [fresh.key])

        view = self.view(of: rooms, [local], syncedKeys: [])
        let other = document("rooms/hall", pending: .localMutations)
        let told = view.decide(
            view.draft([fresh, other]), reached: version(9), justAcknowledged: [fresh.key])
        #expect(told.joinedLimbo == [fresh.key])
        #expect(told.snapshot?.isFromCache == true)
    }

    @Test func `a view that is settled shows acknowledged writes as the cache has them`() {
        let local = document("rooms/hall", ["n": .integer(1)], pending: .localMutations)
        var view = view(of: rooms, [local])
        let committed = document(
            "rooms/hall", at: 2, ["n": .integer(2)], pending: .committedMutations)
        #expect(view.decide(view.draft([committed])).snapshot == nil)
        #expect(view.unsettledKeys == [local.key])
        let snapshot = view.decide(view.draft([committed], settles: true)).snapshot
        #expect(snapshot?.changes == [DocumentChange(.modified, committed)])
        #expect(snapshot?.hasPendingWrites == false)
        #expect(view.unsettledKeys.isEmpty)
    }

    @Test func `what comes together with a change beneath a waiting write names that document`() {
        let hall = document("rooms/hall", ["n": .integer(1)], pending: .localMutations)
        let (attic, den) = (document("rooms/attic"), document("rooms/den"))
        var view = view(of: rooms, [hall, attic])
        // The backend has another hall, on which the waiting write has the same effect.
        let together = view.decide(view.draft([hall, den])).snapshot
        #expect(together?.changes == [DocumentChange(.added, den)])
        #expect(together?.hiddenKeys == [hall.key])
        var gone = Document.missing(attic.key, at: version(1_000))
        gone.markLocalMutations()
        #expect(view.decide(view.draft([gone])).snapshot?.hiddenKeys == [])
        let other = view.decide(view.draft([gone, document("rooms/loft")])).snapshot
        #expect(other?.hiddenKeys == [attic.key])
        #expect(view.decide(view.draft([gone])).snapshot == nil)
    }

    @Test func `losing a flag only is a change of metadata`() {
        var view = view(of: rooms, [document("rooms/hall", pending: .localMutations)])
        let synced = document("rooms/hall", at: 2)
        let snapshot = view.decide(view.draft([synced])).snapshot
        #expect(snapshot?.changes == [DocumentChange(.metadata, synced)])
    }

    @Test(arguments: [Query.Limit.End.first, .last])
    func `what exceeds a limit is removed at its far end`(end: Query.Limit.End) {
        var query = rooms
        query.explicitOrderBys = [OrderBy(FieldPath(["n"]))]
        query.limit = Query.Limit(2, end)
        let documents = (1...3).map { document("rooms/r\($0)", ["n": .integer(Int64($0))]) }
        let view = view(of: query, documents)
        let kept = view.documents.documents.map(\.key.documentID)
        #expect(kept == (end == .first ? ["r1", "r2"] : ["r2", "r3"]))
    }

    @Test func `a full limit that loses a document asks the cache for its successor`() {
        var query = rooms
        query.limit = Query.Limit(2)
        let view = view(of: query, [document("rooms/a"), document("rooms/b")])
        let draft = view.draft([Document.missing(key("rooms/a"), at: version(2))])
        #expect(draft.needsRefill)
        let refilled = view.draft(
            [document("rooms/b"), document("rooms/c")], continuing: draft)
        #expect(!refilled.needsRefill)
        var decided = view
        let changes = decided.decide(refilled).snapshot?.changes.map(\.document.key.documentID)
        #expect(changes == ["a", "c"])
    }

    @Test func `a view that goes offline is from the cache and keeps its documents`() {
        var view = view(of: rooms, [document("rooms/hall")])
        #expect(!view.isFromCache)
        let snapshot = view.becomeOffline().snapshot
        #expect(snapshot?.isFromCache == true)
        #expect(snapshot?.changes.isEmpty == true)
        #expect(view.becomeOffline().snapshot == nil)
    }

    @Test func `each snapshot names the one before it`() {
        var view = view(of: rooms, [document("rooms/a")])
        let first = view.snapshotID
        let snapshot = view.decide(view.draft([document("rooms/b")])).snapshot
        #expect(snapshot?.base == first)
        #expect(snapshot?.id == view.snapshotID)
    }

    // MARK: What the backend named

    @Test func `a view holds the names of its documents once, however many there are`() {
        let rooms = (0..<2_000).map { document("rooms/r\($0)") }
        let view = view(of: self.rooms, rooms)
        #expect(view.syncedKeyCount == 2_000)
        #expect(view.nameCount == 0)
        #expect(view.isSynced(key("rooms/r7")))
        #expect(!view.isSynced(key("rooms/other")))
    }

    @Test func `what the backend named stays named, shown or not`() {
        var view = view(of: rooms, [document("rooms/a"), document("rooms/b")])
        _ = view.decide(view.draft([Document.missing(key("rooms/a"), at: .zero)]))
        #expect(view.isSynced(key("rooms/a")))
        #expect(Set(view.syncedKeys) == [key("rooms/a"), key("rooms/b")])
        #expect(view.unnamedKeys.isEmpty)
        _ = view.decide(
            view.draft([document("rooms/c")]), change: current(removed: [key("rooms/a")]))
        #expect(view.syncedKeys == [key("rooms/b")])
        #expect(view.unnamedKeys == [key("rooms/c")])
        #expect(view.limboKeys == [key("rooms/c")])
        _ = view.decide(view.draft([document("rooms/a")]), change: current(added: [key("rooms/c")]))
        #expect(view.syncedKeyCount == 2)
        #expect(view.limboKeys == [key("rooms/a")])
    }
}
