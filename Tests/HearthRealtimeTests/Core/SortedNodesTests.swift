import HearthModel
import HearthTestSupport
import Testing

@testable import HearthRealtime

/// Large nodes are sorted seldom, and views that share an order show what other views show.
struct SortedNodesTests {
    private static let index = QueryIndex.child("b")

    private static func key(_ number: Int) -> ChildKey { ChildKey(unchecked: "k\(number)") }

    private static func child(_ number: Int) -> Node {
        let text = LeafValue.string("s\(number % 97)")
        return Node.empty.settingChild("a", to: Node(.integer(Int64(number))))
            .settingChild("b", to: Node(text))
    }

    private static func node(_ numbers: Range<Int>) -> Node {
        Node(children: numbers.map { (key($0), child($0)) })
    }

    private static func window(_ number: Int) -> QueryParameters {
        QueryParameters(
            index: index, start: .init(.string("s\(number % 97)")),
            limit: .init(2, from: number % 3 == 0 ? .last : .first))
    }

    private static func shown(_ query: QueryParameters, of node: Node) -> Node {
        NodeFilter(query).view(of: IndexedNode(node, by: query.index)).node
    }

    // MARK: Orders

    @Test func `a node is sorted once, and its next versions never`() {
        var (sorted, node) = (SortedNodes(), Self.node(0..<1_000))
        for step in 0..<50 {
            let order = sorted.sorted(node, at: "w", by: Self.index)
            #expect(order.node.isSame(as: node))
            #expect(order.keys(at: 0..<node.childCount) == keysInOrder(node))
            node = node.settingChild(Self.key(step * 37), to: Self.child(step))
            node = node.settingChild(Self.key(step * 11), to: .empty)
        }
        #expect(sorted.sortCount == 1)
        #expect(sorted.count == 1)
    }

    private func keysInOrder(_ node: Node) -> [ChildKey] {
        node.children.map(Self.index.position(of:)).sorted().compactMap {
            if case .key(let key) = $0.key { key } else { nil }
        }
    }

    @Test func `another node is sorted, and two that differ are both kept`() {
        var sorted = SortedNodes()
        let (first, second) = (Self.node(0..<1_000), Self.node(500..<1_500))
        for node in [first, second, first, second] {
            #expect(sorted.sorted(node, at: "w", by: Self.index).node == node)
        }
        #expect(sorted.sortCount == 2)
        #expect(sorted.sorted(first, at: "other", by: Self.index).node == first)
        #expect(sorted.sorted(first, at: "w", by: .value).node == first)
        #expect(sorted.sortCount == 4)
    }

    @Test func `versions that are not so near are both kept, and sorted once`() {
        var (sorted, first) = (SortedNodes(), Self.node(0..<2_000))
        var second = first
        for number in 0..<100 {
            second = second.settingChild(Self.key(number * 7), to: Self.child(number + 1))
        }
        for _ in 0..<3 {
            #expect(sorted.sorted(first, at: "w", by: Self.index).node.isSame(as: first))
            let order = sorted.sorted(second, at: "w", by: Self.index)
            #expect(order.keys(at: 0..<2_000) == keysInOrder(second))
            first = first.settingChild(Self.key(1_999), to: .empty)
            #expect(sorted.count == 2)
        }
        #expect(sorted.sortCount == 1)
    }

    @Test func `few orders are kept, and none of what is small or by key`() {
        var sorted = SortedNodes()
        let small = Self.node(0..<SortedNodes.childCountMin - 1)
        #expect(sorted.sorted(small, at: "w", by: Self.index).count == small.childCount)
        #expect(sorted.sorted(Self.node(0..<1_000), at: "w", by: .key).isByKey)
        #expect(sorted.count == 0)
        for number in 0..<20 {
            let path = RealtimePath([Self.key(number)])
            _ = sorted.sorted(Self.node(0..<600), at: path, by: Self.index)
        }
        #expect(sorted.count == SortedNodes.orderCountMax)
    }

    @Test func `an order that nobody asked for in a new version is dropped`() {
        var sorted = SortedNodes()
        let (old, new) = (Self.node(0..<600), Self.node(300..<900))
        _ = sorted.sorted(old, at: "w", by: Self.index)
        _ = sorted.sorted(old, at: "other", by: Self.index)
        sorted.beginVersion(of: "w")
        _ = sorted.sorted(new, at: "w", by: Self.index)
        sorted.endVersion(of: "w")
        #expect(sorted.count == 2)
        sorted.forget("w") { $0 == Self.index }
        #expect(sorted.count == 2)
        sorted.forget("w") { _ in false }
        #expect(sorted.count == 1)
    }

    @Test func `equal versions that two views have made become one in memory`() {
        var sorted = SortedNodes()
        let old = sorted.sorted(Self.node(0..<1_000), at: "w", by: Self.index)
        var (first, second) = (old, old)
        first.setChild(Self.key(7), to: Self.child(1))
        second.setChild(Self.key(7), to: Self.child(1))
        #expect(!first.node.isSame(as: second.node))
        let kept = sorted.shared(first, at: "w")
        #expect(kept.node.isSame(as: first.node))
        #expect(sorted.shared(second, at: "w").node.isSame(as: first.node))
        second.setPriority(3)
        #expect(sorted.shared(second, at: "w").node.priority == 3)
        #expect(sorted.count == 1)
        #expect(sorted.sortCount == 1)
    }

