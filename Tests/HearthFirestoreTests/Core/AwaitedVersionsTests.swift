import HashTreeCollections
import HearthModel
import Testing

@testable import HearthFirestore

struct AwaitedVersionsTests {
    @Test func `results wait in the order of their versions, each for one`() {
        var awaited = AwaitedVersions<DocumentKey>()
        #expect(awaited.first == nil)
        awaited.set(version(3), of: key("a/x"))
        awaited.set(version(1), of: key("a/y"))
        awaited.set(version(1), of: key("a/w"))
        #expect(awaited.first == version(1))
        #expect(awaited.items(upTo: version(2)) == [key("a/w"), key("a/y")])
        awaited.set(version(5), of: key("a/y"))
        awaited.set(nil, of: key("a/w"))
        #expect(awaited.first == version(3))
        #expect(awaited.items(upTo: version(9)) == [key("a/x"), key("a/y")])
        awaited.set(nil, of: key("a/x"))
        awaited.set(nil, of: key("a/y"))
        #expect(awaited.first == nil)
        #expect(awaited.items(upTo: version(9)).isEmpty)
    }

    /// A view of `count` results, all acknowledged and none named by the backend.
    private func view(of count: Int, acknowledgedAt microseconds: Int64) -> View {
        var view = View(query: collection("rooms"), syncedKeys: [])
        let rooms = (0..<count).map { number in
            document("rooms/r\(number)", at: microseconds, pending: .committedMutations)
        }
        _ = view.decide(view.draft(rooms), change: current, reached: version(1))
        return view
    }

    private var current: TargetChange { TargetChange(resumeToken: nil, isCurrent: true) }

    @Test func `a change of one result costs one, however many wait for the backend`() {
        var view = view(of: 2_000, acknowledgedAt: 5_000)
        #expect(view.awaitedVersion == version(5_000))
        #expect(view.limboKeys.isEmpty)
        let before = view.checkCount
        let changed = document("rooms/r7", at: 6_000, ["n": .integer(1)])
        _ = view.decide(view.draft([changed]), reached: version(4_999))
        #expect(view.checkCount == before + 1)
        #expect(view.limboKeys == [key("rooms/r7")])
        let named = TargetChange(resumeToken: nil, isCurrent: true, added: [key("rooms/r8")])
        // What is named needs no look.
        _ = view.decide(view.draft([]), change: named, reached: version(4_999))
        #expect(view.checkCount == before + 1)
    }

    @Test func `those whose time has come are looked up together, and wait no more`() {
        var view = view(of: 10, acknowledgedAt: 5_000)
        let outcome = view.decide(view.draft([]), reached: version(5_000))
        #expect(outcome.joinedLimbo.count == 10)
        #expect(view.awaitedVersion == nil)
        let before = view.checkCount
        _ = view.decide(view.draft([]), reached: version(5_001))
        #expect(view.checkCount == before)
    }

    @Test func `a named result waits no more, and one that is taken back waits again`() {
        var view = view(of: 1, acknowledgedAt: 5_000)
        let room = key("rooms/r0")
        _ = view.decide(
            view.draft([]), change: TargetChange(resumeToken: nil, isCurrent: true, added: [room]))
        #expect(view.awaitedVersion == nil)
        _ = view.decide(
            view.draft([]), change: TargetChange(resumeToken: nil, isCurrent: true, removed: [room])
        )
        #expect(view.awaitedVersion == version(5_000))
        _ = view.decide(view.draft([Document.missing(room, at: version(6_000))]))
        #expect(view.awaitedVersion == nil)
    }
}
