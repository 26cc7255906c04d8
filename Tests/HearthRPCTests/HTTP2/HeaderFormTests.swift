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
        ("a byte 0 in a value", [("a", "b\u{0}c")]),
        ("a line in a value", [("a", "b\nc")]),
        ("half the end of a line in a value", [("a", "b\rc")]),
        ("a length that is none", [("content-length", "few")]),
        ("a length without a number", [("content-length", "")]),
        ("a length with a sign", [("content-length", "+6")]),
        ("a length below none", [("content-length", "-1")]),
        ("a length beyond all numbers", [("content-length", "99999999999999999999")]),
        ("two lengths", [("content-length", "6"), ("content-length", "7")]),
    ]

    /// What a request lacks, or has empty.
    static let wanting: [(name: String, fields: [(String, String)])] = [
        ("nothing at all", []),
        ("no method", [(":scheme", "http"), (":path", "/a")]),
        ("no scheme", [(":method", "POST"), (":path", "/a")]),
        ("no path", [(":method", "POST"), (":scheme", "http")]),
        ("only an authority", [(":authority", "here")]),
        ("an empty path", [(":method", "POST"), (":scheme", "http"), (":path", "")]),
        ("an empty method", [(":method", ""), (":scheme", "http"), (":path", "/a")]),
        ("a tunnel with a path", [(":method", "CONNECT"), (":authority", "b"), (":path", "/a")]),
        ("a tunnel to nowhere", [(":method", "CONNECT")]),
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

    @Test(arguments: wanting.indices)
    func `a request must have a method, a scheme and a path`(index: Int) throws {
        let (name, fields) = Self.wanting[index]
        var bench = HTTP2Bench()
        #expect(try bench.receive(Self.block(fields + [("a", "b")])) == [], "\(name)")
        #expect(
            bench.sent() == RawFrames.frames(RawFrames.frame(3, 0, 1, [0, 0, 0, 1])), "\(name)")
        // A race: the client has not heard of the reset.
        #expect(try bench.receive(RawFrames.data([1])) == [], "\(name)")
        #expect(bench.sent() == [], "\(name)")
    }

    @Test func `a request for a tunnel has neither scheme nor path`() {
        let form = HeaderForm([":method": "CONNECT", ":authority": "here:1"])
        #expect(form == .request(byteCount: nil))
    }

    /// Calls as libraries write them.
    static let honest: [[(String, String)]] = [
        // grpc-core and what stands on it: C++, Python, Ruby.
        [
            (":path", "/a.B/C"), (":authority", "localhost:1"), (":method", "POST"),
            (":scheme", "http"), ("te", "trailers"), ("content-type", "application/grpc"),
            ("grpc-accept-encoding", "identity, deflate, gzip"), ("grpc-timeout", "59999m"),
            ("user-agent", "grpc-python/1.70.0 grpc-c/45.0.0 (linux; chttp2)"),
        ],
        // grpc-go.
        [
            (":method", "POST"), (":scheme", "http"), (":path", "/a.B/C"), (":authority", "here"),
            ("content-type", "application/grpc"), ("user-agent", "grpc-go/1.70.0"),
            ("te", "trailers"), ("x-empty", ""), ("x-of-many-words", "a  b\tc"),
        ],
        // Node writes the date and the length of some requests.
        [
            (":authority", "here"), (":method", "POST"), (":path", "/a.B/C"), (":scheme", "http"),
            ("grpc-accept-encoding", "identity,deflate,gzip"), ("te", "trailers"),
            ("cookie", "a=b"), ("cookie", "c=d"), ("content-length", "6"),
        ],
        // A proxy in between, such as Envoy.
        [
            (":method", "POST"), (":scheme", "https"), (":path", "/a.B/C?x=%20y"),
            (":authority", "[::1]:80"), ("x-forwarded-proto", "https"),
            ("x-request-id", "1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed"), ("x-text", "\u{E4}\u{F6}"),
            ("content-length", "6"), ("content-length", "6"),
        ],
    ]

    @Test(arguments: honest.indices)
    func `what client libraries send is taken`(index: Int) throws {
        var bench = HTTP2Bench()
        #expect(try bench.receive(Self.block(Self.honest[index])).count == 1)
        #expect(try bench.receive(RawFrames.data(isLast: true, [1])).count == 1)
        #expect(bench.sent() == [])
    }

    /// Streams with a length, the data that follow, and whether the stream goes on.
    static let lengths: [(name: String, length: String, data: [[UInt8]], isSound: Bool)] = [
        ("all at once", "6", [RawFrames.data(isLast: true, [1])], true),
        (
            "in parts", "8",
            [
                RawFrames.frame(0, 0, 1, [1, 2, 3]),
                RawFrames.frame(0, 9, 1, [3, 1, 2, 3, 4, 5, 0, 0, 0]),
            ], true
        ),
        ("ended by trailers", "6", [RawFrames.data([1]), RawFrames.frame(1, 5, 1, [])], true),
        ("nothing", "0", [RawFrames.frame(0, 1, 1, [])], true),
        ("too much", "5", [RawFrames.data([1])], false),
        ("too much in the end", "5", [RawFrames.data(isLast: true, [1])], false),
        ("too little", "7", [RawFrames.data(isLast: true, [1])], false),
        (
            "too little before trailers", "7",
            [
                RawFrames.data([1]), RawFrames.frame(1, 5, 1, []),
            ], false
        ),
        ("something for nothing", "0", [RawFrames.data([1])], false),
    ]

    @Test(arguments: lengths.indices)
    func `data are as long as the client has said`(index: Int) throws {
        let (name, length, data, isSound) = Self.lengths[index]
        var bench = HTTP2Bench()
        #expect(
            try bench.receive(Self.block(Self.head + [("content-length", length)])).count == 1)
        for (number, frame) in data.enumerated() {
            let isTold = isSound || number < data.count - 1
            #expect(try bench.receive(frame).isEmpty != isTold, "\(name)")
        }
        let reset = isSound ? [] : RawFrames.frame(3, 0, 1, [0, 0, 0, 1])
        #expect(bench.sent() == RawFrames.frames(reset), "\(name)")
        #expect(bench.machine.takeEnds().isEmpty == isSound, "\(name)")
        #expect(try bench.receive(RawFrames.call("/a.B/C", on: 3, [1])).count == 2, "\(name)")
    }

    @Test func `a request without data announces none`() throws {
        for (length, isSound) in [("0", true), ("6", false)] {
            var bench = HTTP2Bench()
            let block = Self.block(Self.head + [("content-length", length)], isLast: true)
            #expect(try bench.receive(block).isEmpty == !isSound)
            let types: [UInt8] = isSound ? [] : [3]
            #expect(bench.sent().map(\.type) == types)
        }
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
