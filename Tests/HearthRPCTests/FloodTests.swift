import HearthTestSupport
import Synchronization
import Testing

@testable import HearthRPC

/// Peers that send more than anybody could want, or read nothing.
@Suite(.timeLimit(.minutes(1)))
struct FloodTests {
    @Test(arguments: HostilePeer.allCases)
    func `a peer that misuses HTTP/2 is sent away, and others are served`(peer: HostilePeer)
        async throws
    {
        try await withEchoServer { _, server in
            let answer = try await server.exchange(peer.bytes(calling: "/echo.Echo/Wait"))
            #expect(HostilePeer.isSentAway(answer))
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

    @Test func `a peer that reads nothing has no more made for it than it is sent`() async throws {
        try await withEchoServer { service, server in
            let address = server.address
            let asking = Task.detached {
                // It gives no room beyond what HTTP/2 begins with.
                try HTTPConnection(to: address).exchange(
                    RawFrames.greeting + RawFrames.call("/echo.Echo/Count", [1]))
            }
            // As much as may wait to be sent, and nothing while no room comes.
            let waiting = 256..<(256 + 64 + 64)
            _ = try await eventually(
                { service.counted.load(ordering: .relaxed) }, is: { $0 >= waiting.lowerBound - 1 })
            try await server.withClient { client in
                for _ in 0..<100 {
                    let told = try await client.call("Say", "alive")
                    #expect(told.messages == ["alive"])
                }
            }
            #expect(service.counted.load(ordering: .relaxed) < waiting.upperBound)
            await server.stop()
            _ = try await asking.value
        }
    }

    @Test
    func `a client that has half-closed and reads nothing does not hold up the server's stop`()
        async throws
    {
        try await withEchoServer { service, server in
            let address = server.address
            let asking = Task.detached {
                try HTTPConnection(to: address).exchange(
                    RawFrames.greeting + RawFrames.call("/echo.Echo/Wait", [1]))
            }
            _ = try await eventually({ service.waitingCount }, is: { $0 == 1 })
            // The call is never answered.
            await server.stop()
            let frames = RawFrames.frames(try await asking.value)
            #expect(!frames.contains { $0.stream == 1 })
        }
    }
}
