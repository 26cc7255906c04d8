import HearthModel
import Testing

@testable import HearthFirestore

/// What left a view by a write, until the backend shows the same.
struct ViewDeparturesTests {
    private let hall = document("rooms/hall", ["on": .boolean(true)])
    private let attic = document("rooms/attic", ["on": .boolean(true)])
    private let rooms = collection("rooms")

    private var lit: Query {
        var query = rooms
        query.filters = [
            .field(
                FieldFilter(field: FieldPath(["on"]), op: .equal, value: .boolean(true)))
        ]
        return query
    }

    /// A view of the hall and the attic, as the backend has named them.
    private func view(of query: Query) -> View {
        let keys = [hall.key, attic.key]
        var view = View(query: query, syncedKeys: keys)
        _ = view.decide(
            view.draft([hall, attic]),
            change: TargetChange(resumeToken: token("t"), isCurrent: true), reached: version(1_000))
        return view
    }

    /// The hall, deleted here.
    private func gone(_ state: Document.State, at microseconds: Int64 = 1_000) -> Document {
        var document = Document.missing(hall.key, at: version(microseconds))
        switch state {
        case .synced: break
        case .localMutations: document.markLocalMutations()
        case .committedMutations: document.markCommittedMutations()
        }
        return document
    }

    private func decide(
        _ view: inout View, _ document: Document, reached microseconds: Int64?
    ) -> ViewSnapshot? {
        view.decide(view.draft([document]), reached: microseconds.map { version($0) }).snapshot
    }

    @Test(arguments: [true, false])
    func `a deleted document settles when the backend has told of the commit`(isLast: Bool) {
        var view = view(of: rooms)
        if isLast {
            _ = decide(&view, .missing(attic.key, at: version(1_100)), reached: 1_100)
        }
        let left = decide(&view, gone(.localMutations), reached: 1_100)
        #expect(left?.changes.map(\.kind) == [.removed])
        #expect(left?.departedKeys.contains(hall.key) == true)
        #expect(left?.settledDepartures == [])
        #expect(view.isConcerned(by: gone(.synced)))
        // Committed, but the backend has not told of it.
        #expect(decide(&view, gone(.committedMutations, at: 2_000), reached: 1_900) == nil)
        #expect(view.awaitedVersion == version(2_000))
        let settled = decide(&view, gone(.synced, at: 2_000), reached: 2_000)
        #expect(settled?.changes == [])
        #expect(settled?.settledDepartures == [hall.key])
        #expect(settled?.departedKeys.isEmpty == true)
        #expect(settled?.missingKeys == [hall.key])
        #expect(view.awaitedVersion == nil)
        #expect(!view.isConcerned(by: gone(.synced)))
    }

    @Test func `if the backend is silent of the document, its silence settles it`() {
        var view = view(of: rooms)
        _ = decide(&view, gone(.localMutations), reached: 1_100)
        _ = decide(&view, gone(.committedMutations, at: 2_000), reached: 1_900)
        let nothing = EmptyCollection<Document>()
        #expect(view.decide(view.draft(nothing), reached: version(1_999)).snapshot == nil)
        let settled = view.decide(view.draft(nothing), reached: version(2_500)).snapshot
        #expect(settled?.settledDepartures == [hall.key])
        #expect(view.decide(view.draft(nothing), reached: version(3_000)).snapshot == nil)
    }

    @Test func `if the backend is not asked, an acknowledged deletion is settled at once`() {
        var view = view(of: rooms)
        _ = decide(&view, gone(.localMutations), reached: nil)
        let settled = decide(&view, gone(.committedMutations, at: 2_000), reached: nil)
        #expect(settled?.settledDepartures == [hall.key])
        #expect(view.awaitedVersion == nil)
    }

    @Test func `what matches no more by a write departs, and comes back if that is rejected`() {
        var view = view(of: lit)
        let dark = document("rooms/hall", ["on": .boolean(false)], pending: .localMutations)
        let left = decide(&view, dark, reached: 1_100)
        #expect(left?.departedKeys.contains(hall.key) == true)
        let back = decide(&view, hall, reached: 1_200)
        #expect(back?.changes == [DocumentChange(.added, hall)])
        #expect(back?.departedKeys.isEmpty == true)
        #expect(back?.settledDepartures == [hall.key])
    }

    @Test func `what the backend takes out is no departure`() {
        var view = view(of: lit)
        let left = decide(
            &view, document("rooms/hall", at: 2_000, ["on": .boolean(false)]), reached: 2_000)
        #expect(left?.changes.map(\.kind) == [.removed])
        #expect(left?.departedKeys.isEmpty == true)
        #expect(left?.settledDepartures == [])
    }

    @Test func `what a write moves behind a limit departs until the backend has moved it`() {
        var query = rooms
        query.explicitOrderBys = [OrderBy(FieldPath(["n"]))]
        query.limit = Query.Limit(2)
        func room(
            _ name: String, _ number: Int64, at time: Int64 = 1_000,
            _ pending: Document.State = .synced
        ) -> Document {
            document("rooms/\(name)", at: time, ["n": .integer(number)], pending: pending)
        }
        let all = [room("a", 1), room("b", 2), room("c", 3)]
        var view = View(query: query, syncedKeys: all.prefix(2).map(\.key))
        _ = view.decide(
            view.draft(all), change: TargetChange(resumeToken: token("t"), isCurrent: true),
            reached: version(1_000))
        func move(_ moved: Document, reached time: Int64) -> ViewSnapshot? {
            var draft = view.draft([moved])
            if draft.needsRefill {
                draft = view.draft([moved, all[1], all[2]], continuing: draft)
            }
            return view.decide(draft, reached: version(time)).snapshot
        }
        let left = move(room("a", 9, .localMutations), reached: 1_100)
        #expect(left?.documents.documents.map(\.key.documentID) == ["b", "c"])
        #expect(left?.departedKeys.contains(all[0].key) == true)
        _ = move(room("a", 9, at: 2_000, .committedMutations), reached: 1_900)
        #expect(view.departures.keys.contains(all[0].key))
        let settled = move(room("a", 9, at: 2_000), reached: 2_000)
        #expect(settled?.settledDepartures == [all[0].key])
        #expect(settled?.departedKeys.isEmpty == true)
    }

    @Test func `the table finds a view by what left it, until that is settled`() throws {
        var table = ViewTable()
        table.insert(view(of: lit), target: TargetID(2), isWatched: true)
        let id = try #require(table.id(of: lit))
        func take(_ document: Document, reached time: Int64) -> [ViewSnapshot?] {
            table.touched(by: [document], targets: [], reached: version(time)).map { id, changed in
                guard let draft = table[id]?.view.draft(changed) else { return nil }
                return table.change(id, isWatched: true) {
                    $0.decide(draft, reached: version(time))
                }?.snapshot
            }
        }
        #expect(take(gone(.localMutations), reached: 1_100).count == 1)
        #expect(take(gone(.committedMutations, at: 2_000), reached: 1_900).count == 1)
        #expect(table.ids(awaitingUpTo: version(2_000)) == [id])
        let settled = take(gone(.synced, at: 2_000), reached: 2_000)
        #expect(settled.map { $0?.settledDepartures } == [[hall.key]])
        #expect(take(gone(.synced, at: 3_000), reached: 3_000).isEmpty)
        // A view that ends leaves nothing behind of what has departed.
        let dark = document("rooms/attic", pending: .localMutations)
        #expect(take(dark, reached: 3_500).count == 1)
        table.remove(id)
        #expect(take(.missing(attic.key, at: version(4_000)), reached: 4_000).isEmpty)
    }
}
