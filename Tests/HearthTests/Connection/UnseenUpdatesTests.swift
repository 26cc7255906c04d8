import HearthModel
import HearthTestSupport
import HearthWire
import Testing

@testable import Hearth

/// Updates that a program has not looked at, against a comparison of all documents.
struct UnseenUpdatesTests {
    private let order = HearthModel.Query(path: ResourcePath(["rooms"])).order

    private func summary(_ update: ViewUpdate) -> [String] {
        update.changes.map { "\($0.kind) \($0.document.key.documentID)" }
    }

    /// A view that has seen rooms of these names.
    private func view(_ names: [String]) throws -> (ListenerView, ViewUpdate) {
        var view = ListenerView(order: order, includeMetadataChanges: true)
        let rooms = try names.map { try Events.listed("rooms/\($0)", ["n": .integer(0)]) }
        guard case .show(let first) = view.received(try Events.snapshot(1, rooms)) else {
            throw FirestoreError(.unknown, "The first snapshot shows nothing")
        }
        return (view, first)
    }

    @Test func `updates are joined to what a comparison of all documents finds`() throws {
        var (view, _) = try view(["a", "b", "c", "d", "e", "f"])
        let steps: [(listed: [(String, Int64)], removed: [String])] = [
            ([("b", 1)], []), ([("g", 1)], ["c"]), ([("c", 0), ("b", 2)], ["d"]),
            ([("h", 1)], ["g"]), ([("e", 1)], ["h"]), ([("e", 0)], []),
        ]
        var unseen: UnseenUpdates?
        var ends: (old: DocumentSet?, last: ViewUpdate)?
        for (index, step) in steps.enumerated() {
            let id = UInt64(index) + 2
            let listed = try step.listed.map {
                try Events.listed("rooms/\($0.0)", ["n": .integer($0.1)])
            }
            let snapshot = try Events.snapshot(
                id, base: id - 1, listed, removed: step.removed.map { "rooms/\($0)" })
            guard case .show(let update) = view.received(snapshot) else {
                Issue.record("\(snapshot) shows nothing")
                continue
            }
            if unseen?.append(update) == nil { unseen = UnseenUpdates(update) }
            ends = (ends?.old ?? update.previous, update)
            let (old, last) = try #require(ends)
            let whole = ViewUpdate(from: old, to: last.documents, flags: last.flags)
            #expect(unseen?.joined == whole)
        }
        #expect(unseen.map { summary($0.joined) } == ["removed d", "modified b"])
    }

    @Test func `the first update stays the first, however many follow`() throws {
        var (view, first) = try view(["a"])
        var unseen = UnseenUpdates(first)
        #expect(unseen.joined == first)
        let next = try Events.snapshot(
            2, base: 1, [try Events.listed("rooms/b", ["n": .integer(1)])])
        guard case .show(let second) = view.received(next) else {
            Issue.record("\(next) shows nothing")
            return
        }
        unseen.append(second)
        #expect(unseen.joined.previous == nil)
        #expect(summary(unseen.joined) == ["added a", "added b"])
    }

    @Test func `more changes than documents are joined all the same`() throws {
        var (view, _) = try view(["a", "b"])
        var unseen: UnseenUpdates?
        for number in 0..<20 {
            let id = UInt64(number) + 2
            let room = try Events.listed("rooms/r\(number)", [:])
            let gone = number == 0 ? "rooms/b" : "rooms/r\(number - 1)"
            let snapshot = try Events.snapshot(id, base: id - 1, [room], removed: [gone])
            guard case .show(let update) = view.received(snapshot) else {
                Issue.record("\(snapshot) shows nothing")
                continue
            }
            if unseen?.append(update) == nil { unseen = UnseenUpdates(update) }
        }
        #expect(unseen.map { summary($0.joined) } == ["removed b", "added r19"])
    }
}
