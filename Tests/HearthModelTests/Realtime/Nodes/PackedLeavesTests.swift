import HearthTestSupport
import Testing

@testable import HearthModel

/// Packed nodes, compared with the same nodes unpacked.
struct PackedLeavesTests {
    private typealias Child = (key: ChildKey, node: Node)

    private static func leaf(_ random: inout SeededGenerator) -> LeafValue {
        switch Int.random(in: 0..<6, using: &random) {
        case 0: .bool(Bool.random(using: &random))
        case 1: .integer(Int64.random(in: .min ... .max, using: &random))
        case 2: .integer(Int64.random(in: -200...200, using: &random))
        case 3: .double(Double.random(in: -1e9...1e9, using: &random))
        case 4: .string("")
        default: .string(String(repeating: "é𝄞x", count: Int.random(in: 0..<9, using: &random)))
        }
    }

    private static func children(_ random: inout SeededGenerator) -> [Child] {
        let keys = Set(
            (0..<Int.random(in: 1...9, using: &random)).map { _ in
                ChildKey(
                    unchecked: (["k", "é", "", "-"].randomElement(using: &random) ?? "")
                        + "\(Int.random(in: 0..<30, using: &random))")
            })
        return keys.sorted().map { ($0, Node(leaf(&random))) }
    }

    @Test(arguments: 0..<200)
    func `a packed node is the node that it was`(seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        let children = Self.children(&random)
        let priority: LeafValue? = Bool.random(using: &random) ? "first" : nil
        let plain = Node(children: children, priority: priority)
        let packed = Node(packing: children, priority: priority)
        #expect(packed == plain)
        #expect(plain == packed)
        #expect(plain.packed == packed)
        #expect(packed.hashValue == plain.hashValue)
        #expect(packed.childCount == plain.childCount)
        #expect(packed.priority == priority)
        #expect(!packed.isLeaf && !packed.isEmpty && !packed.hasChildPriorities)
        #expect(NodeSize.estimate(packed) == NodeSize.estimate(plain))
        #expect(packed.description == plain.description)
        #expect(NodeHash.hash(of: packed) == NodeHash.hash(of: plain))
        for child in children { #expect(packed.child(child.key) == child.node) }
        #expect(packed.child("none") == .empty)
        let changed = children[0].key
        let deep: RealtimePath = "deep/er"
        for place in [RealtimePath([changed]), RealtimePath([changed]).appending(deep), deep] {
            #expect(packed.setting(place, to: Node(7)) == plain.setting(place, to: Node(7)))
            #expect(packed.setting(place, to: .empty) == plain.setting(place, to: .empty))
        }
        #expect(packed.settingPriority(3) == plain.settingPriority(3))
        let other = plain.settingChild(changed, to: Node("other"))
        #expect(packed != other.packed)
        #expect(packed.differences(from: other) == plain.differences(from: other))
    }

    @Test func `only a few leaves without priorities are packed`() throws {
        func isPacked(_ key: ChildKey, _ node: Node) -> Bool {
            PackedLeaves([(key, node)]) != nil
        }
        let inner: [Child] = [("b", Node(1))]
        let long = String(repeating: "x", count: 256)
        let many: [Child] = (100..<300).map { (ChildKey(unchecked: "\($0)"), Node(1)) }
        #expect(isPacked("a", Node(1)))
        #expect(!isPacked("a", Node(1, priority: 2)))
        #expect(!isPacked("a", Node(children: inner)))
        #expect(!isPacked("a", Node(.string(long))))
        #expect(!isPacked(ChildKey(unchecked: long), Node(1)))
        #expect(PackedLeaves([]) == nil)
        #expect(PackedLeaves(many) == nil)
        // What is not packed is a node all the same.
        let children: [Child] = [("a", Node(1, priority: 2)), ("b", Node(.string(long)))]
        #expect(Node(packing: children) == Node(children: children))
    }

    @Test func `a whole number and the same number with a point are equal, packed too`() {
        let whole: [Child] = [("a", Node(.integer(1)))]
        let point: [Child] = [("a", Node(.double(1)))]
        #expect(Node(packing: whole) == Node(packing: point))
    }
}
