import HearthModel
import HearthTestSupport
import Testing

@testable import HearthRealtime

/// The tree of values by key, compared with a dictionary.
struct KeyedTreeTests {
    private static func key(_ number: Int) -> ChildKey { ChildKey(unchecked: "k\(number)") }

    private static func expect(_ tree: KeyedTree<Int>, has values: [ChildKey: Int]) {
        var seen: [(ChildKey, Int)] = []
        tree.visit { seen.append(($0, $1)) }
        #expect(seen.map(\.0) == values.keys.sorted())
        #expect(seen.allSatisfy { values[$0.0] == $0.1 })
        #expect(tree.count == values.count)
        #expect(tree.isEmpty == values.isEmpty)
    }

    @Test(arguments: 0..<20)
    func `values come and go in any order, and a copy stays as it was`(seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        var (tree, values) = (KeyedTree<Int>(), [ChildKey: Int]())
        for round in 0..<4 {
            let (copy, before) = (tree, values)
            for _ in 0..<400 {
                let key = Self.key(Int.random(in: 0..<300, using: &random))
                // Rounds that mostly add and rounds that mostly take away.
                let value =
                    Int.random(in: 0..<4, using: &random) < (round % 2 == 0 ? 3 : 1)
                    ? Int.random(in: 0..<9, using: &random) : nil
                tree[key] = value
                values[key] = value
                #expect(tree[key] == value)
            }
            Self.expect(tree, has: values)
            Self.expect(copy, has: before)
        }
        Self.expect(tree.mapValues { $0 + 1 }, has: values.mapValues { $0 + 1 })
        for key in values.keys { tree[key] = nil }
        Self.expect(tree, has: [:])
    }

    @Test(arguments: 0..<20)
    func `a value is made of the value that was there, or of none`(seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        var (tree, values) = (KeyedTree<Int>(), [ChildKey: Int]())
        for _ in 0..<2_000 {
            let key = Self.key(Int.random(in: 0..<200, using: &random))
            var seen: [Int?] = []
            let isKept = Int.random(in: 0..<3, using: &random) > 0
            tree.update(key) { value in
                seen.append(value)
                value = isKept ? (value ?? 0) + 1 : nil
            }
            #expect(seen == [values[key]])
            values[key] = isKept ? (values[key] ?? 0) + 1 : nil
        }
        Self.expect(tree, has: values)
    }

    @Test func `values change in place, and a copy stays as it was`() {
        var tree = KeyedTree<Int>()
        for number in 0..<1_000 { tree[Self.key(number)] = number }
        let copy = tree
        for _ in 0..<2 {
            for number in 0..<1_000 { tree.update(Self.key(number)) { $0 = ($0 ?? 0) + 1 } }
        }
        Self.expect(
            tree,
            has: Dictionary(uniqueKeysWithValues: (0..<1_000).map { (Self.key($0), $0 + 2) }))
        Self.expect(
            copy, has: Dictionary(uniqueKeysWithValues: (0..<1_000).map { (Self.key($0), $0) }))
    }

    @Test func `rising keys lie in their order`() {
        var tree = KeyedTree<Int>()
        for number in 0..<5_000 { tree[ChildKey(unchecked: "\(number)")] = number }
        var seen: [Int] = []
        tree.visit { seen.append($1) }
        #expect(seen == Array(0..<5_000))
    }
}
