import HearthTestSupport
import Testing

@testable import HearthRPC

/// Windows: nothing is sent for which a client has no room, and a client has room for what it may
/// send.
struct HTTP2WindowTests {
    private let one = StreamID(1)

    /// A connection with calls that wait for their answers.
    private func begun(_ count: UInt32 = 1, window: UInt32? = nil) throws -> HTTP2Bench {
        var bench = HTTP2Bench()
        if let window { _ = try bench.receive(Self.initialWindow(window)) }
        for number in 0..<count {
            _ = try bench.receive(RawFrames.call("/a.B/C", on: 2 * number + 1, [1]))
        }
        _ = bench.sent()
        return bench
    }

    private static func number(_ value: UInt32) -> [UInt8] {
        (0..<4).reversed().map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
    }

    private static func initialWindow(_ value: UInt32) -> [UInt8] {
        RawFrames.frame(4, 0, 0, [0, 4] + number(value))
    }

    private static func more(_ value: UInt32, on stream: UInt32) -> [UInt8] {
        RawFrames.frame(8, 0, stream, number(value))
    }

    private func dataByteCount(_ frames: [RawFrames.Frame]) -> Int {
        frames.filter { $0.type == 0 }.reduce(0) { $0 + $1.payload.count }
    }

    @Test func `a large message goes as far as there is room, in frames that the client takes`()
        throws
    {
        var bench = try begun()
        #expect(
            bench.machine.send(message: [UInt8](repeating: 7, count: 100_000), on: one) == 100_005)
        bench.machine.finish(one, GRPCHeaders.trailers(nil))
        var frames = bench.sent()
        #expect(dataByteCount(frames) == 65_535)
        #expect(frames.allSatisfy { $0.payload.count <= 16_384 })
        #expect(bench.machine.takeDepartures() == [.init(stream: one, byteCount: 65_535)])
        _ = try bench.receive(Self.more(100_000, on: 1))
        #expect(bench.sent() == [])
        _ = try bench.receive(Self.more(1, on: 0))
        #expect(dataByteCount(bench.sent()) == 1)
        _ = try bench.receive(Self.more(1_000_000, on: 0))
        frames = bench.sent()
        #expect(dataByteCount(frames) == 34_469)
        #expect(frames.last?.type == 1 && frames.last?.isLast == true)
        #expect(bench.machine.takeEnds() == [.init(stream: one, droppedByteCount: 0)])
    }

    @Test func `a client that takes larger frames is sent larger frames`() throws {
        var bench = try begun()
        _ = try bench.receive(
            RawFrames.frame(4, 0, 0, [0, 5, 0, 0xFF, 0xFF, 0xFF]) + Self.more(1 << 20, on: 0)
                + Self.more(1 << 20, on: 1))
        _ = bench.sent()
        _ = bench.machine.send(message: [UInt8](repeating: 7, count: 100_000), on: one)
        #expect(bench.sent().map(\.payload.count) == [65_536, 34_469])
    }

    @Test func `a window that shrinks below nothing must grow above it first`() throws {
        var bench = try begun(window: 100)
        _ = bench.machine.send(message: [UInt8](repeating: 7, count: 295), on: one)
        #expect(dataByteCount(bench.sent()) == 100)
        _ = try bench.receive(Self.initialWindow(0))
        _ = try bench.receive(Self.more(100, on: 1))
        #expect(dataByteCount(bench.sent()) == 0)
        _ = try bench.receive(Self.more(1, on: 1))
        #expect(dataByteCount(bench.sent()) == 1)
        _ = try bench.receive(Self.initialWindow(1_000))
        #expect(dataByteCount(bench.sent()) == 199)
    }

    @Test func `streams that wait for the connection's room take turns`() throws {
        var bench = try begun(3, window: 1 << 20)
        for stream in [1, 3, 5] as [UInt32] {
            let message = [UInt8](repeating: UInt8(stream), count: 60_000)
            _ = bench.machine.send(message: message, on: StreamID(stream))
        }
        #expect(dataByteCount(bench.sent()) == 65_535)
        _ = try bench.receive(Self.more(65_536, on: 0))
        let streams = bench.sent().map(\.stream)
        #expect(Set(streams) == [3, 5])
        _ = try bench.receive(Self.more(1 << 20, on: 0))
        #expect(dataByteCount(bench.sent()) == 3 * 60_005 - 65_535 - 65_536)
    }

    @Test func `messages wait while the socket takes no more, and trailers behind them`() throws {
        var bench = try begun()
        bench.machine.socketChanged(isWritable: false)
        _ = bench.machine.send(message: [1], on: one)
        bench.machine.finish(one, GRPCHeaders.trailers(nil))
        #expect(bench.sent() == [])
        bench.machine.socketChanged(isWritable: true)
        #expect(bench.sent().map(\.type) == [0, 1])
    }

    @Test func `no more is made ready at once than there may be, and the rest is due`() throws {
        var bench = try begun(window: 1 << 22)
        _ = try bench.receive(Self.more(1 << 22, on: 0))
        _ = bench.machine.send(message: [UInt8](repeating: 7, count: 1 << 20), on: one)
        bench.machine.finish(one, GRPCHeaders.trailers(nil))
        let byteCountMax =
            ConnectionLimits.outputByteCountMax + ConnectionLimits.answerFrameByteCountMax
        var byteCount = 0
        var turnCount = 0
        while bench.machine.isSendingDue {
            bench.machine.sendWaiting()
            #expect(bench.machine.output.count < byteCountMax)
            byteCount += dataByteCount(bench.sent())
            turnCount += 1
        }
        #expect(byteCount == (1 << 20) + 5)
        #expect(turnCount > 3)
        #expect(bench.machine.takeEnds() == [.init(stream: one, droppedByteCount: 0)])
    }

    @Test func `nothing is due while the socket or the client has no room`() throws {
        var bench = try begun(window: 1 << 22)
        bench.machine.socketChanged(isWritable: false)
        _ = bench.machine.send(message: [UInt8](repeating: 7, count: 100_000), on: one)
        #expect(!bench.machine.isSendingDue)
        bench.machine.socketChanged(isWritable: true)
        #expect(dataByteCount(bench.sent()) == 65_535)
        #expect(!bench.machine.isSendingDue)
    }

    @Test func `the connection's window opens again when half of it is used`() throws {
        var bench = HTTP2Bench()
        var opened = 0
        let part = [UInt8](repeating: 1, count: 16_384)
        for number in 0..<UInt32(8) {
            let stream = 2 * number + 1
            _ = try bench.receive(RawFrames.open("/a.B/C", on: stream))
            for _ in 0..<64 {
                _ = try bench.receive(RawFrames.frame(0, 0, stream, part))
                opened += bench.sent().filter { $0.type == 8 && $0.stream == 0 }.count
            }
        }
        #expect(opened == 1)
    }

    @Test func `a stream that brings more than it may is reset, and others go on`() throws {
        var bench = HTTP2Bench()
        let part = [UInt8](repeating: 1, count: 16_384)
        _ = try bench.receive(RawFrames.open("/a.B/C"))
        for _ in 0..<64 { _ = try bench.receive(RawFrames.frame(0, 0, 1, part)) }
        #expect(bench.sent().filter { $0.type == 3 } == [])
        #expect(try bench.receive(RawFrames.frame(0, 0, 1, [1])) == [])
        #expect(bench.sent().map(\.payload) == [Self.number(3)])
        #expect(try bench.receive(RawFrames.call("/a.B/C", on: 3, [1])).count == 2)
    }

    @Test func `windows that grow too large are refused`() throws {
        var bench = try begun()
        #expect(bench.fault(Self.more(0x7FFF_FFFF, on: 1)) == nil)
        #expect(bench.sent().map(\.payload) == [Self.number(3)])
        #expect(bench.fault(Self.more(0x7FFF_FFFF, on: 0)) == .flowControlError)
        bench = try begun()
        #expect(bench.fault(Self.more(0x7FFF_0000, on: 1)) == nil)
        #expect(bench.fault(Self.initialWindow(0x7FFF_FFFF)) == .flowControlError)
    }
}
