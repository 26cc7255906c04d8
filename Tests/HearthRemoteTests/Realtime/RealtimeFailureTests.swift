import HearthEngine
import HearthModel
import HearthProtocol
import HearthRealtime
import HearthRemote
import HearthTestSupport
import NIOCore
import NIOWebSocket
import Synchronization
import Testing

/// How a link to a Realtime Database ends.
@Suite(.timeLimit(.minutes(1)))
struct RealtimeFailureTests {
    /// Opens a link to a script's server, and returns how the link ended.
    private func end(
        after script: @escaping StubRealtime.Script
    ) async throws -> HearthError? {
        try await StubRealtime.serve(script) { port in
            try await TestLink.connected(to: TestLink.address(port)) { connection, events in
                connection.perform(.open(TestLink.first, as: .unauthenticated))
                return await events.failure()
            }
        }
    }

    private static func goodbye(_ code: UInt16, _ words: String = "") -> WebSocketFrame {
        var data = ByteBuffer(integer: code)
        data.writeString(words)
        return WebSocketFrame(fin: true, opcode: .connectionClose, data: data)
    }

    @Test func `a service that says goodbye ends the link in good order`() async throws {
        let error = try await end { peer in
            try await peer.greet()
            try await peer.say(Self.goodbye(1_000))
            try await peer.stay()
        }
        #expect(error == nil)
    }

    @Test func `another goodbye is told with its words`() async throws {
        let error = try await end { peer in
            try await peer.greet()
            try await peer.say(Self.goodbye(1_011, "broken"))
            try await peer.stay()
        }
        #expect(error?.code == .unavailable)
        #expect(error?.message.contains("1011: broken") == true)
    }

