import HearthModel
import HearthTestSupport
import NIOCore
import Testing

@testable import HearthRPC

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

    @Test func `what waits holds no memory of the read that it came in`() throws {
        var read = buffer(Array(repeating: 7, count: 65_536))
        read.moveReaderIndex(to: 65_000)
        #expect(read.compacted().storageCapacity < 2_048)
        #expect(read.compacted() == read)
        let whole = buffer(Array(repeating: 7, count: 65_536))
        #expect(whole.compacted().storageCapacity == whole.storageCapacity)
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

    @Test func `a stream whose frames never end with a message keeps only what waits`() throws {
        var decoder = GRPCMessageDecoder(byteCountMax: 1_000)
        let bytes = framed([Array(repeating: 7, count: 1_000)])
        decoder.append(buffer(Array(bytes.prefix(500))))
        for _ in 0..<2_000 {
            decoder.append(buffer(Array(bytes.dropFirst(500) + bytes.prefix(500))))
            #expect(try drain(&decoder).count == 1)
            #expect(decoder.waitingByteCount == 500)
        }
        #expect(decoder.heldByteCount < 16_384)
    }

    @Test func `a message that is too large is refused before it comes`() {
        var decoder = GRPCMessageDecoder(byteCountMax: 4)
        decoder.append(buffer([0, 0, 0, 0, 5]))
        let error = #expect(throws: HearthError.self) { try drain(&decoder) }
        #expect(error == .tooLarge)
    }

    @Test(arguments: [UInt8(1), 2, 255])
    func `a flag that was not announced is refused`(flag: UInt8) {
        var decoder = GRPCMessageDecoder(byteCountMax: 4)
        decoder.append(buffer([flag]))
        let error = #expect(throws: HearthError.self) { try drain(&decoder) }
        #expect(error?.code == .internalError)
    }

    @Test func `packed messages are unpacked, up to the limit`() throws {
        let message = [UInt8](repeating: 7, count: 100_000)
        let packed = ContentCoding.gzip(message)
        #expect(packed.count < 1_000)
        var bytes = buffer([1])
        bytes.writeInteger(UInt32(packed.count))
        bytes.writeBytes(packed)
        var decoder = GRPCMessageDecoder(byteCountMax: 100_000)
        decoder.coding = .packed
        decoder.append(bytes)
        #expect(try drain(&decoder) == [message])
        var strict = GRPCMessageDecoder(byteCountMax: 99_999)
        strict.coding = .packed
        strict.append(bytes)
        #expect(throws: HearthError.tooLarge) { try drain(&strict) }
    }

    @Test func `what is not packed cannot be unpacked`() {
        let packed = ContentCoding.gzip([1, 2, 3])
        for bytes in [[], [1, 2, 3], Array(packed.dropLast()), packed + [0]] {
            let error = #expect(throws: HearthError.self) { try unpacked(bytes) }
            #expect(error?.code == .internalError)
        }
    }

    private func unpacked(_ bytes: [UInt8]) throws -> [UInt8] {
        try bytes.withUnsafeBytes { try ContentCoding.packed.unpacked($0, byteCountMax: 100) }
    }

    /// Bytes from others: the decoder stops at any bytes, and holds no more bytes than it was
    /// given.
    @Test func `no bytes make it fail, loop or grow`() {
        var random = SeededGenerator(seed: 0xF1A4E)
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
