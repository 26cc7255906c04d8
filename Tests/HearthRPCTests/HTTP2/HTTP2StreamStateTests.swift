import HearthTestSupport
import Testing

@testable import HearthRPC

/// What each frame of a stream does in each state of the stream.
///
/// Source: RFC 9113, 5.1 and 6.
struct HTTP2StreamStateTests {
    /// A state of the stream 5, as the server sees the stream.
    enum State: CaseIterable {
        /// The stream has not begun.
        case idle
        /// The client goes on.
        case open
        /// The client has ended its side, and the answer has not come.
        case halfClosed
        /// The client has given the stream up.
        case givenUp
        /// Both sides have ended.
        case answered
        /// The server has ended the stream, and the client may not have heard of the end.
        case endedByServer
        /// A later stream has begun in the place of this one.
        case skipped

        /// A connection on which the stream is in this state.
        func bench() throws -> HTTP2Bench {
            var bench = HTTP2Bench()
            _ = try bench.receive(RawFrames.open("/a", on: 1))
            switch self {
            case .idle: break
            case .open: _ = try bench.receive(RawFrames.open("/a", on: 5))
            case .halfClosed: _ = try bench.receive(RawFrames.call("/a", on: 5, [1]))
            case .givenUp:
                _ = try bench.receive(RawFrames.open("/a", on: 5) + HTTP2StreamStateTests.reset)
            case .answered:
                _ = try bench.receive(RawFrames.call("/a", on: 5, [1]))
                bench.machine.finish(StreamID(5), GRPCHeaders.only(nil))
            case .endedByServer:
                _ = try bench.receive(RawFrames.open("/a", on: 5))
                bench.machine.finish(StreamID(5), GRPCHeaders.only(nil))
            case .skipped: _ = try bench.receive(RawFrames.open("/a", on: 7))
            }
            _ = bench.sent()
            _ = bench.machine.takeEnds()
            return bench
        }
    }

    /// What comes of a frame.
    enum Outcome: Equatable {
        /// A call hears of the frame.
        case told
        /// Nobody hears of the frame, and all goes on.
        case ignored
        /// The stream ends with an error.
        case reset(HTTP2Code)
        /// The connection ends with an error.
        case goAway(HTTP2Code)
    }

    static let reset = RawFrames.frame(3, 0, 5, [0, 0, 0, 8])
    private static let eight = [UInt8](repeating: 0, count: 8)

    /// The outcome of a frame that does the same in all states.
    private static func everywhere(_ outcome: Outcome) -> [Outcome] {
        State.allCases.map { _ in outcome }
    }

    /// The frames, each with its outcome in the states in their order.
    static let frames: [(name: String, bytes: [UInt8], outcomes: [Outcome])] = [
        (
            "data", RawFrames.data(on: 5, [1]),
            [
                .goAway(.protocolError), .told, .reset(.streamClosed), .reset(.streamClosed),
                .reset(.streamClosed), .ignored, .ignored,
            ]
        ),
        (
            "the last data", RawFrames.data(on: 5, isLast: true, [1]),
            [
                .goAway(.protocolError), .told, .reset(.streamClosed), .reset(.streamClosed),
                .reset(.streamClosed), .ignored, .ignored,
            ]
        ),
        (
            "headers", RawFrames.open("/a", on: 5),
            [
                .told, .reset(.protocolError), .reset(.streamClosed), .goAway(.streamClosed),
                .goAway(.streamClosed), .ignored, .goAway(.protocolError),
            ]
        ),
        (
            "trailers", RawFrames.frame(1, 5, 5, []),
            [
                .reset(.protocolError), .told, .reset(.streamClosed), .goAway(.streamClosed),
                .goAway(.streamClosed), .ignored, .goAway(.protocolError),
            ]
        ),
        (
            "priority", RawFrames.frame(2, 0, 5, [0, 0, 0, 0, 0]),
            everywhere(.ignored)
        ),
        (
            "a priority of four bytes", RawFrames.frame(2, 0, 5, [0, 0, 0, 0]),
            [
                .goAway(.frameSizeError), .reset(.frameSizeError), .reset(.frameSizeError),
                .goAway(.frameSizeError), .goAway(.frameSizeError), .goAway(.frameSizeError),
                .goAway(.frameSizeError),
            ]
        ),
        (
            "a reset", reset,
            [.goAway(.protocolError), .told, .told, .ignored, .ignored, .ignored, .ignored]
        ),
        (
            "a reset of five bytes", RawFrames.frame(3, 0, 5, [0, 0, 0, 8, 0]),
            everywhere(.goAway(.frameSizeError))
        ),
        (
            "settings", RawFrames.frame(4, 0, 5, []),
            everywhere(.goAway(.protocolError))
        ),
        (
            "a promise", RawFrames.frame(5, 4, 5, [0, 0, 0, 2]),
            everywhere(.goAway(.protocolError))
        ),
        (
            "a ping", RawFrames.frame(6, 0, 5, eight),
            everywhere(.goAway(.protocolError))
        ),
        (
            "a goodbye", RawFrames.frame(7, 0, 5, eight),
            everywhere(.goAway(.protocolError))
        ),
        (
            "room", RawFrames.frame(8, 0, 5, [0, 0, 0, 1]),
            [
                .goAway(.protocolError), .ignored, .ignored, .ignored, .ignored, .ignored, .ignored,
            ]
        ),
        (
            "no room", RawFrames.frame(8, 0, 5, [0, 0, 0, 0]),
            [
                .goAway(.protocolError), .reset(.protocolError), .reset(.protocolError), .ignored,
                .ignored, .ignored, .ignored,
            ]
        ),
        (
            "room of three bytes", RawFrames.frame(8, 0, 5, [0, 0, 1]),
            everywhere(.goAway(.frameSizeError))
        ),
        (
            "a continuation", RawFrames.frame(9, 4, 5, []),
            everywhere(.goAway(.protocolError))
        ),
        (
            "a frame of an unknown type", RawFrames.frame(0x20, 0xFF, 5, eight),
            everywhere(.ignored)
        ),
    ]

