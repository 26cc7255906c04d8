import HearthModel
import HearthTestSupport
import Testing

struct NodeTests {
    private static func node(_ json: String) throws -> Node { try Node(json: json) }

    @Test(arguments: [
        "null", "{}", "[]", "[null]", #"{"a":null,"b":{"c":[]}}"#,
        #"{".priority":3}"#, #"{".value":null,".priority":3}"#, #"{"a":{".priority":1}}"#,
    ])
    func `what holds nothing is not there`(json: String) throws {
        let node = try Self.node(json)
        #expect(node.isEmpty && node == .empty && node.priority == nil)
    }

    @Test func `a child written below a leaf takes its place and its priority`() throws {
        let leaf = try Self.node(#"{".value":1,".priority":"p"}"#)
        let changed = leaf.setting("/a/b", to: Node(2))
        #expect(changed == (try Self.node(#"{"a":{"b":2},".priority":"p"}"#)))
        #expect(leaf.setting("/a/b", to: .empty) == leaf)
    }

    @Test func `what loses its last child is gone, and so are those above`() throws {
        let node = try Self.node(#"{"a":{"b":{"c":1},".priority":5},"d":1}"#)
        #expect(node.setting("/a/b/c", to: .empty) == (try Self.node(#"{"d":1}"#)))
        let alone = try Self.node(#"{"a":{"b":1}}"#)
        #expect(alone.setting("/a/b", to: .empty).isEmpty)
        #expect(alone.setting("/a/x", to: .empty) == alone)
    }

    @Test func `a node that is written takes the priority that it comes with`() throws {
        let node = try Self.node(#"{"a":{".value":1,".priority":5}}"#)
        #expect(node.setting("/a", to: Node(2)).child("a").priority == nil)
    }

    @Test func `a priority is written alone and taken away`() throws {
        let node = try Self.node(#"{"a":{"b":1}}"#)
        let place = try #require(WritePath("/a/.priority"))
        let raised = node.setting(place, to: Node(7))
        #expect(raised == (try Self.node(#"{"a":{"b":1,".priority":7}}"#)))
        #expect(raised.setting(place, to: .empty) == node)
        #expect(node.setting(try #require(WritePath("/x/.priority")), to: Node(7)) == node)
        #expect(raised.settingChild("c", to: Node(1)).child("a").priority == 7)
    }

    @Test func `a whole number is the same, however it is written`() throws {
        #expect(try Self.node("1") == Self.node("1.0"))
        #expect(try Self.node("-0.0") == Self.node("0"))
        #expect(try Self.node("1e3").leaf == .integer(1_000))
        #expect(LeafValue.integer(1).hashValue == LeafValue.double(1).hashValue)
    }

    @Test func `values sort flags first, then numbers, then strings`() {
        let sorted: [LeafValue] = [
            false, true, .double(-.greatestFiniteMagnitude), .integer(.min), .double(-1.5), -1, 0,
            .double(0.5), 1, .integer(1 << 53), .integer((1 << 53) + 1), .integer(.max),
            .double(0x1p63), .double(1e300), "", "10", "9", "a", "😀", "\u{FFFD}",
        ]
        for (i, left) in sorted.enumerated() {
            for (j, right) in sorted.enumerated() {
                let result = LeafValue.compare(left, right).signum()
                #expect(result == (i - j).signum(), "\(left) and \(right)")
            }
        }
    }

    @Test(arguments: 0..<8)
    func `random changes agree with a dictionary`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var node = Node.empty
        var model: [Int: Int64] = [:]
        let spread = seed % 2 == 0 ? 3_000 : 60
        for round in 0..<6_000 {
            let number = Int.random(in: 0..<spread, using: &random)
            let key = ChildKey(unchecked: number % 3 == 0 ? "\(number)" : "k\(number)")
            #expect(node.child(key).leaf == model[number].map(LeafValue.integer))
            // First it grows, then it shrinks to nothing.
            if Int.random(in: 0..<6_000, using: &random) > round {
                node = node.settingChild(key, to: Node(.integer(Int64(round))))
                model[number] = Int64(round)
            } else {
                node = node.settingChild(key, to: .empty)
                model[number] = nil
            }
            #expect(node.childCount == model.count)
        }
        for number in model.keys.sorted() {
            expectOrder(node)
            node = node.settingChild(
                ChildKey(unchecked: number % 3 == 0 ? "\(number)" : "k\(number)"), to: .empty)
        }
        #expect(node.isEmpty)
    }

    private func expectOrder(_ node: Node) {
        let keys = node.children.map(\.key)
        #expect(keys.count == node.childCount)
        #expect(zip(keys, keys.dropFirst()).allSatisfy { $0 < $1 })
    }

    @Test(arguments: [1, 31, 32, 33, 200, 5_000])
    func `children are found by key and by place`(count: Int) {
        let keys = (0..<count).map { ChildKey(unchecked: "\($0 * 2)") }
        let all = keys.map { (key: $0, node: Node(true)) }
        let built = Node(children: all)
        let grown = all.reduce(Node.empty) { $0.settingChild($1.key, to: $1.node) }
        let fallen = all.reversed().reduce(Node.empty) { $0.settingChild($1.key, to: $1.node) }
        #expect(built == grown && built == fallen && built.hashValue == fallen.hashValue)
        for node in [built, grown, fallen] {
            #expect(node.children.map(\.key) == keys)
            #expect(node.children.indices.map { node.children[$0].key } == keys)
            for index in 0..<count {
                #expect(node.children.index(of: keys[index]) == index)
                let between = ChildKey(unchecked: "\(index * 2 + 1)")
                #expect(node.children.index(atOrAfter: between) == index + 1)
                #expect(node.children.index(of: between) == nil)
            }
        }
    }

    @Test func `of two children with one key the last one counts`() {
        let children: [(key: ChildKey, node: Node)] = [
            ("b", Node(1)), ("a", Node(1)), ("b", Node(2)), ("c", .empty),
        ]
        let node = Node(children: children)
        #expect(node.childCount == 2 && node.child("b") == Node(2))
    }

    @Test func `whether any child has a priority is known of large trees too`() {
        let children = (0..<500).map { (key: ChildKey(unchecked: "\($0)"), node: Node(true)) }
        let node = Node(children: children)
        #expect(!node.hasChildPriorities)
        let raised = node.settingChild("250", to: Node(true, priority: 1))
        #expect(raised.hasChildPriorities)
        #expect(!raised.settingChild("250", to: .empty).hasChildPriorities)
    }
}
