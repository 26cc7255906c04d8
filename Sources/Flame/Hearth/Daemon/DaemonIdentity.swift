import HearthModel
import HearthWire

/// The daemon's identity at the backend: the Firebase user whose queue the daemon sends, and the
/// source of the credentials.
public struct DaemonIdentity: Hashable, Sendable {
    /// The Firebase user who is signed in; `nil` for none.
    public let userID: String?
    /// Where the daemon's credentials come from, for people.
    public let source: String
    /// Whether users can sign in and out. If not, the daemon's configuration fixes the identity.
    public let isChangeable: Bool
    /// Why the daemon has no credentials for the backend now; `nil` if the daemon has credentials.
    public let problem: String?

    init(_ report: SignInReport) {
        userID = report.user == .unauthenticated ? nil : report.user.rawValue
        source = report.source
        isChangeable = report.isChangeable
        problem = report.problem
    }
}

/// How a Firebase user signs in.
public enum DaemonSignIn: Sendable {
    /// With an account and its password.
    case password(email: String, password: String)
    /// With a new account, which the sign-in makes.
    case newAccount(email: String, password: String)
    /// With a token that a server of the project's owner made.
    case customToken(String)
    /// As a new user without a name.
    case anonymous

    fileprivate var way: SignInWay {
        switch self {
        case .password(let email, let password): .password(email: email, Secret(password))
        case .newAccount(let email, let password): .newAccount(email: email, Secret(password))
        case .customToken(let token): .customToken(Secret(token))
        case .anonymous: .anonymous
        }
    }
}

extension DaemonDatabase {
    /// Asks the daemon for its identity at the backend.
    ///
    /// - Throws: `unavailable` if no daemon answers.
    public func daemonIdentity() async throws -> DaemonIdentity {
        try await authenticate(.tell)
    }

    /// Signs a Firebase user in, for all programs of the machine.
    ///
    /// Writes of the user before wait in the queue until that user signs in again. Only root and
    /// the daemon's own user may sign a user in, unless the daemon's access rules say otherwise.
    ///
    /// - Throws: `unavailable` if no daemon answers, `permissionDenied` for other
    ///   users, `failedPrecondition` if no user can sign in at this daemon, or the error of the
    ///   sign-in.
    @discardableResult
    public func signInDaemon(_ signIn: DaemonSignIn) async throws -> DaemonIdentity {
        try await authenticate(.signIn(signIn.way))
    }

    /// Signs the Firebase user out, for all programs of the machine, until somebody signs in.
    ///
    /// Only root and the daemon's own user may sign the user out, unless the daemon's access rules
    /// say otherwise.
    ///
    /// - Throws: As `signInDaemon`.
    @discardableResult
    public func signOutDaemon() async throws -> DaemonIdentity {
        try await authenticate(.signOut)
    }

    private func authenticate(_ order: SignInOrder) async throws -> DaemonIdentity {
        let event = try await operatorDesk.ask(.administration(.authenticate(order)))
        guard case .signIn(let report) = event else { throw operatorDesk.unexpected(event) }
        return DaemonIdentity(report)
    }
}
