import HearthModel
import Testing

@testable import HearthRealtime

/// Which views a write of many places reaches, and at what cost.
struct SyncReachTests {
    private static func place(_ number: Int) -> RealtimePath {
        RealtimePath(["many", ChildKey(unchecked: "k\(number)")])
    }

    private static let write = CompoundWrite(
        (0..<1_000).map { (WritePath(place($0)), Node(.integer(1))) })

    @Test func `a walk goes no further than a write reaches`() {
        var tree = PathTree<Int>()
        for number in 0..<1_000 { tree[Self.place(number)] = number }
        tree["other/deep"] = -1
        var seen: [Int] = []
        let one = CompoundWrite([(WritePath(Self.place(7)), Node(1))])
        tree.walkUp(within: one) { content, _ in seen.append(content) }
        #expect(seen == [7])
        seen = []
        var sparse = PathTree<Int>()
        sparse[Self.place(3)] = 3
        sparse[Self.place(5_000)] = 5_000
        sparse.walkUp(within: Self.write) { content, _ in seen.append(content) }
        #expect(seen == [3])
    }

    @Test func `a walk sees all below a replaced place, and each place after those below`() {
        var tree = PathTree<Int>()
        tree["a"] = 1
        tree["a/b"] = 2
        tree["a/b/c"] = 3
        tree["d"] = 4
        var seen: [Int] = []
        tree.walkUp(within: CompoundWrite([(WritePath("a"), .empty)])) { content, _ in
            seen.append(content)
        }
        #expect(seen == [3, 2, 1])
    }

    @Test func `a content is changed where it lies, and where there is none nothing is`() {
        var tree = PathTree<Int>()
        tree["a/b"] = 2
        let copy = tree
        let before = tree.change("a/b") { content in
            defer { content += 5 }
            return content
        }
        #expect(before == 2)
        #expect(tree["a/b"] == 7 && copy["a/b"] == 2)
        for path: RealtimePath in ["a", "a/b/c", "d", .root] {
            let result = tree.change(path) { content in
                content += 1
                return content
            }
            #expect(result == nil && tree[path] == nil)
        }
        #expect(tree["a/b"] == 7)
    }

    @Test func `a priority alone reaches its place and nothing below`() {
        var tree = PathTree<Int>()
        tree["a"] = 1
        tree["a/b"] = 2
        var seen: [Int] = []
        let write = CompoundWrite([(WritePath("a", isPriority: true), Node(5))])
        tree.walkUp(within: write) { content, _ in seen.append(content) }
        #expect(seen == [1])
    }

    @Test func `an answered update is seen from a place below as that place alone`() throws {
        let operation = SyncOperation(.user, .acknowledged(.root, .some(Self.write)))
        let one = try #require(operation.seen(from: Self.place(7)))
        #expect(one.change == .acknowledged(.root, .all(isPriority: false)))
        let below = try #require(operation.seen(from: Self.place(7).appending("deep" as ChildKey)))
        #expect(below.change == .acknowledged(.root, .all(isPriority: false)))
        #expect(operation.seen(from: "elsewhere") == nil)
    }

    @Test func `an update taken back leaves a view alone that it does not name`() {
        var tree = SyncTree()
        for number in 0..<10 {
            _ = tree.listen(ListenTarget(Self.place(number), .all), ListenerName(UInt64(number)))
        }
        let parts: [CompoundWrite.Part] = [(WritePath(Self.place(3)), Node(1))]
        let write = PendingWrite(WriteID(1), update: .root, parts)
        let made = tree.write(write)
        let undone = tree.settle(write.name, isReverted: true)
        #expect(made.map(\.path) == [Self.place(3)])
        #expect(undone.map(\.path) == [Self.place(3)])
    }
}
