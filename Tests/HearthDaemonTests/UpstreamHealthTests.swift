import HearthEngine
import HearthModel
import HearthServer
import HearthWire
import Logging
import Testing

@testable import HearthDaemon

/// Which databases a failure on the way to a backend degrades.
struct UpstreamHealthTests {
    private static let error = HearthError(code: .unauthenticated, message: "No key.")
    private let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    private let demo = EngineKey.firestore(DatabaseID(project: "demo"))
    private let other = EngineKey.firestore(DatabaseID(project: "other"))

    /// A server that hears of the failure of one subject, and why two databases and two instances are
    /// then degraded.
    private func reasons(
        of subject: UpstreamHealth.Subject, _ flags: [String: String] = [:]
    ) async throws -> [[String]] {
        let flags = ["database.project": "demo"].merging(flags) { $1 }
        let (configuration, problems) = ServerConfiguration.join(
            [ConfigurationLayer(flags: flags)], in: Surroundings(environment: [:], isRoot: false))
        #expect(problems == [])
        let upstream = Upstream(configuration, logger: logger)
        let server = HearthServer(
            configuration: configuration, logger: logger,
            makers: Daemon.makers(configuration, upstream))
        upstream.health.report(to: server)
        upstream.health.note(Self.error, of: subject)
        let keys = [
            demo, other, .realtime(try #require(InstanceID(project: "demo"))),
            .realtime(try #require(InstanceID(project: "other"))),
        ]
        let reasons = keys.map { server.reporter.status(of: $0).degradedReasons }
        await server.stop()
        return reasons
    }

    @Test func `credentials degrade the databases of their project and service alone`()
        async throws
    {
        let told = [Self.error.message]
        #expect(try await reasons(of: .credentials("demo")) == [told, [], [], []])
        #expect(try await reasons(of: .linkCredentials("demo")) == [[], [], told, []])
        #expect(try await reasons(of: .linkCredentials("other")) == [[], [], [], told])
    }

    @Test func `a connection degrades what it serves, and a Firebase user everything`()
        async throws
    {
        let told = [Self.error.message]
        #expect(try await reasons(of: .connection) == [told, told, [], []])
        let instance = try #require(InstanceID(project: "other"))
        #expect(try await reasons(of: .link(instance)) == [[], [], [], told])
        #expect(try await reasons(of: .firebaseUser("demo")) == [told, told, told, told])
    }

    @Test func `an instance without an emulator beside Firestore's says so`() async throws {
        let emulator = ["upstream.emulator": "127.0.0.1:8080"]
        let told = try await reasons(of: .linkCredentials("demo"), emulator)
        #expect(
            told[2] == [
                "No realtime.emulator is configured while upstream.emulator is (127.0.0.1:8080), "
                    + "so the daemon asks the hosted Realtime Database. No key."
            ])
        #expect(told[0].isEmpty)
        let both = emulator.merging(["realtime.emulator": "127.0.0.1:9000"]) { $1 }
        #expect(try await reasons(of: .linkCredentials("demo"), both)[2] == ["No key."])
        #expect(try await reasons(of: .credentials("demo"), emulator)[0] == ["No key."])
    }
}
