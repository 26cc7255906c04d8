import HearthModel
import NIOCore
import Testing

@testable import HearthEmulator

struct GRPCMessageDecoderTests {
    private func buffer(_ bytes: [UInt8]) -> ByteBuffer { ByteBuffer(bytes: bytes) }

    private func framed(_ messages: [[UInt8]]) -> [UInt8] {
        var buffer = ByteBuffer()
        for message in messages { buffer.writeGRPCMessage(message) }
        return Array(buffer.readableBytesView)
    }

    /// All messages that can be read now.
    private func drain(_ decoder: inout GRPCMessageDecoder) throws(HearthError) -> [[UInt8]] {
        var messages: [[UInt8]] = []
        while let message = try decoder.next() {
            messages.append(Array(message.readableBytesView))
        }
        return messages
    }

    @Test func `messages come out as they went in, however they are cut`() throws {
        let messages: [[UInt8]] = [[], [1], Array(repeating: 7, count: 300), [], [2, 3]]
        let bytes = framed(messages)
        for size in 1...bytes.count {
            var decoder = GRPCMessageDecoder(byteCountMax: 300)
            var found: [[UInt8]] = []
            for start in stride(from: 0, to: bytes.count, by: size) {
                decoder.append(buffer(Array(bytes[start..<min(start + size, bytes.count)])))
                found += try drain(&decoder)
            }
            #expect(found == messages)
            #expect(decoder.waitingByteCount == 0)
        }
    }

    @Test func `a message that is too large is refused before it comes`() {
        var decoder = GRPCMessageDecoder(byteCountMax: 4)
        decoder.append(buffer([0, 0, 0, 0, 5]))
        let error = #expect(throws: HearthError.self) { try drain(&decoder) }
        #expect(error?.code == .resourceExhausted)
    }

    @Test(arguments: [
        (UInt8(1), StatusCode.unimplemented), (2, .internalError), (255, .internalError),
    ])
    func `a flag other than 0 is refused`(flag: UInt8, code: StatusCode) {
        var decoder = GRPCMessageDecoder(byteCountMax: 4)
        decoder.append(buffer([flag]))
        let error = #expect(throws: HearthError.self) { try drain(&decoder) }
        #expect(error?.code == code)
    }

    /// Bytes from others: whatever they are, it stops, and holds no more than it was given.
    @Test func `no bytes make it fail, loop or grow`() {
        var random = SplitMix(state: 0xF1A4E)
        for _ in 0..<20_000 {
            var decoder = GRPCMessageDecoder(byteCountMax: 64)
            var given = 0
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                let count = Int.random(in: 0...24, using: &random)
                // Mostly zeros, or nothing would ever get past the prefix.
                let bytes = (0..<count).map { _ in
                    UInt8.random(in: 0...3, using: &random) > 0
                        ? 0 : UInt8.random(in: 0...80, using: &random)
                }
                given += count
                decoder.append(buffer(bytes))
                guard (try? drain(&decoder)) != nil else { break }
                #expect(decoder.waitingByteCount <= given)
            }
        }
    }
}

/// Chance that comes again with its seed.
struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
