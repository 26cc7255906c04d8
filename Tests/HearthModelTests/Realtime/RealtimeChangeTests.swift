import HearthModel
import Testing

struct RealtimeChangeTests {
    private static let one = UnresolvedNode(Node(.integer(1)))

    private static func update(_ path: RealtimePath, _ places: String...) -> RealtimeChange {
        .update(path, places.compactMap { WritePath($0).map { .init($0, one) } })
    }

    @Test(arguments: [
        ["b", "b/c"], ["b/c", "x", "b"], ["b", "b/.priority"], ["b", "b"], [""], ["b", "/"],
    ])
    func `places that one update cannot write together are named`(places: [String]) throws {
        let parts = try places.map { RealtimeChange.Part(try #require(WritePath($0)), Self.one) }
        #expect(RealtimeChange.update("/a", parts).objection != nil)
    }

    @Test func `places beside each other go together, and a priority with what is below`() {
        #expect(Self.update("/a", "b", "bc", "c/d", "c/e").objection == nil)
        #expect(Self.update("/a", ".priority", "b").objection == nil)
        #expect(Self.update("/a", "b/.priority", "b/c").objection == nil)
        #expect(Self.update("/a").objection == nil)
    }

    @Test func `an engine takes a priority with what is below, and no place twice`() {
        #expect(Self.update("/a", ".priority", "b").fault == nil)
        #expect(Self.update("/a", "b/.priority", "b/c").fault == nil)
        #expect(Self.update("/a", "b", "b/.priority").fault?.contains("/a/b/.priority") == true)
        #expect(Self.update("/a", "b/c", "x", "b").fault?.contains("/a/b and") == true)
        #expect(Self.update("/a", "b/.priority", "b/.priority").fault != nil)
    }

    @Test func `what no database of the service holds is named`() throws {
        let keys = (0...RealtimePath.depthMax).map { ChildKey(unchecked: "k\($0)") }
        let deep = WritePath(RealtimePath(keys))
        #expect(RealtimeChange.set(deep, Self.one).objection != nil)
        #expect(RealtimeChange.set(deep.dropFirst(1), Self.one).objection == nil)
        #expect(RealtimeChange.set(WritePath(.info), Self.one).objection != nil)
        let priority = try #require(WritePath("/a/.priority"))
        #expect(RealtimeChange.set(priority, Self.one).objection == nil)
        #expect(RealtimeChange.set(priority, UnresolvedNode(Node(.bool(true)))).objection != nil)
    }
}
