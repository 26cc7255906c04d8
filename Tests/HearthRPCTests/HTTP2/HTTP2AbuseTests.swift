import HearthTestSupport
import Testing

@testable import HearthRPC

/// Clients that break HTTP/2's rules, or keep them and want too much.
struct HTTP2AbuseTests {
    /// Bytes that break a rule of the connection, and the code that tells so.
    static let faults: [(name: String, bytes: [UInt8], code: HTTP2Code)] = [
        ("data of no stream", RawFrames.frame(0, 0, 0, [1]), .protocolError),
        ("data of a stream to come", RawFrames.frame(0, 0, 1, [1]), .protocolError),
        ("headers of an even stream", RawFrames.open("/a", on: 2), .protocolError),
        ("headers of no stream", RawFrames.open("/a", on: 0), .protocolError),
        ("headers that are no block", RawFrames.frame(1, 4, 1, [0x80]), .compressionError),
        ("padding beyond the frame", RawFrames.frame(1, 12, 1, [5, 0x82]), .protocolError),
        ("padding of nothing", RawFrames.frame(1, 12, 1, []), .frameSizeError),
        ("half a priority", RawFrames.frame(1, 36, 1, [0, 0, 0]), .frameSizeError),
        ("a priority of no stream", RawFrames.frame(2, 0, 0, [0, 0, 0, 0, 0]), .protocolError),
        ("a short priority of a stream to come", RawFrames.frame(2, 0, 1, [0]), .frameSizeError),
        ("a reset of no stream", RawFrames.frame(3, 0, 0, [0, 0, 0, 8]), .protocolError),
        ("a reset of a stream to come", RawFrames.frame(3, 0, 1, [0, 0, 0, 8]), .protocolError),
        ("a short reset", RawFrames.open("/a") + RawFrames.frame(3, 0, 1, [8]), .frameSizeError),
        ("a short reset of a stream to come", RawFrames.frame(3, 0, 1, [8]), .frameSizeError),
        ("a long reset", RawFrames.frame(3, 0, 1, [0, 0, 0, 8, 0]), .frameSizeError),
        ("settings of a stream", RawFrames.frame(4, 0, 1, []), .protocolError),
        ("half a setting", RawFrames.frame(4, 0, 0, [0, 4, 0]), .frameSizeError),
        ("an acknowledgement with bytes", RawFrames.frame(4, 1, 0, [0]), .frameSizeError),
        ("push by 2", RawFrames.frame(4, 0, 0, [0, 2, 0, 0, 0, 2]), .protocolError),
        ("too large a window", RawFrames.frame(4, 0, 0, [0, 4, 128, 0, 0, 0]), .flowControlError),
        ("too small a frame", RawFrames.frame(4, 0, 0, [0, 5, 0, 0, 1, 0]), .protocolError),
        ("a pushed stream", RawFrames.frame(5, 4, 1, [0, 0, 0, 2]), .protocolError),
        ("a short ping", RawFrames.frame(6, 0, 0, [1]), .frameSizeError),
        ("a long ping", RawFrames.frame(6, 0, 0, [UInt8](repeating: 0, count: 9)), .frameSizeError),
        (
            "a ping of a stream", RawFrames.frame(6, 0, 1, [UInt8](repeating: 0, count: 8)),
            .protocolError
        ),
        ("a short goodbye", RawFrames.frame(7, 0, 0, [0]), .frameSizeError),
        (
            "a goodbye of a stream", RawFrames.frame(7, 0, 1, [UInt8](repeating: 0, count: 8)),
            .protocolError
        ),
        ("no room", RawFrames.frame(8, 0, 0, [0, 0, 0, 0]), .protocolError),
        ("half a room", RawFrames.frame(8, 0, 0, [0, 1]), .frameSizeError),
        ("half a room of a stream to come", RawFrames.frame(8, 0, 9, [0, 1]), .frameSizeError),
        ("more than a room", RawFrames.frame(8, 0, 0, [0, 0, 0, 1, 0]), .frameSizeError),
        ("room of a stream to come", RawFrames.frame(8, 0, 9, [0, 0, 0, 1]), .protocolError),
        ("a continuation of nothing", RawFrames.frame(9, 4, 1, []), .protocolError),
        (
            "a block that is interrupted",
            RawFrames.frame(1, 0, 1, [])
                + RawFrames.frame(6, 0, 0, [UInt8](repeating: 0, count: 8)),
            .protocolError
        ),
        (
            "a block that goes on for another stream",
            RawFrames.frame(1, 0, 1, []) + RawFrames.frame(9, 4, 3, []), .protocolError
        ),
        ("a huge frame", [0xFF, 0xFF, 0xFF, 0, 0, 0, 0, 0, 1], .frameSizeError),
    ]

    @Test(arguments: faults.indices)
    func `who breaks a rule of the connection is sent away with the rule's code`(index: Int) {
        let (name, bytes, code) = Self.faults[index]
        var bench = HTTP2Bench()
        #expect(bench.fault(bytes) == code, "\(name)")
        let goodbye = bench.sent().last
        #expect(goodbye?.type == 7, "\(name)")
        #expect(goodbye?.payload.last == UInt8(code.rawValue), "\(name)")
    }

