import HearthTestSupport
import NIOCore
import NIOHPACK
import Testing

@testable import HearthRPC

/// Blocks of headers, read and written.
struct HeaderDecoderTests {
    private func decoder(tableByteCountMax: Int = 4_096, byteCountMax: Int = 65_536)
        -> HeaderDecoder
    {
        HeaderDecoder(byteCountMax: byteCountMax, tableByteCountMax: tableByteCountMax)
    }

    private func hex(_ text: String) -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = text.filter { $0 != " " }[...]
        while let byte = UInt8(rest.prefix(2), radix: 16) {
            bytes.append(byte)
            rest = rest.dropFirst(2)
        }
        return bytes
    }

    private func lines(_ fields: HeaderFields) -> [String] {
        fields.map { "\($0.name): \($0.value)" }
    }

    /// RFC 7541, C.3 and C.4: the same three requests, written plainly and shortened.
    @Test(arguments: [
        [
            "8286 8441 0f77 7777 2e65 7861 6d70 6c65 2e63 6f6d",
            "8286 84be 5808 6e6f 2d63 6163 6865",
            "8287 85bf 400a 6375 7374 6f6d 2d6b 6579 0c63 7573 746f 6d2d 7661 6c75 65",
        ],
        [
            "8286 8441 8cf1 e3c2 e5f2 3a6b a0ab 90f4 ff", "8286 84be 5886 a8eb 1064 9cbf",
            "8287 85bf 4088 25a8 49e9 5ba9 7d7f 8925 a849 e95b b8e8 b4bf",
        ],
    ])
    func `the standard's requests are read`(blocks: [String]) throws {
        var decoder = decoder()
        let fields = try blocks.map { lines(try decoder.decode(hex($0))) }
        let site = ":authority: www.example.com"
        #expect(fields[0] == [":method: GET", ":scheme: http", ":path: /", site])
        #expect(
            fields[1] == [
                ":method: GET", ":scheme: http", ":path: /", site, "cache-control: no-cache",
            ]
        )
        #expect(
            fields[2] == [
                ":method: GET", ":scheme: https", ":path: /index.html", site,
                "custom-key: custom-value",
            ])
    }

    /// RFC 7541, C.5: a table of 256 bytes, from which older fields fall out.
    @Test func `the standard's answers are read, in a table with little room`() throws {
        var decoder = decoder(tableByteCountMax: 256)
        let first = try decoder.decode(
            hex(
                """
                4803 3330 3258 0770 7269 7661 7465 611d 4d6f 6e2c 2032 3120 4f63 7420 3230 3133
                2032 303a 3133 3a32 3120 474d 546e 1768 7474 7073 3a2f 2f77 7777 2e65 7861 6d70
                6c65 2e63 6f6d
                """.replacing("\n", with: "")))
        #expect(first.first(name: ":status") == "302")
        #expect(first.first(name: "location") == "https://www.example.com")
        let second = try decoder.decode(hex("4803 3330 37c1 c0bf"))
        #expect(
            lines(second) == [
                ":status: 307", "cache-control: private", "date: Mon, 21 Oct 2013 20:13:21 GMT",
                "location: https://www.example.com",
            ])
        // The status 302 has fallen out.
        #expect(throws: HTTP2Fault.self) { try decoder.decode(hex("c2")) }
    }

    @Test(arguments: [
        "80", "be", "7e00", "ffffffffffff7f", "ff80808080", "40", "4001", "400161", "4001610561",
        "0000", "4081ff0161", "3fe21f", "8220", "202020", "0f", "1f",
    ])
    func `what is no block is refused`(block: String) {
        var decoder = decoder()
        let error = #expect(throws: HTTP2Fault.self) { try decoder.decode(hex(block)) }
        #expect(error?.code == .compressionError)
    }

    @Test func `fields that are too large together are refused, however short their block`() throws
    {
        var decoder = decoder(byteCountMax: 10_000)
        let value = [UInt8](repeating: 0x61, count: 100)
        let remembered: [UInt8] = [0x40, 1, 0x62, 100] + value
        #expect(try decoder.decode(remembered).count == 1)
        #expect(try decoder.decode([UInt8](repeating: 0xBE, count: 70)).count == 70)
        let error = #expect(throws: HTTP2Fault.self) {
            try decoder.decode([UInt8](repeating: 0xBE, count: 80))
        }
        #expect(error?.code == .enhanceYourCalm)
    }

    @Test func `a block that comes again means what the table says now`() throws {
        var decoder = decoder()
        _ = try decoder.decode(hex("4001 6101 62"))
        for _ in 0..<3 { #expect(lines(try decoder.decode([0xBE])) == ["a: b"]) }
        #expect(lines(try decoder.decode(hex("4001 6301 64"))) == ["c: d"])
        #expect(lines(try decoder.decode([0xBE])) == ["c: d"])
        #expect(lines(try decoder.decode([0xBF])) == ["a: b"])
        // A table without room forgets all.
        #expect(try decoder.decode([0x20]).isEmpty)
        #expect(throws: HTTP2Fault.self) { try decoder.decode([0xBE]) }
    }

    /// Each byte that is no text becomes three, which the client does not count.
    @Test func `a table has room for what its client wrote, not for what it was mended to`() throws
    {
        var decoder = decoder(byteCountMax: 1_100)
        let value = [UInt8](repeating: 0xFF, count: 1_000)
        for name in [0x61, 0x62, 0x63] as [UInt8] {
            let block: [UInt8] = [0x40, 1, name, 0x7F, 0xE9, 0x06] + value
            #expect(try decoder.decode(block).count == 1)
        }
        for (number, name) in [(0xC0, "a"), (0xBF, "b"), (0xBE, "c")] as [(UInt8, String)] {
            #expect(try decoder.decode([number]).map(\.name) == [name])
        }
        // So it is with a name that comes from the table.
        decoder = self.decoder(byteCountMax: 1_100)
        let named: [UInt8] = [0x40, 0x7F, 0xE9, 0x06] + value + [1, 0x61]
        _ = try decoder.decode(named)
        for letter in [0x62, 0x63] as [UInt8] { _ = try decoder.decode([0x7E, 1, letter]) }
        #expect(try decoder.decode([0xC0]).map(\.value) == ["a"])
    }

    @Test func `a table that shrinks and grows again is announced once, at both sizes`() throws {
        var encoder = HeaderEncoder()
        var decoder = decoder()
        var bytes: [UInt8] = []
        encoder.encode(GRPCHeaders.response, into: &bytes)
        #expect(try decoder.decode(bytes) == GRPCHeaders.response)
        encoder.tableResized(to: 0, least: 0)
        encoder.tableResized(to: 8_192, least: 0)
        bytes = []
        encoder.encode(GRPCHeaders.response, into: &bytes)
        #expect(bytes.prefix(4) == [0x20, 0x3F, 0xE1, 0x1F])
        #expect(try decoder.decode(bytes) == GRPCHeaders.response)
        bytes = []
        encoder.encode(GRPCHeaders.response, into: &bytes)
        #expect(bytes == [0x88, 0xBE])
        #expect(try decoder.decode(bytes) == GRPCHeaders.response)
    }

    @Test(arguments: UInt64(0)..<20)
    func `what another encoder writes is read`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var encoder = HPACKEncoder(
            allocator: ByteBufferAllocator(), useHuffmanEncoding: seed % 2 == 0)
        var decoder = decoder()
        for _ in 0..<200 {
            let headers = HPACKHeaders(
                (0..<Int.random(in: 0..<20, using: &random)).map { _ in
                    let name = random.pick([
                        ":path", "te", "x-\(Int.random(in: 0..<99, using: &random))",
                    ])
                    let length = Int.random(in: 0..<(random.pick([5, 60, 900])), using: &random)
                    return (
                        name, String(repeating: random.pick(["a", "Z", "%", "~"]), count: length)
                    )
                })
            var block = ByteBuffer()
            try encoder.encode(headers: headers, to: &block)
            let fields = try decoder.decode(Array(block.readableBytesView))
            #expect(fields.map(\.name) == headers.map(\.name))
            #expect(fields.map(\.value) == headers.map(\.value))
        }
    }

    @Test(arguments: [4_096, 8_192, 200, 100, 0])
    func `another decoder reads what is written, whatever its table`(tableByteCount: Int) throws {
        var encoder = HeaderEncoder()
        encoder.tableResized(to: tableByteCount, least: tableByteCount)
        var decoder = HPACKDecoder(
            allocator: ByteBufferAllocator(), maxDynamicTableSize: max(4_096, tableByteCount))
        let long = String(repeating: "x", count: 5_000)
        let answers: [HeaderFields] = [
            GRPCHeaders.response, GRPCHeaders.trailers(nil), GRPCHeaders.response, ["a": "b"],
            GRPCHeaders.notGRPC, GRPCHeaders.only(nil), ["grpc-status": "3", "grpc-message": long],
            GRPCHeaders.trailers(nil), GRPCHeaders.response,
        ]
        var byteCounts: [Int] = []
        for answer in answers {
            var bytes: [UInt8] = []
            encoder.encode(answer, into: &bytes)
            byteCounts.append(bytes.count)
            var block = ByteBuffer(bytes: bytes)
            let headers = try decoder.decodeHeaders(from: &block)
            #expect(headers.map(\.name) == answer.map(\.name))
            #expect(headers.map(\.value) == answer.map(\.value))
        }
        // The status and the two fields that are remembered are a byte each.
        if tableByteCount >= 128 { #expect(byteCounts.suffix(2) == [1, 2]) }
    }
}

extension HeaderDecoder {
    fileprivate mutating func decode(_ block: [UInt8]) throws -> HeaderFields {
        try block.withUnsafeBytes { try decode($0) }
    }
}
