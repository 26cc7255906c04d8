import HearthEngine
import HearthModel
import HearthProtocol
import HearthRealtime
import HearthRemote
import HearthTestSupport
import NIOCore
import Synchronization
import Testing

/// An engine that is slower than its Realtime Database.
@Suite(.timeLimit(.minutes(1)))
struct SlowEngineTests {
    /// How a server stands that sends more than anybody takes.
    private struct Sender {
        var channel: (any Channel)?
        var sentCount = 0

        var isStuck: Bool { channel?.isWritable == false && sentCount > 0 }
    }

    @Test func `nothing more is read than a slow engine can take`() async throws {
        let (gate, open) = AsyncStream.makeStream(of: Void.self)
        let text = JSONWriter.bytes(of: .string(String(repeating: "x", count: 150_000)))
        let node = try Node(json: text, from: .server)
        let pushes = try (0..<120).map {
            RealtimePush.overwrite(try #require(WritePath("rooms/\($0)")), node, tag: nil)
        }
        let sender = Mutex(Sender())
        let heard = Mutex<[RealtimeUpstreamEvent]>([])
        try await StubRealtime.serve { peer in
            try await peer.greet()
            sender.withLock { $0.channel = peer.channel }
            for push in pushes {
                try await peer.say(RealtimeCodec.encode(push))
                sender.withLock { $0.sentCount += 1 }
            }
            try await peer.stay()
        } _: { port in
            let connection = RealtimeConnection(
                RealtimeConnection.Configuration(
                    address: try TestLink.address(port), identity: LinkIdentity(NoCredentials()))
            ) { event in
                let isFirst = heard.withLock { heard in
                    heard.append(event)
                    return heard.count == 1
                }
                guard isFirst else { return }
                var gate = gate.makeAsyncIterator()
                await gate.next()
            }
            connection.perform(.open(TestLink.first, as: .unauthenticated))
            // The server has sent nothing more between two looks, since nobody reads.
            var last = 0
            _ = try await eventually {
                let (isStuck, count) = sender.withLock { ($0.isStuck, $0.sentCount) }
                defer { last = count }
                return isStuck && count == last
            } is: {
                $0
            }
            #expect(heard.withLock { $0.count } == 1)
            #expect(sender.withLock { $0.sentCount } < pushes.count)
            open.yield()
            _ = try await eventually {
                heard.withLock { $0.count }
            } is: {
                $0 == pushes.count + 1
            }
            connection.perform(.close(TestLink.first))
        }
        let told = heard.withLock { Array($0.dropFirst()) }
        #expect(told == pushes.map { .pushed(TestLink.first, $0) })
    }
}
