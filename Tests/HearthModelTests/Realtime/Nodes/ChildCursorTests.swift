import HearthModel
import HearthTestSupport
import Testing

/// Which children two nodes do not share in memory.
struct ChildCursorTests {
    private static func key(_ number: Int) -> ChildKey { ChildKey(unchecked: "k\(number)") }

    private static func child(_ number: Int) -> Node {
        let leaf = Node(.integer(Int64(number)))
        return Node.empty.setting("a/b", to: leaf)
    }

    private static func node(_ numbers: some Sequence<Int>) -> Node {
        Node(children: numbers.map { (key($0), child($0)) })
    }

    /// The keys of the children that differ in content.
    private static func differing(_ left: Node, _ right: Node) -> Set<ChildKey> {
        Set(left.childDifferences(from: right).map(\.key))
    }

    @Test(arguments: 0..<30)
    func `versions of one node hold apart what was written between them`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let count = [3, 40, 300, 5_000][Int(seed) % 4]
        let old = Self.node(0..<count)
        var (new, touched) = (old, Set<ChildKey>())
        for _ in 0..<Int.random(in: 0..<60, using: &random) {
            let key = Self.key(Int.random(in: 0..<count * 2, using: &random))
            let isGone = Bool.random(using: &random)
            new = new.settingChild(key, to: isGone ? .empty : Self.child(-1))
            touched.insert(key)
        }
        for (left, right) in [(old, new), (new, old)] {
            let keys = try #require(left.unsharedKeys(with: right, atMost: touched.count))
            #expect(Set(keys).count == keys.count && keys == keys.sorted())
            #expect(Set(keys).isSubset(of: touched))
            #expect(Self.differing(left, right).isSubset(of: keys))
        }
    }

    @Test func `a stretch that is gone is told, and what lies behind it is shared`() {
        let old = Self.node(0..<2_000)
        var new = old
        let gone = old.children.prefix(700).map(\.key)
        for key in gone { new = new.settingChild(key, to: .empty) }
        #expect(new.unsharedKeys(with: old, atMost: 700) == gone)
        #expect(old.unsharedKeys(with: new, atMost: 700) == gone)
        #expect(old.unsharedKeys(with: new, atMost: 699) == nil)
    }

    @Test func `nodes that share nothing hold all children apart`() {
        let (left, right) = (Self.node(0..<600), Self.node(0..<600))
        #expect(left.unsharedKeys(with: right, atMost: 600)?.count == 600)
        #expect(left.unsharedKeys(with: right, atMost: 599) == nil)
        let other = Self.node(1_000..<1_300)
        #expect(left.unsharedKeys(with: other, atMost: 900)?.count == 900)
        #expect(left.unsharedKeys(with: other, atMost: 899) == nil)
    }

    @Test func `a leaf and nothing have no children to share`() {
        let node = Self.node(0..<20)
        for bare in [Node.empty, Node(1)] {
            #expect(bare.unsharedKeys(with: bare, atMost: 0)?.isEmpty == true)
            #expect(node.unsharedKeys(with: bare, atMost: 20) == node.children.map(\.key))
            #expect(bare.unsharedKeys(with: node, atMost: 20) == node.children.map(\.key))
            #expect(bare.unsharedKeys(with: node, atMost: 19) == nil)
        }
        #expect(node.settingPriority(1).unsharedKeys(with: node, atMost: 0)?.isEmpty == true)
    }
}
