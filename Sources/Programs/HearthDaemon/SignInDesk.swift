import HearthModel
import HearthRemote
import HearthServer
import HearthWire

/// Signs users in and out as an administrator asks, and tells who the daemon is to the backend.
struct SignInDesk: SignInService {
    private let configuration: ServerConfiguration
    private let firebaseUser: FirebaseUser?
    private let health: UpstreamHealth

    /// A desk for the user that the configuration allows; `nil` if it allows none.
    init(
        _ configuration: ServerConfiguration, _ firebaseUser: FirebaseUser?,
        _ health: UpstreamHealth
    ) {
        self.configuration = configuration
        self.firebaseUser = firebaseUser
        self.health = health
    }

    func carryOut(_ order: SignInOrder) async throws(HearthError) -> SignInReport {
        switch order {
        case .tell: break
        case .signIn(let way): _ = try await changeable().signIn(FirebaseSignIn(way))
        case .signOut: try changeable().signOut()
        }
        return report
    }

    private var report: SignInReport {
        let project = configuration.database?.project ?? ""
        let plan = CredentialsPlan(configuration, project: project)
        let isUser = firebaseUser != nil
        return SignInReport(
            user: firebaseUser?.user ?? configuration.user, source: plan.name,
            isChangeable: isUser,
            problem: health.problem(of: isUser ? .firebaseUser(project) : .credentials(project)))
    }

    private func changeable() throws(HearthError) -> FirebaseUser {
        if let firebaseUser { return firebaseUser }
        throw HearthError(
            code: .failedPrecondition,
            message: "No user can sign in or out here, for the daemon's credentials are of another "
                + "kind. Set credentials.source to firebaseUser, and credentials.apiKey.")
    }
}

extension FirebaseSignIn {
    /// The way that an administrator chose.
    init(_ way: SignInWay) {
        self =
            switch way {
            case .password(let email, let password): .password(email: email, password: password)
            case .newAccount(let email, let password):
                .newAccount(email: email, password: password)
            case .customToken(let token): .customToken(token)
            case .anonymous: .anonymous
            }
    }
}

extension CredentialsPlan {
    /// The name of the plan, for people.
    var name: String {
        switch self {
        case .none: "nothing"
        case .owner: "the emulator's administrator"
        case .emulatorUser: "an emulator's user, without proof"
        case .google: "a key, or the machine itself"
        case .firebaseUser: "a Firebase user"
        case .impossible: "nothing usable"
        }
    }
}