    private func outcome(_ bytes: [UInt8], _ bench: inout HTTP2Bench) -> Outcome {
        do {
            let told = try bench.receive(bytes)
            let ends = bench.machine.takeEnds()
            let reset = bench.sent().first { $0.type == 3 && $0.stream == 5 }
            if let code = reset?.payload.last.flatMap({ HTTP2Code(rawValue: UInt32($0)) }) {
                return .reset(code)
            }
            return told.isEmpty && ends.isEmpty ? .ignored : .told
        } catch {
            let code = (error as? HTTP2Fault)?.code
            return code.map { Outcome.goAway($0) } ?? .told
        }
    }

    @Test(arguments: State.allCases)
    func `each frame does in each state what HTTP/2 says`(state: State) throws {
        let index = try #require(State.allCases.firstIndex(of: state))
        for (name, bytes, outcomes) in Self.frames {
            var bench = try state.bench()
            #expect(outcomes.count == State.allCases.count, "\(name)")
            #expect(outcome(bytes, &bench) == outcomes[index], "\(name), \(state)")
            if case .goAway = outcomes[index] { continue }
            // Whoever goes on has its next call taken.
            let told = try bench.receive(RawFrames.call("/a", on: 9, [1]))
            #expect(told.count == 2, "\(name), \(state)")
        }
    }

    /// The fields of the late block are in the table, and the next block names them.
    @Test func `headers of a stream that the server has ended are read and dropped`() throws {
        var bench = try State.endedByServer.bench()
        let late: [UInt8] = [0x40, 1, 0x61, 1, 0x62]
        #expect(try bench.receive(RawFrames.frame(1, 5, 5, late)) == [])
        let next = Array(RawFrames.open("/a", on: 9).dropFirst(9)) + [0xBE]
        guard
            case .headers(9, let fields, isLast: false)? =
                try bench.receive(RawFrames.frame(1, 4, 9, next)).first
        else { return #expect(Bool(false), "no call began") }
        #expect(fields["a"] == "b")
    }

    @Test func `a client that has ended a stream that was over sends nothing more on it`() throws {
        for last in [Self.reset, RawFrames.frame(1, 5, 5, []), RawFrames.frame(0, 1, 5, [1])] {
            var bench = try State.endedByServer.bench()
            #expect(outcome(last, &bench) == .ignored)
            #expect(outcome(RawFrames.data(on: 5, [1]), &bench) == .reset(.streamClosed))
            #expect(bench.fault(RawFrames.open("/a", on: 5)) == .streamClosed)
        }
    }

    @Test func `streams that were never served are tolerated like those that the server ended`()
        throws
    {
        var bench = HTTP2Bench()
        _ = try bench.receive(RawFrames.open("/a", on: 1))
        bench.machine.goAway(last: bench.machine.lastStream, .noError)
        _ = bench.sent()
        let late = RawFrames.open("/a", on: 5) + RawFrames.data(on: 5, [1])
        #expect(try bench.receive(late + RawFrames.frame(1, 5, 5, [])) == [])
        #expect(bench.sent() == [])
    }

    @Test func `few ended streams are remembered, and those that the server ended longest`() {
        var ended = EndedStreams()
        ended.add(StreamID(1), isClientDone: false)
        for number in 1...UInt32(ConnectionLimits.unheardEndCountMax) {
            ended.add(StreamID(2 * number + 1), isClientDone: true)
        }
        #expect(ended.ending(of: StreamID(1)) == .byServer)
        #expect(ended.ending(of: StreamID(3)) == nil)
        let last = StreamID(2 * UInt32(ConnectionLimits.unheardEndCountMax) + 1)
        #expect(ended.ending(of: last) == .byClient)
        for number in 0..<UInt32(ConnectionLimits.unheardEndCountMax) {
            ended.add(StreamID(2 * number + 10_001), isClientDone: false)
        }
        #expect(ended.ending(of: StreamID(1)) == nil)
        #expect(ended.ending(of: StreamID(10_001)) == .byServer)
    }
}