    @Test func `a connection must begin as HTTP/2 does`() {
        var bench = HTTP2Bench(machine: HTTP2Connection())
        #expect(bench.fault(Array("PRI * HTTP/1.1\r\n".utf8)) == .protocolError)
        bench = HTTP2Bench(machine: HTTP2Connection())
        let preface = Array(RawFrames.greeting.prefix(24))
        #expect(bench.fault(preface + RawFrames.frame(4, 1, 0, [])) == .protocolError)
        bench = HTTP2Bench(machine: HTTP2Connection())
        #expect(bench.fault(preface + RawFrames.open("/a")) == .protocolError)
    }

    @Test func `who breaks a rule of a stream loses the stream`() throws {
        let ended = RawFrames.call("/a", [1])
        for (bytes, code) in [
            (ended + RawFrames.data([1]), HTTP2Code.streamClosed),
            (ended + RawFrames.frame(1, 5, 1, []), .streamClosed),
            (RawFrames.open("/a") + RawFrames.open("/a"), .protocolError),
            (RawFrames.open("/a") + RawFrames.frame(8, 0, 1, [0, 0, 0, 0]), .protocolError),
            (RawFrames.open("/a") + RawFrames.frame(2, 0, 1, [0, 0, 0, 0]), .frameSizeError),
        ] {
            var bench = HTTP2Bench()
            #expect(bench.fault(bytes) == nil)
            let reset = bench.sent().last
            #expect(reset?.type == 3)
            #expect(reset?.payload.last == UInt8(code.rawValue))
            #expect(bench.machine.takeEnds().map(\.stream) == [StreamID(1)])
            #expect(try bench.receive(RawFrames.call("/a", on: 3, [1])).count == 2)
        }
    }

    @Test(arguments: [
        (
            ConnectionLimits.pingCountMax,
            RawFrames.frame(6, 0, 0, [1, 2, 3, 4, 5, 6, 7, 8])
        ),
        (ConnectionLimits.controlFrameCountMax, RawFrames.frame(4, 0, 0, [])),
        (ConnectionLimits.controlFrameCountMax, RawFrames.frame(2, 0, 1, [0, 0, 0, 0, 1])),
        (ConnectionLimits.emptyDataCountMax, RawFrames.frame(0, 0, 1, [])),
    ])
    func `what comes too often ends the connection, and no sooner`(count: Int, frame: [UInt8])
        throws
    {
        var bench = HTTP2Bench()
        _ = try bench.receive(RawFrames.open("/a"))
        bench.now += .seconds(60)  // The greeting counts in the minute before.
        for _ in 0..<count { _ = try bench.receive(frame) }
        #expect(bench.fault(frame) == .enhanceYourCalm)
    }

    /// A client that measures the line, as Go's does, pings for nearly every answer.
    @Test func `pings between answers are as many as the client likes, and others are not`() throws
    {
        var bench = HTTP2Bench()
        let ping = RawFrames.frame(6, 0, 0, [1, 2, 3, 4, 5, 6, 7, 8])
        for number in 0..<UInt32(ConnectionLimits.pingCountMax + 100) {
            let id = StreamID(2 * number + 1)
            _ = try bench.receive(RawFrames.call("/a", on: id.number, [1]) + ping)
            bench.machine.send(GRPCHeaders.response, on: id)
            _ = bench.machine.send(message: [1], on: id)
            bench.machine.finish(id, GRPCHeaders.trailers(nil))
            _ = bench.sent()
        }
        for _ in 0..<ConnectionLimits.pingCountMax { _ = try bench.receive(ping) }
        #expect(bench.fault(ping) == .enhanceYourCalm)
    }

    @Test func `acknowledgements are not counted`() throws {
        var bench = HTTP2Bench()
        let pong = RawFrames.frame(6, 1, 0, [1, 2, 3, 4, 5, 6, 7, 8])
        let known = RawFrames.frame(4, 1, 0, [])
        for _ in 0..<ConnectionLimits.controlFrameCountMax + 100 {
            #expect(try bench.receive(pong + known) == [.pong])
        }
        #expect(bench.sent() == [])
    }

    @Test func `data without bytes on streams that follow each other is allowed`() throws {
        var bench = HTTP2Bench()
        for id in [1, 3, 5] as [UInt32] {
            _ = try bench.receive(RawFrames.open("/a", on: id) + RawFrames.frame(0, 0, id, []))
        }
        for id in [1, 3, 5] as [UInt32] {
            _ = try bench.receive(RawFrames.data(on: id, [1]) + RawFrames.frame(0, 0, id, []))
        }
        #expect(bench.fault(RawFrames.frame(0, 0, 1, [])) == .enhanceYourCalm)
    }

    private func giveUp(_ number: Int) -> [UInt8] {
        RawFrames.frame(3, 0, UInt32(2 * number + 1), [0, 0, 0, 8])
    }

