package import HearthModel
import Synchronization

/// The Firebase user of this machine: signs in as configured or as an administrator asks, shows ID
/// tokens, and tells when the user changes.
///
/// A change is durable before it is told, and told before a token of the new user is shown.
package final class FirebaseUser: Credentials {
    /// How to sign in without being asked.
    package enum Configured: Sendable {
        /// With what these files and words say, read anew each time.
        case account(@Sendable () throws(HearthError) -> FirebaseSignIn)
        /// As a user without a name, who stays the same.
        case anonymous
        /// Only when an administrator asks.
        case nothing
    }

    private let tokens: TokenCredentials
    private let source: Source

    /// Continues the session that was kept, or will sign in when a token is needed.
    ///
    /// - Parameters:
    ///   - file: Where the session outlives the process; `nil` for nowhere.
    ///   - watch: Is told how it stands with the credentials.
    ///   - userChanged: Is told who is signed in, when that changes.
    package init(
        _ auth: FirebaseAuth, signingIn configured: Configured, keptIn file: FirebaseSessionFile?,
        clock: any RemoteClock = SystemRemoteClock(),
        watch: @escaping @Sendable (CredentialsState) -> Void = { _ in },
        userChanged: @escaping @Sendable (UserID) -> Void = { _ in }
    ) {
        source = Source(auth, configured, file, clock, userChanged)
        tokens = TokenCredentials(source, clock: clock, watch: watch)
    }

    /// Who is signed in now.
    package var user: UserID { source.user }

    /// Fetches the first token, so that what is wrong is told before the first call.
    package func start() { tokens.start() }

    /// An administrator signs in. Whoever was signed in before is no more; what they wrote waits
    /// for them.
    ///
    /// - Returns: Who it is.
    package func signIn(_ signIn: FirebaseSignIn) async throws(HearthError) -> UserID {
        let user = try await source.signIn(signIn)
        tokens.identityChanged()
        return user
    }

    /// An administrator signs out. Stays so after a restart, until somebody signs in.
    package func signOut() throws(HearthError) {
        try source.signOut()
        tokens.identityChanged()
    }

    package func headers(as user: UserID?) async throws(HearthError) -> [Header] {
        try await tokens.headers(as: user)
    }

    package func refused(_ headers: [Header]) async { await tokens.refused(headers) }

    package func believed(_ headers: [Header]) async { await tokens.believed(headers) }
}

/// Where the user's tokens come from: the shell of `FirebaseSessionMachine`.
private final class Source: TokenSource {
    private let auth: FirebaseAuth
    private let configured: FirebaseUser.Configured
    private let file: FirebaseSessionFile?
    private let clock: any RemoteClock
    private let userChanged: @Sendable (UserID) -> Void
    private let machine: Mutex<FirebaseSessionMachine>

    init(
        _ auth: FirebaseAuth, _ configured: FirebaseUser.Configured, _ file: FirebaseSessionFile?,
        _ clock: any RemoteClock, _ userChanged: @escaping @Sendable (UserID) -> Void
    ) {
        self.auth = auth
        self.configured = configured
        self.file = file
        self.clock = clock
        self.userChanged = userChanged
        let kind: FirebaseSessionMachine.Configured =
            switch configured {
            case .account: .account
            case .anonymous: .anonymous
            case .nothing: .nothing
            }
        machine = Mutex(FirebaseSessionMachine(kind, kept: file?.read()))
    }

    var user: UserID { machine.withLock { $0.user } }

    func fetch() async throws(HearthError) -> AccessToken {
        while true {
            let step = machine.withLock { $0.step }
            switch step {
            case .showNothing:
                return .nobody(at: clock.now())
            case .signIn:
                let (session, token) = try await auth.signIn(try wanted())
                if try take({ $0.answered(step, by: session) }) { return token }
            case .giveUp:
                throw HearthError(
                    code: .unauthenticated,
                    message:
                        "The Firebase user \(user) is refused for good. Sign out or sign in as "
                        + "another; what this user wrote waits meanwhile.")
            case .refresh(let refreshToken):
                do throws(HearthError) {
                    let (session, token) = try await auth.refresh(refreshToken)
                    if try take({ $0.answered(step, by: session) }) { return token }
                } catch {
                    guard error.code == .unauthenticated else { throw error }
                    machine.withLock { $0.refreshRefused(refreshToken) }
                }
            }
        }
    }

    func signIn(_ signIn: FirebaseSignIn) async throws(HearthError) -> UserID {
        let (session, _) = try await auth.signIn(signIn)
        _ = try take { $0.signedIn(session) }
        return session.user
    }

    func signOut() throws(HearthError) {
        _ = try take { $0.signedOut() }
    }

    private func wanted() throws(HearthError) -> FirebaseSignIn {
        switch configured {
        case .account(let read): try read()
        case .anonymous: .anonymous
        case .nothing: preconditionFailure("Signs in although nothing says how")
        }
    }

    /// Decides on a copy, and keeps it only if what it decided is durable.
    ///
    /// - Returns: Whether the machine took the input.
    private func take(
        _ input: (inout FirebaseSessionMachine) -> [FirebaseSessionMachine.Action]?
    ) throws(HearthError) -> Bool {
        let result = machine.withLock { machine -> Result<[UserID]?, HearthError> in
            var next = machine
            var announced: [UserID] = []
            guard let actions = input(&next) else { return .success(nil) }
            do throws(HearthError) {
                for action in actions {
                    switch action {
                    case .save(let session): try file?.write(session)
                    case .announce(let user): announced.append(user)
                    }
                }
            } catch {
                return .failure(error)
            }
            machine = next
            return .success(announced)
        }
        guard let announced = try result.get() else { return false }
        for user in announced { userChanged(user) }
        return true
    }
}

extension AccessToken {
    /// What is shown when nobody is signed in: nothing.
    fileprivate static func nobody(at now: Timestamp) -> AccessToken {
        AccessToken(
            Secret(""), fetchedAt: now, expiresAt: now.advanced(by: .seconds(365 * 86_400)),
            user: .unauthenticated)
    }
}
