import HearthTestSupport
import Testing

@testable import HearthRPC

/// Blocks of headers that are written well and that no client may send.
struct HeaderFormTests {
    private static let head = [
        (":method", "POST"), (":scheme", "http"), (":path", "/a.B/C"),
    ]

    /// What makes headers malformed that follows the others.
    static let malformed: [(name: String, fields: [(String, String)])] = [
        ("a capital", [("Te", "trailers")]),
        ("a space in a name", [("a b", "c")]),
        ("a colon in a name", [("a:b", "c")]),
        ("a name that is not ASCII", [("\u{E4}", "c")]),
        ("a field of HTTP/2 behind a header", [("a", "b"), (":authority", "here")]),
        ("two paths", [(":path", "/a.B/D")]),
        ("a status", [(":status", "200")]),
        ("an unknown field of HTTP/2", [(":colour", "red")]),
        ("connection", [("connection", "close")]),
        ("keep-alive", [("keep-alive", "1")]),
        ("proxy-connection", [("proxy-connection", "close")]),
        ("transfer-encoding", [("transfer-encoding", "chunked")]),
        ("upgrade", [("upgrade", "h2c")]),
        ("another te", [("te", "gzip")]),
    ]

    private static func block(
        _ fields: [(String, String)], on stream: UInt32 = 1, isLast: Bool = false
    ) -> [UInt8] {
        RawFrames.frame(1, isLast ? 5 : 4, stream, RawServer.headers(fields))
    }

    @Test(arguments: malformed.indices)
    func `headers that nobody may send reset their stream, and others go on`(index: Int) throws {
        let (name, fields) = Self.malformed[index]
        var bench = HTTP2Bench()
        #expect(try bench.receive(Self.block(Self.head + fields)) == [], "\(name)")
        #expect(
            bench.sent() == RawFrames.frames(RawFrames.frame(3, 0, 1, [0, 0, 0, 1])), "\(name)")
        #expect(bench.machine.streams.isEmpty, "\(name)")
        #expect(bench.machine.takeEnds() == [], "\(name)")
        #expect(try bench.receive(RawFrames.call("/a.B/C", on: 3, [1])).count == 2, "\(name)")
    }

    @Test func `honest headers are taken`() throws {
        var bench = HTTP2Bench()
        let fields =
            Self.head + [
                (":authority", "here"), ("te", "trailers"), ("x-a_b.c~", "D"), ("x-a_b.c~", "E"),
            ]
        #expect(try bench.receive(Self.block(fields)).count == 1)
        #expect(bench.sent() == [])
    }

    @Test func `trailers have no fields of HTTP/2`() throws {
        for (fields, isSound) in [([("a", "b")], true), ([(":path", "/a.B/C")], false)] {
            var bench = HTTP2Bench()
            _ = try bench.receive(Self.block(Self.head))
            let told = try bench.receive(Self.block(fields, isLast: true))
            #expect(told.isEmpty == !isSound)
            let types: [UInt8] = isSound ? [] : [3]
            #expect(bench.sent().map(\.type) == types)
            #expect(bench.machine.takeEnds().count == types.count)
        }
    }

    /// The block that came before is not read again, and neither is what it can be.
    @Test func `a block that comes again is judged as before`() throws {
        var bench = HTTP2Bench()
        for id in [1, 7, 13] as [UInt32] {
            // The second headers of a stream break another rule.
            for _ in 0..<2 { _ = try bench.receive(Self.block(Self.head, on: id)) }
            let bad = Self.head + [("upgrade", "h2c")]
            #expect(try bench.receive(Self.block(bad, on: id + 2)) == [])
            #expect(try bench.receive(Self.block(bad, on: id + 4)) == [])
        }
        #expect(bench.sent().map(\.stream) == [1, 3, 5, 7, 9, 11, 13, 15, 17])
    }

    @Test func `malformed headers are counted`() throws {
        var bench = HTTP2Bench()
        let fields = Self.head + [("upgrade", "h2c")]
        for number in 0..<UInt32(ConnectionLimits.streamFaultCountMax) {
            _ = try bench.receive(Self.block(fields, on: 2 * number + 1))
        }
        #expect(bench.fault(Self.block(fields, on: 999)) == .enhanceYourCalm)
    }
}
