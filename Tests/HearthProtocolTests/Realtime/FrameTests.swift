import HearthProtocol
import Testing

struct FrameTests {
    private static func joined(_ frames: [some Collection<UInt8>]) throws -> [[UInt8]] {
        var joiner = FrameJoiner(byteCountMax: 1 << 20)
        return try frames.compactMap { try joiner.take(Array($0)) }
    }

    @Test func `a message that fits is one frame`() {
        let message = [UInt8](repeating: UInt8(ascii: "a"), count: 16_384)
        #expect(FrameSplitter.frames(of: message).map(Array.init) == [message])
        // Three bytes each, but one unit.
        let wide = Array(String(repeating: "ก", count: 16_384).utf8)
        #expect(FrameSplitter.frames(of: wide).map(Array.init) == [wide])
    }

    @Test(arguments: [16_385, 32_768, 32_769, 100_000])
    func `a longer one is a count and its pieces`(count: Int) throws {
        let message = (0..<count).map { UInt8(ascii: "a") + UInt8($0 % 26) }
        let frames = FrameSplitter.frames(of: message)
        let pieceCount = (count + 16_383) / 16_384
        #expect(String(decoding: frames[0], as: UTF8.self) == "\(pieceCount)")
        #expect(frames.count == pieceCount + 1)
        #expect(try Self.joined(frames) == [message])
    }

    @Test(arguments: ["😀", "ก", "é", "x😀", "กx"])
    func `pieces are cut between scalars and hold so many units`(text: String) throws {
        let message = Array(String(repeating: text, count: 20_000).utf8)
        let frames = FrameSplitter.frames(of: message)
        for frame in frames.dropFirst() {
            let piece = try #require(String(validating: frame, as: UTF8.self))
            #expect(piece.utf16.count <= 16_384)
        }
        #expect(try Self.joined(frames) == [message])
    }

    @Test func `a pair of surrogates that was cut in two is one scalar again`() throws {
        let high: [UInt8] = [0xED, 0xA0, 0xBD]
        let low: [UInt8] = [0xED, 0xB8, 0x80]
        let quote = Array("\"".utf8)
        #expect(
            try Self.joined([Array("2".utf8), quote + high, low + quote])
                == [Array("\"😀\"".utf8)])
        #expect(try Self.joined([quote + high + quote]) == [Array("\"\u{FFFD}\"".utf8)])
        #expect(try Self.joined([quote + low + high + low]) == [Array("\"\u{FFFD}😀".utf8)])
        // What is no surrogate stays: U+D7FF.
        #expect(try Self.joined([Array("\u{D7FF}".utf8)]) == [Array("\u{D7FF}".utf8)])
        #expect(try Self.joined([[0xED, 0xA0]]) == [[0xED, 0xA0]])
    }

    @Test func `a keep-alive is no message, and one piece may be announced`() throws {
        #expect(
            try Self.joined(["0", "{}", "0", "1", "[]"].map { Array($0.utf8) })
                == [Array("{}".utf8), Array("[]".utf8)])
        // Within a message even digits are a piece.
        #expect(try Self.joined(["2", "1", "2"].map { Array($0.utf8) }) == [Array("12".utf8)])
        // Seven digits are no count.
        #expect(try Self.joined([Array("1234567".utf8)]) == [Array("1234567".utf8)])
    }

    @Test func `a message is held up to its limit and no further`() throws {
        var joiner = FrameJoiner(byteCountMax: 10)
        #expect(try joiner.take(Array("999999".utf8)) == nil)
        for _ in 0..<10 { #expect(try joiner.take([0x20]) == nil) }
        #expect(joiner.heldByteCount == 10)
        #expect(throws: RealtimeCodecError.tooLong(byteCountMax: 10)) { try joiner.take([0x20]) }
        var other = FrameJoiner(byteCountMax: 10)
        #expect(throws: RealtimeCodecError.tooLong(byteCountMax: 10)) {
            try other.take([UInt8](repeating: 0x20, count: 11))
        }
    }
}