    // MARK: Views

    /// A tree with a hundred windows on one node.
    private struct Windows {
        var tree: SyncTree
        let targets = (0..<100).map { ListenTarget("w", SortedNodesTests.window($0)) }
        private var writeCount: Int64 = 100

        init(_ tree: SyncTree) { self.tree = tree }

        mutating func listen() -> [SyncTree.Joining] {
            targets.enumerated().map { tree.listen($1, ListenerName(UInt64($0 + 100))) }
        }

        mutating func unlisten() {
            for (number, target) in targets.enumerated() {
                _ = tree.unlisten(target, ListenerName(UInt64(number + 100)))
            }
        }

        /// Sets ten children and removes ten.
        mutating func write() -> [WriteName] {
            (0..<20).map { number in
                writeCount += 1
                let key = SortedNodesTests.key(number * 29)
                let write = PendingWrite(
                    WriteID(writeCount), set: WritePath(RealtimePath(["w", key])),
                    to: number % 2 == 0 ? .empty : SortedNodesTests.child(number))
                _ = tree.write(write)
                return write.name
            }
        }

        func cache(_ target: ListenTarget) -> ViewCache? {
            tree.points["w"]?.view(of: target.query)?.cache
        }

        func areRight(over local: Node) -> Bool {
            targets.allSatisfy {
                cache($0)?.event.node == SortedNodesTests.shown($0.query, of: local)
            }
        }
    }

    @Test func `a hundred listens under a pending set sort once, and writes there never again`() {
        var tree = SyncTree()
        let node = Self.node(0..<2_000)
        let whole = PendingWrite(WriteID(1), set: WritePath("w"), to: node)
        _ = tree.write(whole)
        var windows = Windows(tree)
        let joinings = windows.listen()
        #expect(windows.tree.sortedNodes.sortCount == 1)
        #expect(joinings.filter(\.isComplete).count == joinings.count)
        #expect(windows.areRight(over: node))
        let names = windows.write()
        #expect(windows.areRight(over: windows.tree.localNode(at: "w", over: .empty)))
        for name in names { _ = windows.tree.settle(name, isReverted: true) }
        #expect(windows.areRight(over: node))
        #expect(windows.tree.sortedNodes.sortCount == 1)
        #expect(windows.tree.sortedNodes.count == 1)
        _ = windows.tree.settle(whole.name, isReverted: false)
        #expect(windows.tree.sortedNodes.count == 0)
    }

    /// Windows on a node that a listen to the whole node has brought.
    private func knownWindows(_ node: Node) -> Windows {
        var tree = SyncTree()
        _ = tree.listen(ListenTarget("w", .all), ListenerName(1))
        _ = tree.overwrite(WritePath("w"), node)
        _ = tree.listenComplete("w")
        var windows = Windows(tree)
        _ = windows.listen()
        return windows
    }

    @Test func `a hundred listens to a known node sort once, and changes there never again`() throws
    {
        let node = Self.node(0..<2_000)
        var (windows, server) = (knownWindows(node), node)
        #expect(windows.areRight(over: node))
        for number in 0..<20 {
            let path = RealtimePath([Self.key(number * 31), "b"])
            server = server.setting(path, to: Node("s1"))
            _ = windows.tree.overwrite(WritePath(RealtimePath(["w"] + path.keys)), Node("s1"))
        }
        #expect(windows.areRight(over: server))
        let names = windows.write()
        #expect(windows.areRight(over: windows.tree.localNode(at: "w", over: server)))
        for name in names { _ = windows.tree.settle(name, isReverted: true) }
        #expect(windows.areRight(over: server))
        #expect(windows.tree.sortedNodes.sortCount == 1)
        let first = try #require(windows.cache(windows.targets[0])).server.node
        let areOne = windows.targets.allSatisfy {
            windows.cache($0)?.server.node.isSame(as: first) ?? false
        }
        #expect(areOne)
        windows.unlisten()
        #expect(windows.tree.sortedNodes.count == 0)
    }

    @Test func `a pending set over a known node is sorted once for all, and its end not at all`() {
        let (node, other) = (Self.node(0..<2_000), Self.node(1_500..<3_500))
        var windows = knownWindows(node)
        let whole = PendingWrite(WriteID(1), set: WritePath("w"), to: other)
        _ = windows.tree.write(whole)
        #expect(windows.areRight(over: other))
        _ = windows.write()
        #expect(windows.areRight(over: windows.tree.localNode(at: "w", over: node)))
        #expect(windows.tree.sortedNodes.sortCount == 2)
        _ = windows.tree.settle(whole.name, isReverted: true)
        #expect(windows.areRight(over: windows.tree.localNode(at: "w", over: node)))
        #expect(windows.tree.sortedNodes.sortCount == 2)
    }
}
