import HearthModel
import HearthRemote
import HearthServer
import Synchronization

/// Our configured identity for the backend of each project, the same for engines of every kind.
final class UpstreamIdentity: Sendable {
    private let configuration: ServerConfiguration
    private let trust: TrustedCertificates
    private let health: UpstreamHealth
    private let firebaseUser: FirebaseUser?
    private let projects = Mutex<[UTF8Text: any Credentials]>([:])

    /// Reads the identity from the configuration, and asks no server yet.
    init(
        _ configuration: ServerConfiguration, trusting trust: TrustedCertificates,
        _ health: UpstreamHealth
    ) {
        self.configuration = configuration
        self.trust = trust
        self.health = health
        firebaseUser = Self.firebaseUser(configuration, trust, health)
    }

    /// The user who owns the queues at the start.
    ///
    /// If a Firebase user may sign in, the owner is the user who was signed in when the last
    /// process ended.
    var user: UserID { firebaseUser?.user ?? configuration.user }

    /// Where an administrator asks who we are, and changes it.
    var signInDesk: SignInDesk { SignInDesk(configuration, firebaseUser, health) }

    /// Fetches the first tokens.
    func start() {
        firebaseUser?.start()
        if let database = configuration.database { _ = credentials(of: database.project) }
    }

    /// Our credentials for a project's backend, made at the first request.
    func credentials(of project: String) -> any Credentials {
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

/// The source of an impossible configuration: every fetch fails with the reason.
private struct ImpossibleSource: TokenSource {
    let error: HearthError

    func fetch() async throws(HearthError) -> AccessToken { throw error }
}
