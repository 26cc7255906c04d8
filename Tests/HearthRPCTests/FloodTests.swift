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

    @Test func `what a request that does not end holds is told, and that it is free again`()
        async throws
    {
        try await withEchoServer { service, server in
            let peer = try HTTPConnection(to: server.address)
            let part = [UInt8](repeating: 1, count: 16_000)
            let prefix: [UInt8] = [0, 0, 0x10, 0, 0]
            try peer.write(RawFrames.greeting + RawFrames.open("/echo.Echo/Wait"))
            try peer.write(RawFrames.frame(0, 0, 1, prefix + part))
            try peer.write(RawFrames.frame(0, 0, 1, part))
            _ = try await eventually(
                { service.held.withLock { $0.unfinished } }, is: { $0 > 32_005 })
            #expect(service.held.withLock { $0.unfinished } < 32_500)
            try peer.write(RawFrames.frame(3, 0, 1, [0, 0, 0, 8]))
            _ = try await eventually({ service.held.withLock { $0.unfinished } }, is: { $0 == 0 })
            peer.reset()
        }
    }

    @Test func `the headers of calls under way count`() async throws {
        try await withEchoServer { service, server in
            let peer = try HTTPConnection(to: server.address)
            let headers = (0..<100).map { ("x-\($0)", String(repeating: "a", count: 100)) }
            try peer.write(RawFrames.greeting)
            for stream in [1, 3] as [UInt32] {
                try peer.write(
                    RawFrames.call("/echo.Echo/Wait", on: stream, headers: headers, [1]))
            }
            _ = try await eventually(
                { service.held.withLock { $0.unfinished } }, is: { $0 > 20_000 })
            service.release()
            _ = try await eventually({ service.held.withLock { $0.unfinished } }, is: { $0 == 0 })
            peer.reset()
        }
    }

    @Test func `small answers that nobody takes are told, and that they are free again`()
        async throws
    {
        try await withEchoServer { service, server in
            let peer = try HTTPConnection(to: server.address)
            // It gives its streams no room at all.
            let settings = RawFrames.frame(4, 0, 0, [0, 4, 0, 0, 0, 0])
            let streams = (0..<UInt32(100)).map { 2 * $0 + 1 }
            let hello = Array("hello".utf8)
            let calls = streams.flatMap { RawFrames.call("/echo.Echo/Say", on: $0, hello) }
            try peer.write(RawFrames.greeting + settings + calls)
            _ = try await eventually({ service.held.withLock { $0.unread } }, is: { $0 == 1_000 })
            try peer.write(streams.flatMap { RawFrames.frame(3, 0, $0, [0, 0, 0, 8]) })
            _ = try await eventually({ service.held.withLock { $0.unread } }, is: { $0 == 0 })
            peer.reset()
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

    @Test func `a peer that takes no answers is read no more, and others are served`()
        async throws
    {
        try await withEchoServer { _, server in
            let count = 3_000
            let streams = (0..<UInt32(count)).map { 2 * $0 + 1 }
            let kilobyte = [UInt8](repeating: 7, count: 1_000)
            // It gives all the room that there can be, and reads only when it can write no more.
            let room = RawFrames.frame(8, 0, 0, [0x7F, 0, 0, 0])
            let calls = streams.flatMap { RawFrames.call("/echo.Echo/Say", on: $0, kilobyte) }
            let address = server.address
            let answered = try await Task.detached {
                let peer = try HTTPConnection(to: address, patience: .seconds(1))
                try? peer.write(RawFrames.greeting + room + calls)
                var count = 0
                while let head = try? peer.read(9) {
                    let size = Int(head[0]) << 16 | Int(head[1]) << 8 | Int(head[2])
                    guard (try? peer.read(size)) != nil else { break }
                    if head[3] == 0 { count += 1 }
                }
                return count
            }.value
            #expect(answered > 0)
            #expect(answered < count / 2)
            try await server.withClient { client in
                let told = try await client.call("Say", "calm")
                #expect(told.messages == ["calm"])
            }
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
