import HearthModel
import HearthProtocol
import HearthTestSupport
import Testing

struct NodeBytesTests {
    @Test(arguments: [
        "null", "true", "false", "0", "-1", "9223372036854775807", "-9223372036854775808", "1.5",
        "1e300", #""""#, #""กข😀""#, #"{".value":1,".priority":"p"}"#,
        #"{"10":1,"9":{"a":"x",".priority":-2.5},"b":[1,2,[3]],"é":""}"#,
    ])
    func `a node is read as it was written`(json: String) throws {
        let node = try Node(json: json)
        #expect(try NodeBytes.read(NodeBytes.bytes(of: node)) == node)
    }

    @Test func `the shape is what is written down`() throws {
        let node = try Node(json: #"{"a":-1,"b":{".value":"x",".priority":300}}"#)
        #expect(
            NodeBytes.bytes(of: node) == [
                6, 2, 1, 0x61, 3, 1, 1, 0x62, 7, 3, 0xD8, 0x04, 5, 1, 0x78,
            ])
    }

    @Test(
        arguments: [
            ([], NodeBytes.Fault.cutOff), ([0, 0], .tooLong), ([8], .wrongKind(8)), ([3], .cutOff),
            ([3, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x02], .wrongNumber),
            ([5, 2, 0x61], .cutOff), ([5, 1, 0xFF], .wrongText), ([6, 0], .wrongNumber),
            ([6, 0xFF, 0xFF, 0xFF, 0xFF, 0x0F], .wrongNumber), ([6, 1, 1, 0x2E, 2], .wrongText),
            ([6, 1, 1, 0x61, 0], .wrongOrder), ([6, 2, 1, 0x62, 2, 1, 0x61, 2], .wrongOrder),
            ([6, 2, 1, 0x61, 2, 1, 0x61, 2], .wrongOrder), ([7, 2, 2], .wrongKind(7)),
            ([7, 3, 0, 0], .wrongKind(0)), ([7, 3, 0, 7, 3, 0, 2], .wrongKind(7)),
            ([4, 0, 0, 0, 0, 0, 0, 0xF0, 0x7F], .wrongNumber),
        ] as [([UInt8], NodeBytes.Fault)])
    func `what is no node is refused`(bytes: [UInt8], fault: NodeBytes.Fault) {
        #expect(throws: fault) { try NodeBytes.read(bytes) }
    }

    /// Damage of one or two bytes is read alike as values and packed: the same node, or the same fault.
    @Test(arguments: [
        #"{"1":true,"a":-1,"b":2.5,"c":"text"}"#,
        #"{"-Na1_x":{"name":"กข😀","at":1764429000123},"é":""}"#,
        #"{".priority":"p","007":7,"8":8,"k":false}"#,
    ])
    func `packed or not, bytes are the same node or the same fault`(json: String) throws {
        let node = try Node(json: json)
        var random = SeededGenerator(seed: UInt64(json.utf8.count))
        let long = node.settingChild("long", to: Node(.string(String(repeating: "x", count: 200))))
        for node in [node, long] {
            let whole = NodeBytes.bytes(of: node)
            #expect(NodeBytes.bytes(of: try NodeBytes.read(whole, packs: true)) == whole)
            for _ in 0..<4_000 {
                var bytes = whole
                for _ in 0..<Int.random(in: 0...2, using: &random) {
                    let place = Int.random(in: bytes.indices, using: &random)
                    bytes[place] = UInt8.random(in: .min ... .max, using: &random)
                }
                bytes.removeLast(Int.random(in: 0...1, using: &random))
                let plain = Result { () throws(NodeBytes.Fault) in try NodeBytes.read(bytes) }
                let packed = Result { () throws(NodeBytes.Fault) in
                    try NodeBytes.read(bytes, packs: true)
                }
                #expect(packed == plain, "\(bytes)")
                let inPlace = bytes.withUnsafeBytes { lent in
                    Result { () throws(NodeBytes.Fault) in try NodeBytes.readPacked(lent) }
                }
                #expect(inPlace == plain, "\(bytes)")
            }
        }
    }

    @Test func `nodes lie in each other so deep and no deeper`() {
        func nested(_ depth: Int) -> [UInt8] {
            [[UInt8]](repeating: [6, 1, 1, 0x61], count: depth).flatMap { $0 } + [2]
        }
        #expect(throws: Never.self) { try NodeBytes.read(nested(NodeBytes.depthMax)) }
        #expect(throws: NodeBytes.Fault.tooDeep) {
            try NodeBytes.read(nested(NodeBytes.depthMax + 1))
        }
    }

    @Test func `the children whose bytes have come are read, wherever the bytes are cut`() throws {
        let node = try Node(
            json: #"{".priority":7,"1":true,"a":{"x":[1,2],"y":"text"},"#
                + #""b":{".value":3,".priority":1},"c":4}"#)
        let bytes = NodeBytes.bytes(of: node)
        let keys = node.children.map(\.key)
        var counts: [Int] = []
        for end in bytes.indices {
            let begun = NodeBytes.readBeginning(Array(bytes[..<end])) { _ in true } ?? .empty
            #expect(begun.children.map(\.key) == Array(keys.prefix(begun.childCount)))
            for child in begun.children { #expect(node.child(child.key) == child.node) }
            counts.append(begun.childCount)
        }
        #expect(counts == counts.sorted() && Set(counts) == [0, 1, 2, 3])
        let wanted = NodeBytes.readBeginning(bytes) { $0.priority == nil }
        #expect(wanted?.children.map(\.key) == keys.filter { $0.text != "b" })
        for other in [[], [0], [2], [6, 2, 1, 0x62, 2, 1, 0x61, 2], [8]] as [[UInt8]] {
            #expect(NodeBytes.readBeginning(other) { _ in true } == nil)
        }
    }

    @Test func `the bytes of a node are given up to a size, and not beyond`() {
        let texts = (0..<1_000).map {
            (key: ChildKey(unchecked: "k\($0)"), node: Node(.string("text"), priority: .integer(1)))
        }
        for node in [Node.empty, Node(.string("abc")), Node(children: texts)] {
            let bytes = NodeBytes.bytes(of: node)
            #expect(NodeBytes.bytes(of: node, countMax: bytes.count) == bytes)
            #expect(NodeBytes.bytes(of: node, countMax: bytes.count - 1) == nil)
        }
    }
}