    private func open(_ number: Int) -> [UInt8] {
        RawFrames.open("/a", on: UInt32(2 * number + 1))
    }

    @Test func `calls that are given up before an answer are counted for a minute`() throws {
        var bench = HTTP2Bench()
        let count = ConnectionLimits.earlyResetCountMax
        for number in 0..<count { _ = try bench.receive(open(number) + giveUp(number)) }
        bench.now += ConnectionLimits.rateSpan
        for number in count..<2 * count {
            _ = try bench.receive(open(number) + giveUp(number))
        }
        #expect(bench.machine.streams.isEmpty)
        #expect(bench.fault(open(2 * count) + giveUp(2 * count)) == .enhanceYourCalm)
        let goodbye = bench.sent().last
        #expect(goodbye?.type == 7)
        #expect(goodbye?.payload.last == UInt8(HTTP2Code.enhanceYourCalm.rawValue))
    }

    /// A suite of tests closes its listeners, and each has heard something.
    @Test func `calls that are given up behind an answer may be more, and are counted too`() throws
    {
        var bench = HTTP2Bench()
        let count = ConnectionLimits.resetCountMax
        #expect(count > ConnectionLimits.earlyResetCountMax)
        for number in 0...count {
            _ = try bench.receive(open(number))
            bench.machine.send(GRPCHeaders.response, on: StreamID(UInt32(2 * number + 1)))
            _ = bench.sent()
            if number == count { break }
            _ = try bench.receive(giveUp(number))
        }
        #expect(bench.fault(giveUp(count)) == .enhanceYourCalm)
    }

    @Test func `who gives all calls up that may be under way goes on`() throws {
        var bench = HTTP2Bench()
        let count = ConnectionLimits.streamCountMax
        for round in 0..<4 {
            for number in 0..<count { _ = try bench.receive(open(round * count + number)) }
            for number in 0..<count { _ = try bench.receive(giveUp(round * count + number)) }
        }
        #expect(try bench.receive(RawFrames.call("/a", on: 99_999, [1])).count == 2)
    }

    @Test func `streams that are used wrongly are counted`() throws {
        var bench = HTTP2Bench()
        for number in 0..<ConnectionLimits.streamFaultCountMax {
            let id = UInt32(2 * number + 1)
            _ = try bench.receive(RawFrames.open("/a", on: id) + RawFrames.open("/a", on: id))
        }
        #expect(
            bench.fault(RawFrames.open("/a", on: 999) + RawFrames.open("/a", on: 999))
                == .enhanceYourCalm)
    }

    @Test func `a block of headers is bounded in bytes and in frames`() throws {
        var bench = HTTP2Bench()
        let part = [UInt8](repeating: 0, count: 16_384)
        _ = try bench.receive(RawFrames.frame(1, 0, 1, part))
        for _ in 0..<3 { _ = try bench.receive(RawFrames.frame(9, 0, 1, part)) }
        #expect(bench.fault(RawFrames.frame(9, 0, 1, [0])) == .enhanceYourCalm)
        bench = HTTP2Bench()
        _ = try bench.receive(RawFrames.frame(1, 0, 1, []))
        for _ in 0..<5 { _ = try bench.receive(RawFrames.frame(9, 0, 1, [])) }
        #expect(bench.fault(RawFrames.frame(9, 0, 1, [])) == .enhanceYourCalm)
    }

    @Test func `more streams than there may be are refused, and who knows it is sent away`()
        throws
    {
        let count = UInt32(ConnectionLimits.streamCountMax)
        for areSettingsKnown in [false, true] {
            var bench = HTTP2Bench(areSettingsKnown: areSettingsKnown)
            for number in 0..<count {
                _ = try bench.receive(RawFrames.open("/a", on: 2 * number + 1))
            }
            let fault = bench.fault(RawFrames.open("/a", on: 2 * count + 1))
            #expect(fault == (areSettingsKnown ? .protocolError : nil))
            #expect(bench.sent().last?.type == (areSettingsKnown ? 7 : 3))
            #expect(bench.machine.streams.count == Int(count))
        }
    }

    @Test func `streams that are reset while they wait for room leave nothing`() throws {
        var bench = HTTP2Bench()
        _ = try bench.receive(RawFrames.call("/a", on: 1, [1]))
        _ = bench.machine.send(message: [UInt8](repeating: 1, count: 70_000), on: StreamID(1))
        for number in 1..<UInt32(10_000) {
            let id = 2 * number + 1
            _ = try bench.receive(RawFrames.call("/a", on: id, [1]))
            bench.machine.send(GRPCHeaders.response, on: StreamID(id))
            #expect(bench.machine.send(message: [1], on: StreamID(id)) == 6)
            _ = try bench.receive(RawFrames.frame(3, 0, id, [0, 0, 0, 8]))
            #expect(bench.machine.takeEnds().count == 1)
        }
        #expect(bench.machine.streams.count == 1)
        #expect(bench.machine.queue.count <= 2 * ConnectionLimits.streamCountMax + 1)
    }
}
