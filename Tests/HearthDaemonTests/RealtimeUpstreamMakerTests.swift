import HearthEngine
import HearthModel
import HearthRealtime
import HearthRemote
import HearthServer
import HearthTestSupport
import Logging
import Testing

@testable import HearthDaemon

@Suite(.timeLimit(.minutes(1)))
struct RealtimeUpstreamMakerTests {
    private let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    private func configuration(_ flags: [String: String]) -> ServerConfiguration {
        let (configuration, problems) = ServerConfiguration.join(
            [ConfigurationLayer(flags: flags)], in: Surroundings(environment: [:], isRoot: false))
        #expect(problems == [])
        return configuration
    }

    @Test func `an engine's link to an emulator that nobody runs fails, and is let go`()
        async throws
    {
        let configuration = configuration([:])
        let health = UpstreamHealth(configuration, logger: logger)
        let maker = RealtimeUpstreamMaker(
            emulator: .unix(path: "/nonexistent/database.sock"), trust: .system,
            identity: UpstreamIdentity(configuration, trusting: .system, health), health: health,
            logger: logger)
        let (events, tell) = AsyncStream.makeStream(of: RealtimeUpstreamEvent.self)
        let instance = try #require(InstanceID(project: "demo"))
        let upstream = maker.connect(instance, of: "demo") { tell.yield($0) }
        upstream.perform(.open(StreamNumber(1), as: .unauthenticated))
        var iterator = events.makeAsyncIterator()
        guard case .closed(StreamNumber(1), let error?)? = await iterator.next() else {
            Issue.record("The link opened")
            return
        }
        #expect(error.code == .unavailable)
        #expect(health.problem(of: .link(instance)) == nil)
    }

    @Test func `a bad address of an emulator is told of the instance, and names its key`() throws {
        let upstream = Upstream(
            configuration(["realtime.emulator": "no address"]), logger: logger)
        let instance = try #require(InstanceID(project: "demo"))
        _ = upstream.connect(instance) { (_: RealtimeUpstreamEvent) in }
        #expect(
            upstream.health.problem(of: .link(instance))
                == "realtime.emulator is \"no address\", which is no address; write HOST:PORT or "
                + "unix:PATH.")
        #expect(upstream.health.problem(of: .connection) == nil)
    }

    @Test func `an emulator of one service says nothing of the other`() async throws {
        let configuration = configuration([
            "upstream.emulator": "h:1", "credentials.source": "keyFile",
            "credentials.file": "/nonexistent/key.json",
        ])
        #expect(
            CredentialsPlan(configuration, project: "demo", isEmulator: false)
                == .google([.file("/nonexistent/key.json")]))
        let automatic = self.configuration(["credentials.file": "/nonexistent/key.json"])
        #expect(CredentialsPlan(automatic, project: "demo", isEmulator: true) == .owner)
        let health = UpstreamHealth(configuration, logger: logger)
        let identity = UpstreamIdentity(automatic, trusting: .system, health)
        let headers = try await identity.linkCredentials(of: "demo", isEmulator: true).headers(
            as: nil)
        #expect(headers == [.bearer(Secret("owner"))])
        let missing = identity.linkCredentials(of: "demo", isEmulator: false)
        await #expect(throws: HearthError.self) { try await missing.headers(as: nil) }
        // Two kinds of tokens fail apart from each other.
        #expect(health.problem(of: .linkCredentials("demo")) != nil)
        #expect(health.problem(of: .credentials("demo")) == nil)
    }

    @Test func `projects that programs name leave nothing behind when their databases close`()
        async throws
    {
        let configuration = configuration([
            "credentials.source": "keyFile", "credentials.file": "/nonexistent/key.json",
            "upstream.isEnabled": "false",
        ])
        let health = UpstreamHealth(configuration, logger: logger)
        let identity = UpstreamIdentity(configuration, trusting: .system, health)
        let held = identity.credentials(of: "held")
        for number in 0..<50 {
            let named = identity.credentials(of: "named-\(number)")
            await #expect(throws: HearthError.self) { try await named.headers(as: nil) }
            #expect(health.problem(of: .credentials("named-\(number)")) != nil)
        }
        await #expect(throws: HearthError.self) { try await held.headers(as: nil) }
        _ = identity.credentials(of: "last")
        #expect(identity.sharedCount <= 3)
        #expect(identity.credentials(of: "held") as AnyObject === held as AnyObject)
        _ = try await eventually {
            (0..<50).count { health.problem(of: .credentials("named-\($0)")) != nil }
        } is: {
            $0 == 0
        }
        #expect(health.problem(of: .credentials("held")) != nil)
    }

    @Test func `of failures so many are known and no more`() {
        let health = UpstreamHealth(configuration([:]), logger: logger)
        let error = HearthError(code: .unavailable, message: "No key.")
        for number in 0...UpstreamHealth.failureCountMax {
            health.note(error, of: .credentials("p\(number)"))
        }
        #expect(health.problem(of: .credentials("p0")) != nil)
        #expect(health.problem(of: .credentials("p\(UpstreamHealth.failureCountMax)")) == nil)
    }
}
