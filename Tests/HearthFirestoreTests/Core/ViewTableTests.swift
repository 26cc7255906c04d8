import HashTreeCollections
import HearthModel
import Testing

@testable import HearthFirestore

/// A change reaches the views that it concerns, and costs nothing for other views.
struct ViewTableTests {
    private func current(added: [DocumentKey] = []) -> TargetChange {
        TargetChange(resumeToken: nil, isCurrent: true, added: added)
    }

    /// A current view of one collection with a result whose write was acknowledged.
    private func waiting(_ path: String, acknowledgedAt microseconds: Int64) -> View {
        var view = View(query: collection(path), syncedKeys: [])
        let room = document("\(path)/a", at: microseconds, pending: .committedMutations)
        _ = view.decide(view.draft([room]), change: current(), reached: version(1))
        return view
    }

    private func concerned(
        _ table: inout ViewTable, by documents: [Document] = [], targets: [TargetID] = [],
        reached version: SnapshotVersion = .zero
    ) -> [String] {
        table.touched(by: documents, targets: targets, reached: version)
            .compactMap { table[$0.id]?.view.query.canonicalID }
    }

    private func remove(_ query: Query, from table: inout ViewTable) {
        if let id = table.id(of: query) { table.remove(id) }
    }

    @Test
    func `a document concerns the views of its collection, its group and its own, oldest first`() {
        let room = key("rooms/a")
        let others = ["halls", "rooms/a/chairs"].map(collection)
        let queries = [Query(document: room), collection("rooms"), Query(collectionGroup: "rooms")]
        var table = ViewTable()
        for (number, query) in (others + queries).enumerated() {
            table.insert(
                View(query: query, syncedKeys: []), target: TargetID(Int32(2 * number + 2)),
                isWatched: true)
        }
        #expect(
            concerned(&table, by: [document("rooms/a")])
                == queries.map(\.canonicalID))
        for query in queries { remove(query, from: &table) }
        #expect(concerned(&table, by: [document("rooms/a")]).isEmpty)
    }

    @Test func `a snapshot concerns the views that wait for it, and no others`() {
        var table = ViewTable()
        for number: Int32 in 1...20 {
            let view = waiting("c\(number)", acknowledgedAt: Int64(number) * 100)
            table.insert(view, target: TargetID(2 * number), isWatched: true)
        }
        #expect(concerned(&table, reached: version(99)).isEmpty)
        #expect(
            concerned(&table, reached: version(250))
                == [collection("c1"), collection("c2")].map(\.canonicalID))
        remove(collection("c1"), from: &table)
        #expect(
            concerned(&table, reached: version(250)) == [collection("c2").canonicalID])
    }

    @Test
    func `of ten thousand targets an event concerns those of which it tells more than a token`()
        throws
    {
        var table = ViewTable()
        let token = try #require(ResumeToken([7]))
        for number: Int32 in 1...10_000 {
            var view = View(query: collection("c\(number)"), syncedKeys: [])
            _ = view.decide(view.draft([] as [Document]), change: current())
            table.insert(view, target: TargetID(2 * number), isWatched: true)
        }
        var event = RemoteEvent(version: version(9))
        for number: Int32 in 1...10_000 {
            event.targetChanges[TargetID(2 * number)] = TargetChange(
                resumeToken: token, isCurrent: true)
        }
        #expect(table.targets(concernedBy: event).isEmpty)
        event.targetChanges[TargetID(4)] = TargetChange(
            resumeToken: token, isCurrent: true, added: [key("c2/a")])
        event.targetChanges[TargetID(6)] = TargetChange(resumeToken: token, isCurrent: false)
        let targets = table.targets(concernedBy: event).sorted()
        #expect(targets == [TargetID(4), TargetID(6)])
        #expect(concerned(&table, targets: targets, reached: version(9)).count == 2)
        #expect(table.askCount == 2)
    }

    @Test func `a view that was reset asks to be decided when nothing else is told`() {
        var view = View(query: collection("rooms"), syncedKeys: [])
        _ = view.decide(view.draft([] as [Document]), change: current())
        let reset = TargetChange(resumeToken: nil, isCurrent: false)
        #expect(view.isConcerned(by: reset))
        _ = view.decide(view.draft([] as [Document]), change: reset)
        #expect(!view.isConcerned(by: reset))
        #expect(view.isConcerned(by: current()))
        _ = view.decide(view.draft([] as [Document]), change: current())
        #expect(!view.isConcerned(by: current()))
    }

    @Test func `a view whose target is not watched waits for nothing`() throws {
        let view = waiting("rooms", acknowledgedAt: 100)
        var table = ViewTable()
        table.insert(view, target: TargetID(2), isWatched: true)
        let id = try #require(table.id(of: view.query))
        table.setWatched(id, false)
        #expect(concerned(&table, reached: version(500)).isEmpty)
        table.setWatched(id, true)
        #expect(concerned(&table, reached: version(500)).count == 1)
    }
}
