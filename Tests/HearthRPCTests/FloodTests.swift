import HearthTestSupport
import Testing

@testable import HearthRPC

/// Peers that send more than anybody could want.
@Suite(.timeLimit(.minutes(1)))
struct FloodTests {
    /// Type 6, eight bytes.
    private static let ping = RawFrames.frame(6, 0, 0, Array(repeating: 1, count: 8))

    @Test func `a peer that floods with pings is sent away, and others are served`() async throws {
        try await withEchoServer { _, server in
            let flood = Array(
                repeating: Self.ping, count: ConnectionLimits.controlFrameCountMax + 100
            ).joined()
            let frames = RawFrames.frames(try await server.exchange(RawFrames.greeting + flood))
            let goodbye = frames.first { $0.type == 7 }
            // Its reason is the second number: ENHANCE_YOUR_CALM.
            #expect(goodbye.map { Array($0.payload[4..<8]) } == [0, 0, 0, 11])
            try await server.withClient { client in
                let told = try await client.call("Say", "calm")
                #expect(told.messages == ["calm"])
            }
        }
    }

    @Test func `a peer that begins more calls than it may is sent away, and others are served`()
        async throws
    {
        try await withEchoServer { service, server in
            let calls = (0...ConnectionLimits.streamCountMax).flatMap {
                RawFrames.call("/echo.Echo/Wait", on: UInt32(2 * $0 + 1), [1])
            }
            // Until the client has acknowledged the server's settings, HTTP/2's own count holds.
            let acknowledgement = RawFrames.frame(4, 1, 0, [])
            let frames = RawFrames.frames(
                try await server.exchange(RawFrames.greeting + acknowledgement + calls))
            let goodbye = frames.first { $0.type == 7 }
            // PROTOCOL_ERROR, since what the call too many sends is for no stream.
            #expect(goodbye.map { Array($0.payload[4..<8]) } == [0, 0, 0, 1])
            #expect(service.waitingCount == ConnectionLimits.streamCountMax)
            service.release()
            try await server.withClient { client in
                let told = try await client.call("Say", "free")
                #expect(told.messages == ["free"])
            }
        }
    }
}
