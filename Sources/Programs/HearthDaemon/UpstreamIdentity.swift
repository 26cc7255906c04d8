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
    private let shared = Mutex<[Use: Shared]>([:])
    /// The credentials of the configured project, whose first token is fetched before anybody asks.
    private let first = Mutex<(any Credentials)?>(nil)

    /// Credentials as long as a connection holds them. Programs name projects, so none is kept for
    /// its name alone.
    private struct Shared {
        weak var credentials: TokenCredentials?
    }

    /// A project's backend, and what tokens for the backend are for.
    private struct Use: Hashable, Sendable {
        let project: UTF8Text
        let purpose: TokenPurpose
        let isEmulator: Bool
    }

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
        if let database = configuration.database {
            let credentials = credentials(of: database.project)
            first.withLock { $0 = credentials }
        }
    }

    /// For how many projects and purposes credentials are held, or were until the last were made.
    var sharedCount: Int { shared.withLock { $0.count } }

    /// Our credentials for a project's Firestore, made at the first request.
    func credentials(of project: String) -> any Credentials {
        credentials(
            for: Use(
                project: UTF8Text(project),
                purpose: .firestore(isExchanged: configuration.credentials.isExchanged),
                isEmulator: configuration.emulator != nil))
    }

    /// Our credentials for a project's Realtime Databases, made at the first request.
    ///
    /// - Parameter isEmulator: Whether the databases are an emulator's; each service has an answer
    ///   of its own.
    func linkCredentials(of project: String, isEmulator: Bool) -> any Credentials {
        credentials(
            for: Use(
                project: UTF8Text(project), purpose: .realtime, isEmulator: isEmulator))
    }

    private func credentials(for use: Use) -> any Credentials {
        shared.withLock { shared in
            if let known = shared[use]?.credentials { return known }
            let credentials = makeCredentials(for: use)
            // The other kinds know no token, and may be made as often as anybody asks.
            guard let tokens = credentials as? TokenCredentials else { return credentials }
            shared = shared.filter { $0.value.credentials != nil }
            shared[use] = Shared(credentials: tokens)
            return tokens
        }
    }

    private func makeCredentials(for use: Use) -> any Credentials {
        let project = use.project.string
        switch CredentialsPlan(configuration, project: project, isEmulator: use.isEmulator) {
        case .none: return NoCredentials()
        case .owner: return FixedToken.owner
        case .emulatorUser(let user): return EmulatorUser(user, project: project)
        case .firebaseUser: return firebaseUser ?? NoCredentials()
        case .impossible(let error):
            return started(ImpossibleSource(error: error), for: use)
        case .google(let places):
            return started(
                GoogleSource(
                    places, for: use.purpose,
                    quotaProject: configuration.credentials.quotaProject,
                    metadataHost: configuration.credentials.metadataHost,
                    http: HTTPClient(trusting: trust)), for: use)
        }
    }

    private func started(_ source: some TokenSource, for use: Use) -> TokenCredentials {
        let project = use.project.string
        let subject: UpstreamHealth.Subject =
            use.purpose == .realtime ? .linkCredentials(project) : .credentials(project)
        let notes = health.notes(of: subject)
        let credentials = TokenCredentials(source) { notes.note($0) }
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
            watch: { health.note($0, of: .firebaseUser(project)) },
            userChanged: { health.userChanged(to: $0) })
    }
}

/// The source of an impossible configuration: every fetch fails with the reason.
private struct ImpossibleSource: TokenSource {
    let error: HearthError

    func fetch() async throws(HearthError) -> AccessToken { throw error }
}
