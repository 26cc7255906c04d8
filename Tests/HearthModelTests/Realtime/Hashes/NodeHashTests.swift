import HearthModel
import HearthTestSupport
import Testing

struct NodeHashTests {
    /// From RFC 3174 and FIPS 180, and what `sha1sum` says of lengths around a block's end.
    @Test(arguments: [
        ("", "da39a3ee5e6b4b0d3255bfef95601890afd80709"),
        ("abc", "a9993e364706816aba3e25717850c26c9cd0d89d"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "84983e441c3bd26ebaae4aa1f95129e5e54670f1"
        ),
        (String(repeating: "a", count: 55), "c1c8bbdc22796e28c0e15163d20899b65621d65a"),
        (String(repeating: "a", count: 64), "0098ba824b5c16427bd7a1122a5a442a25ec644d"),
        (String(repeating: "a", count: 1_000_000), "34aa973cd4c4daa4f61eeb2bdbad27316534016f"),
    ])
    func `a digest is that of the standard`(text: String, expected: String) {
        let digits = SHA1.digest(of: Array(text.utf8)).map { byte in
            String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
        }
        #expect(digits.joined() == expected)
    }

    /// What the clients of firebase-js-sdk compute.
    @Test(arguments: [
        ("4", "eVih19a6ZDz3NL32uVBtg9KSgQY="), ("4.5623", "vf1CL0tIRwXXunHcG/irRECk3lY="),
        (#""hey guys""#, "CUNLXWpCVoJE6z7z1vE57lGaKAU="), ("true", "E5z61QM0lN/U2WsOnusszCTkR8M="),
        (
            #"{"intNode":4,"doubleNode":4.5623,"stringNode":"hey guys","boolNode":true}"#,
            "6Mc4jFmNdrLVIlJJjz2/MakTK9I="
        ),
        (
            #"{"root":{"c":{".value":99,".priority":"abc"},".priority":"def"}}"#,
            "Fm6tzN4CVEu5WxFDZUdTtqbTVaA="
        ),
        (
            #"{"root":{"c":{".value":99,".priority":42},".priority":3.14}}"#,
            "B15QCqrzCxrI5zz1y00arWqFRFg="
        ),
        ("10", "+r5aI9HvKKagELki8SYKBk0q7D4="), ("0", "7ysMph9WPitGP7poMnMHMVPtUlI="),
        ("3", "3tYODYzGXwaGnXNech4jb4T9las="), (#""""#, "Ki0Xy0V6morg0TO3Sxi/jwugYDQ="),
        (#""é""#, "1M+kSgpwpb2WVucwSmGGq+h8/uU="),
        ("9007199254740993", "m4qsp/5BbIWTdjthNlnOX+WCTB0="), ("null", ""),
        ("-0.0", "7ysMph9WPitGP7poMnMHMVPtUlI="),
    ])
    func `the hash is the one that clients compute`(json: String, expected: String) throws {
        #expect(NodeHash.hash(of: try Node(json: json)) == expected)
    }

    @Test func `children are hashed by priority, then by key`() throws {
        let node = try Node(
            json: #"{"a":{".value":1,".priority":2},"b":{".value":1,".priority":1},"c":1}"#)
        let parts = ["c", "b", "a"].map {
            ":\($0):\(NodeHash.hash(of: node.child(ChildKey(unchecked: $0))))"
        }
        #expect(NodeHash.hash(of: node) == SHA1.base64(of: Array(parts.joined().utf8)))
    }

    @Test(arguments: [
        ("null", 4), ("1", 8), ("true", 4), (#""abc""#, 5),
        (#"{"ab":1,"c":"x"}"#, 1 + 6 + 8 + 5 + 3),
        (#"{".value":true,".priority":1}"#, 4 + 24 + 8),
    ])
    func `a size is what SDKs estimate`(json: String, expected: Int) throws {
        #expect(NodeSize.estimate(try Node(json: json)) == expected)
    }

    /// The size of a node as the sum over all that is in it.
    private static func counted(_ node: Node) -> Int {
        let own = NodeSize.estimate(node.leaf.map { Node($0) } ?? .empty)
        let priority = node.priority.map { 24 + NodeSize.estimate(Node($0)) } ?? 0
        guard !node.children.isEmpty else { return own + priority }
        return node.children.reduce(1 + priority) {
            $0 + $1.key.text.utf16.count + 4 + counted($1.node)
        }
    }

    @Test func `a size is right after any changes`() {
        var random = SeededGenerator(seed: 5)
        var node = Node.empty
        for step in 0..<3_000 {
            // More is taken out than put in towards the end, so that pages are cut and joined.
            let isRemoved = Int.random(in: 0..<3_000, using: &random) < step
            let path = RealtimePath([
                ChildKey(unchecked: "a\(Int.random(in: 0..<40, using: &random))"),
                ChildKey(unchecked: "é\(Int.random(in: 0..<40, using: &random))"),
            ])
            let text = LeafValue.string(String(repeating: "ü", count: step % 7))
            node = node.setting(
                path, to: isRemoved ? .empty : Node(text, priority: step % 5 == 0 ? 1 : nil))
            if step % 50 == 0 {
                #expect(NodeSize.estimate(node) == Self.counted(node))
            }
        }
    }

    @Test func `the size of a large node costs no more than that of a small one`() {
        func spent(_ count: Int) -> Duration {
            let leaves = (0..<count).map { (ChildKey(unchecked: "k\($0)"), Node(1)) }
            let node = Node(children: leaves)
            var sum = 0
            let time = threadTime { for _ in 0..<1_000 { sum &+= NodeSize.estimate(node) } }
            #expect(sum > 0)
            return time
        }
        let (small, large) = (spent(10), spent(100_000))
        // With a look at each leaf, 10,000 times as long.
        #expect(large < small * 100, "\(small) and \(large)")
    }
}
