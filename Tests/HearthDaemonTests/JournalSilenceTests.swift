import HearthModel
import HearthServer
import HearthTestSupport
import HearthWire
import Logging
import Synchronization
import Testing

@testable import HearthDaemon

/// The daemon's own parts with a journal that hears every level: no secret is among what it hears.
@Suite(.timeLimit(.minutes(1)))
struct JournalSilenceTests {
    private final class Journal: Sendable {
        private let fields = Mutex<[String]>([])

        var text: String { fields.withLock { $0.joined(separator: "\n") } }

        var logger: Logger {
            Logger(label: "hearthd") { _ in
                JournalHandler(threshold: LogThreshold(.trace)) { message in
                    self.fields.withLock {
                        $0 += message.map { String(decoding: $0, as: UTF8.self) }
                    }
                }
            }
        }
    }

    private let folder = TemporaryFolder()

    private func configuration(_ auth: StubAuth) -> ServerConfiguration {
        let flags: [String: String] = [
            "database.project": "demo", "upstream.emulator": "unix:\(folder.path)/nobody.sock",
            "store.folder": "\(folder.path)/store", "sockets.client": "\(folder.path)/client.sock",
            "sockets.control": "\(folder.path)/control.sock", "credentials.source": "firebaseUser",
            "credentials.apiKey": StubAuth.apiKey, "credentials.signIn": "password",
            "credentials.email": "ann@example.org",
            "credentials.passwordFile": "\(folder.path)/password",
        ]
        let (configuration, problems) = ServerConfiguration.join(
            [ConfigurationLayer(flags: flags)],
            in: Surroundings(
                environment: ["FIREBASE_AUTH_EMULATOR_HOST": auth.address], isRoot: false))
        #expect(problems == [])
        return configuration
    }

    @Test func `signing in and out in every way, well and in vain, logs nothing secret`()
        async throws
    {
        let auth = try StubAuth()
        defer { auth.close() }
        try folder.write("\(StubAuth.password)\n", to: "password")
        let journal = Journal()
        let configuration = configuration(auth)
        let upstream = Upstream(configuration, logger: journal.logger)
        let server = HearthServer(
            configuration: configuration, logger: journal.logger, signIn: upstream.signInDesk,
            makers: Daemon.makers(configuration, upstream))
        upstream.start(server)
        await server.start()
        let desk = upstream.signInDesk
        // As configured, by itself.
        _ = try await eventually({ upstream.user }, is: { $0 == UserID("ann") })
        var users: [String] = []
        for way in [
            SignInWay.password(email: "bert@example.org", Secret(StubAuth.password)),
            .newAccount(email: "cleo@example.org", Secret(StubAuth.password)),
            .customToken(Secret(StubAuth.customToken)), .anonymous,
        ] {
            users.append(try await desk.carryOut(.signIn(way)).user.rawValue)
        }
        #expect(users == ["bert", "cleo", "custom", "nameless"])
        for way in [
            SignInWay.password(email: "bert@example.org", Secret("no-such-password")),
            .customToken(Secret("no-such-token")),
        ] {
            await #expect(throws: HearthError.self) { try await desk.carryOut(.signIn(way)) }
        }
        #expect(try await desk.carryOut(.signOut).user == .unauthenticated)
        await server.stop()

        let text = journal.text
        #expect(text.contains("user changed"))
        #expect(text.contains("bert"))
        let secrets =
            StubAuth.secrets(of: ["ann", "bert", "cleo", "custom", "nameless"])
            + ["no-such-password", "no-such-token"]
        for secret in secrets { #expect(!text.contains(secret), "\(secret) is in the journal") }
    }
}
