import HearthTestSupport
import Testing

@testable import HearthRPC

/// One HTTP/2 connection without a socket: frames in, events and frames out.
struct HTTP2ConnectionTests {
    private let one = StreamID(1)

    private func begun(isLast: Bool = true) throws -> HTTP2Bench {
        var bench = HTTP2Bench()
        _ = try bench.receive(RawFrames.open("/a.B/C"))
        if isLast { _ = try bench.receive(RawFrames.frame(0, 1, 1, [])) }
        return bench
    }

    @Test func `a connection begins with the server's limits and a larger window`() {
        var bench = HTTP2Bench(machine: HTTP2Connection())
        let frames = bench.sent()
        #expect(frames.map(\.type) == [4, 8])
        #expect(
            frames.first?.payload == [
                0, 3, 0, 0, 4, 0, 0, 4, 0, 0x10, 0, 0, 0, 6, 0, 1, 0, 0,
            ])
        #expect(frames.last?.payload == [0, 0x7F, 0, 1])
    }

    @Test func `a client's frames are told, wherever their bytes are cut`() throws {
        let bytes =
            RawFrames.greeting + RawFrames.call("/a.B/C", headers: [("x", "y")], [1, 2, 3])
            + RawFrames.frame(6, 1, 0, [0, 0, 0, 0, 0, 0, 0, 1])
        var whole = HTTP2Bench(machine: HTTP2Connection())
        let expected = try whole.receive(bytes)
        #expect(expected.count == 3)
        #expect(expected[1] == .data(1, [0, 0, 0, 0, 3, 1, 2, 3], isLast: true))
        #expect(expected[2] == .pong)
        guard case .headers(1, let fields, isLast: false) = expected[0] else {
            return #expect(Bool(false), "\(expected)")
        }
        #expect(fields[":path"] == "/a.B/C" && fields["x"] == "y")
        var byteByByte = HTTP2Bench(machine: HTTP2Connection())
        #expect(try bytes.flatMap { try byteByByte.receive([$0]) } == expected)
        #expect(byteByByte.sent() == whole.sent())
    }

    @Test func `settings and pings are answered, priorities and unknown frames are not`() throws {
        var bench = HTTP2Bench()
        let ping: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8]
        let told = try bench.receive(
            RawFrames.frame(4, 0, 0, [0, 99, 0, 0, 0, 1]) + RawFrames.frame(6, 0, 0, ping)
                + RawFrames.frame(2, 0, 7, [0, 0, 0, 0, 1]) + RawFrames.frame(200, 0xFF, 9, ping)
                + RawFrames.frame(7, 0, 0, ping))
        #expect(told == [])
        let frames = bench.sent()
        #expect(frames.map(\.type) == [4, 6])
        #expect(frames.allSatisfy { $0.flags == 1 })
        #expect(frames.last?.payload == ping)
    }

    @Test func `headers may be padded, have a priority and go on in further frames`() throws {
        var bench = HTTP2Bench()
        let block = Array(RawFrames.open("/a.B/C").dropFirst(9))
        let padded = [3] + [UInt8](repeating: 0, count: 5) + block.prefix(10) + [9, 9, 9]
        let told = try bench.receive(
            RawFrames.frame(1, 8 | 32 | 1, 1, padded)
                + RawFrames.frame(9, 0, 1, Array(block[10..<20]))
                + RawFrames.frame(9, 4, 1, Array(block[20...])))
        guard case .headers(1, let fields, isLast: true)? = told.first else {
            return #expect(Bool(false), "\(told)")
        }
        #expect(fields[":path"] == "/a.B/C")
    }

    @Test func `padding of data counts for the window and is not told`() throws {
        var bench = try begun(isLast: false)
        #expect(
            try bench.receive(RawFrames.frame(0, 8, 1, [2, 7, 8, 0, 0])) == [
                .data(1, [7, 8], isLast: false)
            ])
        #expect(bench.machine.windowDebt(of: one) == 5)
        bench.machine.openWindow(of: one)
        #expect(bench.sent() == RawFrames.frames(RawFrames.frame(8, 0, 1, [0, 0, 0, 5])))
        #expect(bench.machine.windowDebt(of: one) == 0)
    }

    @Test func `an answer is headers, messages in one frame, and trailers`() throws {
        var bench = try begun()
        bench.machine.send(GRPCHeaders.response, on: one)
        #expect(bench.machine.send(message: [1], on: one) == 6)
        #expect(bench.machine.send(message: [2], on: one) == 6)
        bench.machine.finish(one, GRPCHeaders.trailers(nil))
        let frames = bench.sent()
        #expect(frames.map(\.type) == [1, 0, 1])
        #expect(frames[1].payload == [0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 2])
        #expect(frames[2].isLast)
        #expect(bench.machine.takeDepartures() == [.init(stream: one, byteCount: 12)])
        #expect(bench.machine.takeEnds() == [.init(stream: one, droppedByteCount: 0)])
        // Whatever follows is for nobody.
        #expect(bench.machine.send(message: [3], on: one) == 0)
        bench.machine.finish(one, GRPCHeaders.trailers(nil))
        bench.machine.reset(one, .noError)
        #expect(bench.sent() == [])
    }

    @Test func `a client that still sends is told to stop when its answer ends`() throws {
        var bench = try begun(isLast: false)
        bench.machine.finish(one, GRPCHeaders.only(nil))
        let frames = bench.sent()
        #expect(frames.map(\.type) == [1, 3])
        #expect(frames.last?.payload == [0, 0, 0, 0])
        // The client had not heard of it.
        #expect(
            try bench.receive(RawFrames.data([1]) + RawFrames.frame(3, 0, 1, [0, 0, 0, 8])) == [])
        #expect(bench.sent() == [])
    }

    @Test func `trailers that are larger than a frame go on in further frames`() throws {
        var bench = try begun()
        let long = String(repeating: "a", count: 40_000)
        bench.machine.finish(one, ["x": long])
        let frames = bench.sent()
        #expect(frames.map(\.type) == [1, 9, 9])
        #expect(frames.map(\.flags) == [1, 0, 4])
        #expect(frames.allSatisfy { $0.payload.count <= 16_384 })
        var decoder = HeaderDecoder(byteCountMax: 100_000, tableByteCountMax: 4_096)
        let fields = try frames.flatMap(\.payload).withUnsafeBytes { try decoder.decode($0) }
        #expect(fields == ["x": long])
    }

    @Test func `a stream that the client gives up is told with what was not sent`() throws {
        var bench = try begun()
        _ = try bench.receive(RawFrames.frame(4, 0, 0, [0, 4, 0, 0, 0, 0]))
        #expect(bench.machine.send(message: [1, 2], on: one) == 7)
        _ = try bench.receive(RawFrames.frame(3, 0, 1, [0, 0, 0, 8]))
        #expect(bench.machine.takeEnds() == [.init(stream: one, droppedByteCount: 7)])
        #expect(bench.machine.takeDepartures() == [])
    }

    @Test func `streams behind the announced last one do not begin`() throws {
        var bench = try begun()
        bench.machine.goAway(last: bench.machine.lastStream, .noError)
        #expect(bench.sent().last?.payload == [0, 0, 0, 1, 0, 0, 0, 0])
        #expect(try bench.receive(RawFrames.call("/a.B/C", on: 3, [1])) == [])
        bench.machine.finish(one, GRPCHeaders.only(nil))
        #expect(bench.sent().map(\.stream) == [1])
    }

    @Test func `the announced last stream never rises`() throws {
        var bench = try begun()
        bench.machine.goAway(last: .greatest, .noError)
        #expect(bench.sent().last?.payload == [0x7F, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0])
        bench.machine.goAway(last: bench.machine.lastStream, .noError)
        #expect(bench.sent().last?.payload == [0, 0, 0, 1, 0, 0, 0, 0])
        // A race: the client had not heard of it.
        #expect(try bench.receive(RawFrames.call("/a.B/C", on: 3, [1])) == [])
        bench.machine.goAway(last: bench.machine.lastStream, .noError)
        #expect(bench.sent().last?.payload == [0, 0, 0, 1, 0, 0, 0, 0])
        #expect(bench.fault(RawFrames.frame(5, 4, 1, [0, 0, 0, 2])) == .protocolError)
        #expect(bench.sent().last?.payload == [0, 0, 0, 1, 0, 0, 0, 1])
    }

    /// The client has forgotten all at the smallest size, whatever size it ends with.
    @Test func `a table that shrinks and grows in one frame is announced at both sizes`() throws {
        var bench = try begun()
        _ = try bench.receive(RawFrames.call("/a.B/C", on: 3, [1]))
        _ = bench.sent()
        bench.machine.send(GRPCHeaders.response, on: one)
        _ = bench.sent()
        _ = try bench.receive(RawFrames.frame(4, 0, 0, [0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 16, 0]))
        _ = bench.sent()
        bench.machine.send(GRPCHeaders.response, on: StreamID(3))
        let block = bench.sent().flatMap(\.payload)
        #expect(block.prefix(4) == [0x20, 0x3F, 0xE1, 0x1F])
        // It is read by a client whose table is empty.
        var decoder = HeaderDecoder(byteCountMax: 65_536, tableByteCountMax: 4_096)
        let fields = try block.withUnsafeBytes { try decoder.decode($0) }
        #expect(fields == GRPCHeaders.response)
    }

    @Test func `trailers of a client end its side`() throws {
        var bench = try begun(isLast: false)
        let told = try bench.receive(RawFrames.frame(1, 5, 1, []))
        #expect(told == [.headers(1, [:], isLast: true)])
        bench.machine.finish(one, GRPCHeaders.only(nil))
        #expect(bench.sent().map(\.type) == [1])
    }
}