    @Test func `an emulator that nobody runs is told by its address, in the system's words`()
        async throws
    {
        let instance = try #require(InstanceID(project: "demo"))
        let address = RealtimeAddress(instance, emulator: .unix(path: "/nonexistent/rtdb.sock"))
        let error = try await TestLink.connected(to: address) { connection, events in
            connection.perform(.open(TestLink.first, as: .unauthenticated))
            return await events.failure()
        }
        #expect(
            error?.message
                == "unix:/nonexistent/rtdb.sock cannot be reached: No such file or directory.")
    }

    @Test func `a cut is told`() async throws {
        let error = try await end { try await $0.greet() }
        #expect(error?.code == .unavailable)
    }

    @Test func `a shutdown is told with its reason`() async throws {
        let error = try await end { peer in
            try await peer.greet()
            try await peer.say(RealtimeCodec.shutdown(reason: "go away"))
            try await peer.stay()
        }
        #expect(error?.code == .resourceExhausted)
        #expect(error?.message.contains("go away") == true)
    }

    @Test(arguments: [
        "{", "[]", "null", #"{"t":"d","d":{"a":"d","b":{"p":"a","d":{"a/b":1}}}}"#,
        #"{"t":"c","d":{"t":"h","d":{}}}"#, "\u{FF}",
    ])
    func `what cannot be read ends the link as the service's fault`(text: String) async throws {
        let error = try await end { peer in
            try await peer.greet()
            try await peer.say(Array(text.utf8))
            try await peer.stay()
        }
        #expect(error?.code == .internalError)
    }

    @Test func `frames that break WebSocket's rules end the link`() async throws {
        let error = try await end { peer in
            try await peer.greet()
            try await peer.say(
                WebSocketFrame(fin: true, opcode: .continuation, data: ByteBuffer(string: "x")))
            try await peer.stay()
        }
        #expect(error?.code == .internalError)
    }

    @Test func `pieces that are announced and never come are no message`() async throws {
        let error = try await end { peer in
            try await peer.greet()
            try await peer.say(Array("999999".utf8))
            try await peer.say(Array(#"{"t":"c","d":{"t":"r","d":"x"}}"#.utf8))
            try await peer.say(Self.goodbye(1_011))
            try await peer.stay()
        }
        #expect(error?.message.contains("1011") == true)
    }

    @Test func `a server without a Realtime Database is told with its answer`() async throws {
        try await StubEndpoint.serve {
            _ in
            .json("{}", status: 404)
        } _: { _, host in
            let address = RealtimeAddress(
                try #require(TestLink.instance), emulator: BackendAddress(parsing: host))
            try await TestLink.connected(to: address) { connection, events in
                connection.perform(.open(TestLink.first, as: .unauthenticated))
                let error = await events.failure()
                #expect(error?.code == .unavailable)
                #expect(error?.message.contains("answered 404") == true, "\(error as Any)")
            }
        }
    }

    @Test func `a server that nobody runs is unavailable at once`() async throws {
        for address in [
            BackendAddress.tcp(host: "127.0.0.1", port: 1), .unix(path: "/nonexistent"),
        ] {
            let place = RealtimeAddress(try #require(TestLink.instance), emulator: address)
            try await TestLink.connected(to: place) { connection, events in
                connection.perform(.open(TestLink.first, as: .unauthenticated))
                #expect(await events.failure()?.code == .unavailable)
            }
        }
    }

    @Test func `a server that never becomes a WebSocket is given up after 30 seconds`()
        async throws
    {
        let clock = ManualRemoteClock()
        try await StubRealtime.serveSilence { port in
            try await TestLink.connected(to: TestLink.address(port), clock: clock) {
                connection, events in
                connection.perform(.open(TestLink.first, as: .unauthenticated))
                _ = try await eventually {
                    clock.sleeperCount
                } is: {
                    $0 == 1
                }
                clock.advance(by: .seconds(30))
                let error = await events.failure()
                #expect(error?.code == .unavailable)
                #expect(error?.message.contains("hello") == true)
            }
        }
    }

    @Test func `a silent service is pinged, then given up`() async throws {
        let clock = ManualRemoteClock()
        let heard = Mutex<[RealtimeClientMessage]>([])
        let closed = Mutex<RealtimeUpstreamEvent?>(nil)
        try await StubRealtime.serve { peer in
            try await peer.greet()
            while let message = try await peer.next() { heard.withLock { $0.append(message) } }
        } _: { port in
            let connection = RealtimeConnection(
                RealtimeConnection.Configuration(
                    address: try TestLink.address(port), identity: LinkIdentity(NoCredentials())),
                clock: clock
            ) { event in
                if case .closed = event { closed.withLock { $0 = event } }
            }
            connection.perform(.open(TestLink.first, as: .unauthenticated))
            _ = try await eventually {
                heard.withLock { $0.count }
            } is: {
                $0 == 1
            }
            _ = try await eventually {
                clock.advance(by: LinkLimits.pulsePeriod)
                return heard.withLock { $0.last == RealtimeClientMessage.ping }
            } is: {
                $0
            }
            let event = try await eventually { () -> RealtimeUpstreamEvent? in
                clock.advance(by: LinkLimits.pulsePeriod)
                return closed.withLock { $0 }
            } is: {
                $0 != nil
            }
            guard case .closed(TestLink.first, let error?)? = event else {
                Issue.record("The link ended in good order")
                return
            }
            #expect(error.message.contains("minute"))
        }
    }

    // MARK: TLS

    /// Opens a link by TLS, and returns its first event and what was told of failures.
    private func openSecurely(
        isTrusted: Bool
    ) async throws -> (RealtimeUpstreamEvent?, [HearthError?]) {
        let authority = try TestAuthority(vouchingFor: "localhost")
        let told = Mutex<[HearthError?]>([])
        let event = try await StubRealtime.serve(tls: try authority.serverContext()) { peer in
            try await peer.greet()
            try await peer.stay()
        } _: { port in
            let instance = try #require(InstanceID(url: "https://localhost:\(port)/?ns=demo"))
            let configuration = RealtimeConnection.Configuration(
                address: RealtimeAddress(instance),
                trusting: isTrusted ? .file(path: authority.certificatePath) : .system,
                identity: LinkIdentity(NoCredentials()),
                watch: { error in told.withLock { $0.append(error) } })
            return try await TestLink.connected(configuration, clock: ManualRemoteClock()) {
                connection, events in
                connection.perform(.open(TestLink.first, as: .unauthenticated))
                return await events.next()
            }
        }
        return (event, told.withLock { $0 })
    }

    @Test func `a service is believed by the authority that the configuration names`() async throws
    {
        let (event, told) = try await openSecurely(isTrusted: true)
        #expect(event == .opened(TestLink.first, serverTimeOffset: 0))
        #expect(told == [nil])
    }

    @Test func `an unknown authority is told, with what would help`() async throws {
        let (event, told) = try await openSecurely(isTrusted: false)
        guard case .closed(TestLink.first, let error?)? = event else {
            Issue.record("The link opened")
            return
        }
        #expect(error.code == .unavailable)
        #expect(error.message.contains("upstream.trustedCertificates"), "\(error)")
        #expect(told == [error])
    }
}
