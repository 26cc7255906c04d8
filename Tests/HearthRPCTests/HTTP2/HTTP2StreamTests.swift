import Testing

@testable import HearthRPC

/// What a stream keeps for a client that has no room.
struct HTTP2StreamTests {
    private let empty = HTTP2Stream(sendWindow: 0, hasClientEnded: true, announcedByteCount: nil)

    @Test func `a long message of which one byte waits holds no memory of the others`() {
        var stream = empty
        stream.wait([UInt8](repeating: 7, count: 1 << 20))
        let byteCount = stream.waitingByteCount
        var output: [UInt8] = []
        stream.takeWaiting(byteCount - 1, into: &output)
        #expect(stream.waitingByteCount == 1)
        #expect(stream.heldByteCount < 4_096)
        stream.takeWaiting(1, into: &output)
        #expect(stream.heldByteCount == 0)
        #expect(output.count == byteCount)
    }

    @Test func `messages leave in their order, wherever they are cut`() {
        var stream = empty
        var expected: [UInt8] = []
        var output: [UInt8] = []
        for number in 0..<500 {
            let message = [UInt8](
                repeating: UInt8(truncatingIfNeeded: number), count: number * 7_919 % 5_003)
            expected.appendMessage(message)
            stream.wait(message)
            stream.takeWaiting(
                min(number * 6_007 % 9_001, stream.waitingByteCount), into: &output)
            #expect(stream.waitingByteCount == expected.count - output.count)
            #expect(stream.heldByteCount <= 4 * stream.waitingByteCount + 16_384)
        }
        stream.takeWaiting(stream.waitingByteCount, into: &output)
        #expect(output == expected)
    }
}
