import HashTreeCollections
import HearthModel
import Testing

@testable import HearthFirestore

struct LimboResolverTests {
    private let rooms = TargetID(2)
    private let halls = TargetID(4)

    @Test func `lookups beyond the limit wait and start in the order they came`() {
        var limbo = LimboResolver(lookupCountMax: 1)
        let first = limbo.viewChanged(
            of: rooms, joined: [key("r/a"), key("r/b"), key("r/c")], left: [])
        #expect(first == [.lookUp(key("r/a"), TargetID(1))])
        #expect(limbo.waiting == [key("r/b"), key("r/c")])
        let second = limbo.viewChanged(of: rooms, joined: [], left: [key("r/a")])
        #expect(second == [.stop(TargetID(1)), .lookUp(key("r/b"), TargetID(3))])
    }

    @Test func `a document is looked up while any view needs it`() {
        var limbo = LimboResolver(lookupCountMax: 10)
        _ = limbo.viewChanged(of: rooms, joined: [key("r/a")], left: [])
        #expect(limbo.viewChanged(of: halls, joined: [key("r/a")], left: []).isEmpty)
        #expect(limbo.released(rooms, limbo: [key("r/a")]).isEmpty)
        #expect(limbo.released(halls, limbo: [key("r/a")]) == [.stop(TargetID(1))])
    }

    @Test func `a waiting document that nobody needs any more never starts`() {
        var limbo = LimboResolver(lookupCountMax: 1)
        _ = limbo.viewChanged(of: rooms, joined: [key("r/a"), key("r/b"), key("r/c")], left: [])
        #expect(limbo.viewChanged(of: rooms, joined: [], left: [key("r/b")]).isEmpty)
        let actions = limbo.rejected(TargetID(1))
        #expect(actions == [.lookUp(key("r/c"), TargetID(3))])
    }

    @Test func `a lookup knows whether the backend has named its document`() {
        var limbo = LimboResolver(lookupCountMax: 1)
        _ = limbo.viewChanged(of: rooms, joined: [key("r/a")], left: [])
        #expect(limbo.receivedKey(of: TargetID(1)) == nil)
        limbo.received(
            TargetChange(resumeToken: nil, isCurrent: false, added: [key("r/a")]), for: TargetID(1))
        #expect(limbo.receivedKey(of: TargetID(1)) == key("r/a"))
    }
}
