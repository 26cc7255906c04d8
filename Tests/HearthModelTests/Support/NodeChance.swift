import HearthModel
import HearthTestSupport

/// Makes trees by chance from few keys, so that the trees share keys.
struct NodeChance {
    private var random: SeededGenerator
    private static let keys = ["0", "1", "2", "10", "!", "a", "b", "bb", "é", "😀"]
    private static let values: [LeafValue] = [true, 1, .double(1.5), "x", "long enough to count"]

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
    }

    mutating func number(below end: Int) -> Int { .random(in: 0..<end, using: &random) }

    mutating func leaf() -> LeafValue { Self.values[number(below: Self.values.count)] }

    mutating func key() -> ChildKey {
        ChildKey(unchecked: Self.keys[number(below: Self.keys.count)])
    }

    /// A priority of leaves alone: one of children may be left out of compound hashes.
    mutating func node(depth: Int) -> Node {
        if depth == 0 || number(below: 4) == 0 {
            return Node(
                leaf(), priority: number(below: 4) == 0 ? .integer(Int64(number(below: 3))) : nil)
        }
        var children: [(key: ChildKey, node: Node)] = []
        for _ in 0..<number(below: 5) { children.append((key(), node(depth: depth - 1))) }
        return Node(children: children)
    }

    /// The tree with some places written to.
    mutating func change(of node: Node) -> Node {
        var result = node
        for _ in 0..<number(below: 4) {
            let path = RealtimePath((0..<number(below: 4)).map { _ in key() })
            result = result.setting(path, to: number(below: 3) == 0 ? .empty : self.node(depth: 2))
        }
        return withoutChildPriorities(result)
    }

    /// A leaf that gives way leaves its priority to the children.
    private func withoutChildPriorities(_ node: Node) -> Node {
        guard !node.isLeaf else { return node }
        return Node(children: node.children.map { ($0.key, withoutChildPriorities($0.node)) })
    }
}
