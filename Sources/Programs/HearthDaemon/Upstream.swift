import HearthEngine
import HearthFirestore
import HearthModel
import HearthRemote
import HearthServer
import Logging
import Synchronization

/// Connects engines with the backend that the configuration names, as whom it names.
final class Upstream: Sendable {
    private let configuration: ServerConfiguration
    private let address: Result<BackendAddress, HearthError>
    private let trust: TrustedCertificates
    private let health: UpstreamHealth
    private let logger: Logger
    private let firebaseUser: FirebaseUser?
    private let projects = Mutex<[UTF8Text: any Credentials]>([:])

    /// Where the backend is, how it is reached, and who we are.
    init(_ configuration: ServerConfiguration, logger: Logger) {
        self.configuration = configuration
        self.logger = logger
        let text = configuration.emulator ?? configuration.upstreamAddress
        address = BackendAddress(parsing: text).map(Result.success) ?? .failure(.noAddress(text))
        trust = configuration.trustedCertificates.map { .file(path: $0) } ?? .system
        let health = UpstreamHealth(logger: logger)
        self.health = health
        firebaseUser = Self.firebaseUser(configuration, trust, health)
    }

    /// To whom queues belong at the start: who was signed in when the process ended, if a Firebase
    /// user may be.
    var user: UserID { firebaseUser?.user ?? configuration.user }

    /// Where an administrator asks who we are, and changes it.
    var signInDesk: SignInDesk { SignInDesk(configuration, firebaseUser, health) }

    /// Tells a server how it stands and who is signed in, from now on and what was until now, and
    /// fetches the first tokens.
    func start(_ server: HearthServer) {
        health.report(to: server)
        guard configuration.isUpstreamEnabled else { return }
        firebaseUser?.start()
        if let database = configuration.database { _ = credentials(of: database.project) }
    }

    /// Makes the connection of one database.
    func connect(
        _ database: DatabaseID, _ sink: @escaping @Sendable (UpstreamEvent) async -> Void
    ) -> any FirestoreUpstream {
        do throws(HearthError) {
            let channel = try FirestoreChannel(
                FirestoreChannel.Configuration(
                    database: database, address: try address.get(), security: security,
                    credentials: credentials(of: database.project),
                    watch: { [health] in health.note($0, of: .connection) }))
            Task { [logger] in
                do throws(HearthError) {
                    try await channel.run()
                } catch {
                    logger.error("connection ended", metadata: ["error": "\(error)"])
                }
            }
            return OpenUpstream(
                channel: channel, connection: FirestoreConnection(channel, sink: sink))
        } catch {
            health.note(error, of: .connection)
            return ClosedUpstream(error: error, sink: sink)
        }
    }

    /// Emulators and sockets of this machine are reached in plaintext.
    private var security: FirestoreChannel.Security {
        if configuration.emulator != nil { return .plaintext }
        return .tls(trusting: trust, serverName: configuration.serverName)
    }

    // MARK: Credentials

    /// Who we are to a project's backend; made when it is first asked for.
    private func credentials(of project: String) -> any Credentials {
        projects.withLock { projects in
            if let known = projects[UTF8Text(project)] { return known }
            let made = makeCredentials(of: project)
            projects[UTF8Text(project)] = made
            return made
        }
    }

    private func makeCredentials(of project: String) -> any Credentials {
        switch CredentialsPlan(configuration, project: project) {
        case .none: return NoCredentials()
        case .owner: return FixedToken.owner
        case .emulatorUser(let user): return EmulatorUser(user, project: project)
        case .firebaseUser: return firebaseUser ?? NoCredentials()
        case .impossible(let error):
            return started(ImpossibleSource(error: error), project)
        case .google(let places):
            return started(
                GoogleSource(
                    places, isExchanged: configuration.credentials.isExchanged,
                    quotaProject: configuration.credentials.quotaProject,
                    metadataHost: configuration.credentials.metadataHost,
                    http: HTTPClient(trusting: trust)), project)
        }
    }

    private func started(_ source: some TokenSource, _ project: String) -> TokenCredentials {
        let credentials = TokenCredentials(source) { [health] in
            health.note($0, of: .credentials(project))
        }
        // Where nothing may connect, a key that is missing is nobody's trouble.
        if configuration.isUpstreamEnabled { credentials.start() }
        return credentials
    }

    private static func firebaseUser(
        _ configuration: ServerConfiguration, _ trust: TrustedCertificates,
        _ health: UpstreamHealth
    ) -> FirebaseUser? {
        let credentials = configuration.credentials
        let project = configuration.database?.project ?? ""
        guard case .firebaseUser = CredentialsPlan(configuration, project: project),
            let apiKey = credentials.apiKey
        else { return nil }
        let origin = [
            apiKey, credentials.signIn.rawValue, credentials.email ?? "",
            credentials.authEmulator ?? "",
        ]
        return FirebaseUser(
            FirebaseAuth(
                apiKey: Secret(apiKey), emulator: credentials.authEmulator,
                http: HTTPClient(trusting: trust)),
            signingIn: FirebaseUser.Configured(credentials),
            keptIn: configuration.storeFolder.map {
                FirebaseSessionFile(
                    path: $0 + "/sign-in.json", origin: origin.joined(separator: " "))
            },
            watch: { health.note($0, of: .credentials(project)) },
            userChanged: { health.userChanged(to: $0) })
    }
}

/// What is configured cannot be: says so to whoever asks.
private struct ImpossibleSource: TokenSource {
    let error: HearthError

    func fetch() async throws(HearthError) -> AccessToken { throw error }
}

extension HearthError {
    fileprivate static func noAddress(_ text: String) -> HearthError {
        HearthError(
            code: .invalidArgument,
            message: "\"\(text)\" is no address; write HOST:PORT or unix:PATH.")
    }
}

/// A connection that lets go of its channel when the engine lets go of it.
private final class OpenUpstream: EngineUpstream {
    private let channel: FirestoreChannel
    private let connection: FirestoreConnection

    init(channel: FirestoreChannel, connection: FirestoreConnection) {
        self.channel = channel
        self.connection = connection
    }

    deinit { channel.shutDown() }

    func perform(_ command: UpstreamCommand) { connection.perform(command) }
}

/// No connection: every stream fails at once, and the engine backs off.
private struct ClosedUpstream: EngineUpstream {
    let error: HearthError
    let sink: @Sendable (UpstreamEvent) async -> Void

    func perform(_ command: UpstreamCommand) {
        let event: UpstreamEvent
        switch command {
        case .openWatch(let number, _): event = .watchClosed(number, error)
        case .openWrite(let number, _): event = .writeClosed(number, error)
        case .call(let id, _, _): event = .called(id, .failed(error))
        case .listen, .unlisten, .closeWatch, .handshake, .write, .closeWrite: return
        }
        Task { await sink(event) }
    }
}
