import HearthModel
import HearthProtocol
import Testing

struct NodeBytesWriterTests {
    private static let texts = [
        "null", "true", #"{"a":{"b":{"c":1}},"d":{"e":{".value":"x",".priority":2}}}"#,
        #"{"1":1,"2":{"3":{".priority":"p","x":"long long long"}},"é":false}"#,
    ]

    @Test(arguments: texts, 1...9)
    func `a node in parts is the node at once`(json: String, byteCountMax: Int) throws {
        let node = try Node(json: json)
        var writer = NodeBytesWriter(node)
        var bytes: [UInt8] = []
        while !writer.isAtEnd {
            let part = writer.next(byteCountMax: byteCountMax)
            #expect(part.count <= byteCountMax)
            bytes += part
        }
        #expect(bytes == NodeBytes.bytes(of: node))
        #expect(writer.next(byteCountMax: byteCountMax).isEmpty)
    }

    @Test func `places are read with their nodes, in their order`() throws {
        let places = try ["/b", "/", "/a/.priority", "/a/b/c"].map { text in
            ViewNews.Placed(try #require(WritePath(text)), Node(.string(text)))
        }
        var writer = NodeBytesWriter(places)
        let bytes = writer.next(byteCountMax: .max)
        #expect(writer.isAtEnd)
        #expect(try NodeBytes.readPlaces(bytes) == places)
        #expect(try NodeBytes.readPlaces([]).isEmpty)
    }

    @Test(
        arguments: [
            ([1, 0x61], NodeBytes.Fault.cutOff), ([1, 0x24, 0], .wrongText),
            ([10] + Array("/.priority".utf8) + [2], .wrongPriority),
            ([10] + Array("/.priority".utf8) + [7, 3, 0, 3, 0], .wrongPriority),
            ([1, 0x61, 0, 1], .cutOff),
        ] as [([UInt8], NodeBytes.Fault)])
    func `what are no places is refused`(bytes: [UInt8], fault: NodeBytes.Fault) {
        #expect(throws: fault) { try NodeBytes.readPlaces(bytes) }
    }

    @Test func `a reader that is told so takes no deeper node`() throws {
        let bytes = NodeBytes.bytes(of: try Node(json: #"{"a":{"b":1}}"#))
        #expect(throws: Never.self) { try NodeBytes.read(bytes, depthMax: 2) }
        #expect(throws: NodeBytes.Fault.tooDeep) { try NodeBytes.read(bytes, depthMax: 1) }
    }
}
