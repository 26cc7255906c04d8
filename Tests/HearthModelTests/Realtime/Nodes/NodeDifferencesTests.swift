import HearthModel
import HearthTestSupport
import Testing

/// What leads from one node to another.
struct NodeDifferencesTests {
    private func key(_ random: inout SeededGenerator, below limit: Int) -> ChildKey {
        ChildKey(unchecked: "k\(Int.random(in: 0..<limit, using: &random))")
    }

    private func node(_ random: inout SeededGenerator, depth: Int) -> Node {
        let priority: LeafValue? = Int.random(in: 0..<6, using: &random) == 0 ? 1 : nil
        if depth == 0 || Int.random(in: 0..<5, using: &random) == 0 {
            return Node(.integer(Int64.random(in: 0..<9, using: &random)), priority: priority)
        }
        let count = Int.random(in: 0..<(depth == 3 ? 120 : 6), using: &random)
        return Node(
            children: (0..<count).map { _ in
                (key: key(&random, below: 400), node: node(&random, depth: depth - 1))
            }, priority: priority)
    }

    private func changed(_ node: Node, _ random: inout SeededGenerator) -> Node {
        var result = node
        for _ in 0..<Int.random(in: 0...30, using: &random) {
            let children = result.children
            var path = RealtimePath([
                children.isEmpty || Bool.random(using: &random)
                    ? key(&random, below: 400)
                    : children[Int.random(in: 0..<children.count, using: &random)].key
            ])
            if Bool.random(using: &random) { path = path.appending(key(&random, below: 400)) }
            let isGone = Int.random(in: 0..<3, using: &random) == 0
            result = result.setting(
                path, to: isGone ? Node.empty : self.node(&random, depth: 1))
            if Int.random(in: 0..<20, using: &random) == 0 {
                result = result.settingPriority(LeafValue.integer(3))
            }
        }
        return result
    }

    @Test(arguments: 0..<200)
    func `the changes lead from the old node to the new`(seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        let old = node(&random, depth: 3)
        let new = seed % 5 == 0 ? node(&random, depth: 3) : changed(old, &random)
        let result = new.differences(from: old).reduce(old) { $0.setting($1.place, to: $1.node) }
        #expect(result == new)
        let children = new.childDifferences(from: old)
        #expect(children.allSatisfy { old.child($0.key) == $0.old && new.child($0.key) == $0.new })
        let named = Set(children.map(\.key))
        for child in old.children where !named.contains(child.key) {
            #expect(new.child(child.key) == child.node)
        }
        for child in new.children where !named.contains(child.key) {
            #expect(old.child(child.key) == child.node)
        }
    }

    @Test func `equal nodes differ in nothing, shared or not`() {
        var (one, two) = (SeededGenerator(seed: 7), SeededGenerator(seed: 7))
        let first = node(&one, depth: 3)
        #expect(first.differences(from: first).isEmpty)
        #expect(first.differences(from: node(&two, depth: 3)).isEmpty)
    }

    @Test func `a change deep down is named by its place`() {
        let old = Node(
            children: (0..<1_000).map { (ChildKey(unchecked: "k\($0)"), Node(.integer(0))) })
        let root = Node.empty.settingChild("only", to: old)
        let new = root.setting("only/k7" as RealtimePath, to: Node("new"))
        #expect(new.differences(from: root) == [.init(WritePath("only/k7"), Node("new"))])
    }

    @Test func `what changed in most of its leaves is told whole`() {
        func node(_ value: Int64) -> Node {
            Node(children: (0..<20).map { (ChildKey(unchecked: "k\($0)"), Node(.integer(value))) })
        }
        let new = Node.empty.settingChild("a", to: node(2)).settingChild("b", to: Node(1))
        let old = Node.empty.settingChild("a", to: node(1)).settingChild("b", to: Node(1))
        #expect(new.differences(from: old) == [.init(WritePath("a"), node(2))])
    }

    private static let fewKeys: [ChildKey] = ["a", "b", "7"]

    private func smallNode(_ random: inout SeededGenerator, depth: Int = 0) -> Node {
        let priority: LeafValue? = Bool.random(using: &random) ? nil : .integer(1)
        switch Int.random(in: 0..<(depth > 2 ? 2 : 5), using: &random) {
        case 0: return .empty
        case 1: return Node(.integer(Int64.random(in: 0..<3, using: &random)), priority: priority)
        default:
            return Node(
                children: Self.fewKeys.map {
                    (key: $0, node: smallNode(&random, depth: depth + 1))
                },
                priority: priority)
        }
    }

    @Test(arguments: 0..<300)
    func `one place after the other leads from the old node to the new node`(seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        let (old, new) = (smallNode(&random), smallNode(&random))
        let reached = new.differences(from: old).reduce(old) { $0.setting($1.place, to: $1.node) }
        #expect(reached == new)
    }

    @Test func `a node whose only child is replaced keeps its priority`() throws {
        let old = try Node(json: #"{"a":{".priority":3,"x":1}}"#)
        let new = try Node(json: #"{"a":{".priority":3,"y":1}}"#)
        let reached = new.differences(from: old).reduce(old) { $0.setting($1.place, to: $1.node) }
        #expect(reached == new)
    }

    @Test func `children that both nodes share are not looked at, however few they are`() {
        func node(_ depth: Int) -> Node {
            guard depth > 0 else { return Node(1) }
            return Node(
                children: (0..<8).map {
                    (key: ChildKey(unchecked: "k\($0)"), node: node(depth - 1))
                })
        }
        let (old, copy) = (node(4), node(4))
        let new = old.setting(WritePath("k1/k2/k3/k4"), to: Node(2))
        let shared = threadTime { #expect(new.differences(from: old).count == 1) }
        let copied = threadTime { #expect(new.differences(from: copy).count == 1) }
        #expect(shared * 5 < copied, "\(shared) and \(copied)")
    }
}
