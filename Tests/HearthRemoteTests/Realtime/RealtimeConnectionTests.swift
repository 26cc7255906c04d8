import HearthEngine
import HearthModel
import HearthProtocol
import HearthRealtime
import HearthRemote
import HearthTestSupport
import NIOCore
import NIOHTTP1
import NIOWebSocket
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(1)))
struct RealtimeConnectionTests {
    private static let get = RealtimeRequest(
        number: 41, action: .get(RealtimePath("rooms"), .all))

    private static func push(_ text: String, at key: String = "a") throws -> RealtimePush {
        let node = try Node(json: JSONWriter.bytes(of: .string(text)), from: .server)
        return .overwrite(try #require(WritePath("rooms/" + key)), node, tag: nil)
    }

    // MARK: Opening

    @Test func `a link is opened, asked, answered and told`() async throws {
        let (seen, record) = AsyncStream.makeStream(of: (String, String?, RealtimeCredential?).self)
        let push = try Self.push("hello")
        try await StubRealtime.serve { peer in
            let credential = try await peer.welcome()
            record.yield((peer.target, peer.headers.first(name: "host"), credential))
            while let request = try await peer.request() {
                try await peer.say(RealtimeCodec.encode(push))
                try await peer.answer(request, .ok, .text("\(request.number)"))
            }
        } _: { port in
            try await TestLink.connected(
                to: TestLink.address(port), as: FixedToken.owner, clock: ManualRemoteClock()
            ) { connection, events in
                connection.perform(.open(TestLink.first, as: .unauthenticated))
                #expect(
                    await events.next() == .opened(TestLink.first, serverTimeOffset: 0))
                connection.perform(.send(TestLink.first, Self.get))
                #expect(await events.next() == .pushed(TestLink.first, push))
                #expect(
                    await events.next()
                        == .answered(
                            TestLink.first, RealtimeAnswer(number: 41, body: .text("3"))))
            }
            var iterator = seen.makeAsyncIterator()
            let (target, host, credential) = try #require(await iterator.next())
            #expect(target == "/.ws?v=5&ns=demo")
            #expect(host == "127.0.0.1:\(port)")
            #expect(credential == RealtimeCredential(.service, token: Secret("owner")))
        }
    }

    @Test func `a Firebase user's token is shown as such, and is replaced before its end`()
        async throws
    {
        let (seen, record) = AsyncStream.makeStream(of: RealtimeCredential?.self)
        let clock = ManualRemoteClock()
        let user = EmulatorUser(UserID("ada"), project: "demo", clock: clock)
        try await StubRealtime.serve { peer in
            record.yield(try await peer.welcome())
            while let request = try await peer.request() {
                if case .authenticate(let credential) = request.action { record.yield(credential) }
                try await peer.answer(request)
            }
        } _: { port in
            try await TestLink.connected(
                to: TestLink.address(port), as: user, clock: clock
            ) { connection, events in
                connection.perform(.open(TestLink.first, as: UserID("ada")))
                #expect(await events.isOpened())
                var iterator = seen.makeAsyncIterator()
                let first = try #require(await iterator.next() ?? nil)
                #expect(first.kind == .user)
                // The token lasts an hour, and the link outlives the token. Three more timers run.
                _ = try await eventually {
                    clock.sleeperCount
                } is: {
                    $0 == 4
                }
                clock.advance(by: .seconds(3_600 - 240))
                let second = try #require(await iterator.next() ?? nil)
                #expect(second.kind == .user)
                #expect(second.token != first.token)
            }
        }
    }

    @Test func `a hello that comes with the answer to the upgrade is heard`() async throws {
        try await StubRealtime.serveHello { port in
            try await TestLink.connected(to: TestLink.address(port)) { connection, events in
                connection.perform(.open(TestLink.first, as: .unauthenticated))
                #expect(await events.isOpened())
            }
        }
    }

    @Test func `a user who is not signed in gets no link`() async throws {
        let user = EmulatorUser(UserID("ada"), project: "demo")
        try await StubRealtime.serve { peer in
            try await peer.stay()
        } _: { port in
            try await TestLink.connected(to: TestLink.address(port), as: user) {
                connection, events in
                connection.perform(.open(TestLink.first, as: UserID("bob")))
                #expect(await events.failure()?.message.contains("bob") == true)
            }
        }
    }

    @Test func `the next link replaces the session, whatever host the service names`() async throws
    {
        let (targets, record) = AsyncStream.makeStream(of: String.self)
        try await StubRealtime.serve { peer in
            record.yield(peer.target)
            try await peer.greet(host: "elsewhere.example", session: "s/1&")
            if peer.target.contains("ls=") { return try await peer.stay() }
        } _: { port in
            try await TestLink.connected(to: TestLink.address(port)) { connection, events in
                connection.perform(.open(TestLink.first, as: .unauthenticated))
                #expect(await events.isOpened())
                #expect(await events.failure()?.code == .unavailable)
                connection.perform(.open(TestLink.second, as: .unauthenticated))
                #expect(await events.isOpened(TestLink.second))
            }
            var iterator = targets.makeAsyncIterator()
            #expect(await iterator.next() == "/.ws?v=5&ns=demo")
            #expect(await iterator.next() == "/.ws?v=5&ns=demo&ls=s%2F1%26")
        }
    }

    @Test func `a reset before hello is followed at once`() async throws {
        let count = Mutex(0)
        try await StubRealtime.serve { peer in
            let number = count.withLock { count in
                count += 1
                return count
            }
            guard number > 1 else {
                try await peer.say(RealtimeCodec.reset(host: "elsewhere.example"))
                return try await peer.stay()
            }
            try await peer.greet()
            try await peer.stay()
        } _: { port in
            try await TestLink.connected(to: TestLink.address(port)) { connection, events in
                connection.perform(.open(TestLink.first, as: .unauthenticated))
                #expect(await events.isOpened())
            }
        }
        #expect(count.withLock { $0 } == 2)
    }

    @Test func `a revoked token is refused, and the next link shows another`() async throws {
        let credentials = RotatingToken()
        let (seen, record) = AsyncStream.makeStream(of: RealtimeCredential?.self)
        try await StubRealtime.serve { peer in
            record.yield(try await peer.welcome())
            try await peer.say(
                RealtimeCodec.encode(.authRevoked(.expiredToken, reason: "Auth token is expired.")))
            try await peer.stay()
        } _: { port in
            try await TestLink.connected(to: TestLink.address(port), as: credentials) {
                connection, events in
                connection.perform(.open(TestLink.first, as: .unauthenticated))
                #expect(await events.isOpened())
                #expect(await events.failure()?.code == .unauthenticated)
                connection.perform(.open(TestLink.second, as: .unauthenticated))
                #expect(await events.isOpened(TestLink.second))
            }
        }
        var iterator = seen.makeAsyncIterator()
        #expect(await iterator.next()??.token == Secret("t0"))
        #expect(await iterator.next()??.token == Secret("t1"))
        #expect(credentials.believed.first == "t0")
    }

    // MARK: Frames

    @Test func `long messages go both ways in pieces, and frames are masked`() async throws {
        let text = String(repeating: "é🔥x", count: 40_000)
        let node = UnresolvedNode(
            try Node(json: JSONWriter.bytes(of: .string(text)), from: .server))
        let place = try #require(WritePath("rooms/a"))
        let put = RealtimeRequest(number: 7, action: .put(place, node, hash: nil))
        let push = try Self.push(text)
        let isMasked = Mutex(false)
        try await StubRealtime.serve { peer in
            try await peer.greet()
            // Our statistics.
            let frame = try await peer.frame()
            isMasked.withLock { $0 = frame?.maskKey != nil }
            guard let request = try await peer.request() else { return }
            if request.action == put.action { try await peer.say(RealtimeCodec.encode(push)) }
            try await peer.stay()
        } _: { port in
            try await TestLink.connected(to: TestLink.address(port)) { connection, events in
                connection.perform(.open(TestLink.first, as: .unauthenticated))
                #expect(await events.isOpened())
                connection.perform(.send(TestLink.first, put))
                #expect(await events.next() == .pushed(TestLink.first, push))
            }
        }
        #expect(isMasked.withLock { $0 })
    }

    @Test func `a message in WebSocket's own fragments is joined`() async throws {
        let push = try Self.push("in three")
        try await StubRealtime.serve { peer in
            try await peer.greet()
            let bytes = RealtimeCodec.encode(push)
            let third = bytes.count / 3
            for (range, opcode) in [
                (0..<third, WebSocketOpcode.text), (third..<2 * third, .continuation),
                (2 * third..<bytes.count, .continuation),
            ] {
                try await peer.say(
                    WebSocketFrame(
                        fin: range.upperBound == bytes.count, opcode: opcode,
                        data: ByteBuffer(bytes: bytes[range])))
            }
            try await peer.stay()
        } _: { port in
            try await TestLink.connected(to: TestLink.address(port)) { connection, events in
                connection.perform(.open(TestLink.first, as: .unauthenticated))
                #expect(await events.isOpened())
                #expect(await events.next() == .pushed(TestLink.first, push))
            }
        }
    }

    @Test func `the protocol's pings and WebSocket's are answered`() async throws {
        let (seen, record) = AsyncStream.makeStream(of: String.self)
        try await StubRealtime.serve { peer in
            try await peer.greet()
            _ = try await peer.frame()  // Our statistics.
            try await peer.say(RealtimeCodec.ping)
            try await peer.say(
                WebSocketFrame(fin: true, opcode: .ping, data: ByteBuffer(string: "you?")))
            for _ in 0..<2 {
                guard let frame = try await peer.frame() else { return }
                record.yield("\(frame.opcode == .pong) \(String(buffer: frame.unmaskedData))")
            }
        } _: { port in
            try await TestLink.connected(to: TestLink.address(port)) { connection, events in
                connection.perform(.open(TestLink.first, as: .unauthenticated))
                var iterator = seen.makeAsyncIterator()
                #expect(await iterator.next() == #"false {"t":"c","d":{"t":"o","d":{}}}"#)
                #expect(await iterator.next() == "true you?")
            }
        }
    }

    // MARK: Ends of the engine's

    @Test func `what the engine has closed tells nothing more, and its WebSocket ends`()
        async throws
    {
        let (ended, end) = AsyncStream.makeStream(of: Void.self)
        try await StubRealtime.serve { peer in
            try await peer.greet()
            try await peer.stay()
            end.yield()
        } _: { port in
            try await TestLink.connected(to: TestLink.address(port)) { connection, events in
                connection.perform(.open(TestLink.first, as: .unauthenticated))
                #expect(await events.isOpened())
                connection.perform(.close(TestLink.first))
                var ended = ended.makeAsyncIterator()
                await ended.next()
                connection.perform(.send(TestLink.first, Self.get))
                connection.perform(.open(TestLink.second, as: .unauthenticated))
                #expect(await events.isOpened(TestLink.second))
            }
        }
    }

    @Test func `a connection that nobody holds any more ends`() async throws {
        let (ended, end) = AsyncStream.makeStream(of: Void.self)
        try await StubRealtime.serve { peer in
            try await peer.greet()
            try await peer.stay()
            end.yield()
        } _: { port in
            let (opened, open) = AsyncStream.makeStream(of: Void.self)
            var connection: RealtimeConnection? = RealtimeConnection(
                RealtimeConnection.Configuration(
                    address: try TestLink.address(port), identity: LinkIdentity(NoCredentials()))
            ) { _ in open.yield() }
            connection?.perform(.open(TestLink.first, as: .unauthenticated))
            var iterator = opened.makeAsyncIterator()
            await iterator.next()
            connection = nil
            var ended = ended.makeAsyncIterator()
            await ended.next()
        }
    }
}

/// A token that is another one after each refusal.
private final class RotatingToken: Credentials {
    private let state = Mutex((count: 0, believed: [String]()))

    var believed: [String] { state.withLock { $0.believed } }

    func headers(as user: UserID?) async throws(HearthError) -> [Header] {
        [.bearer(Secret("t\(state.withLock { $0.count })"))]
    }

    func refused(_ headers: [Header]) async { state.withLock { $0.count += 1 } }

    func believed(_ headers: [Header]) async {
        let token = headers.first?.value.revealed.split(separator: " ").last
        state.withLock { $0.believed.append(String(token ?? "")) }
    }
}
