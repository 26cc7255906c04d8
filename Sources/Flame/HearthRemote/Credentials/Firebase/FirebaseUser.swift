package import HearthModel
import Synchronization

/// The Firebase user of this machine: signs in as configured or as an administrator asks, shows ID
/// tokens, and tells when the user changes.
///
/// A change of the user is durable before `userChanged` hears the change. `userChanged` hears the
/// change before a call shows a token of the new user.
package final class FirebaseUser: Credentials {
    /// How to sign in without being asked.
    package enum Configured: Sendable {
        /// As an account, whose files are read anew at each sign-in.
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
    ///   - auth: The endpoints of the project.
    ///   - configured: How to sign in without being asked.
    ///   - file: Where the session outlives the process; `nil` for nowhere.
    ///   - clock: Says when a token is due for a new one.
    ///   - watch: Hears the state of the credentials when the state changes.
    ///   - userChanged: Hears the user who is signed in when the user changes.
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

    /// Fetches the first token, so that a failure is told before the first call.
    package func start() { tokens.start() }

    /// Signs a user in, as an administrator asks.
    ///
    /// The earlier user is no longer signed in; that user's writes wait until the user signs in
    /// again.
    ///
    /// - Returns: The user who is now signed in.
    /// - Throws: Why the sign-in failed, or why the session could not be saved.
    package func signIn(_ signIn: FirebaseSignIn) async throws(HearthError) -> UserID {
        let user = try await source.signIn(signIn)
        tokens.identityChanged()
        return user
    }

    /// Signs the user out, as an administrator asks.
    ///
    /// Nobody is signed in then, even after a restart, until somebody signs in.
    ///
    /// - Throws: Why the session could not be saved.
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

    /// Lets a copy of the machine decide, and keeps the copy only once the decision is durable.
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
    /// The token when nobody is signed in: an empty token.
    fileprivate static func nobody(at now: Timestamp) -> AccessToken {
        AccessToken(
            Secret(""), fetchedAt: now, expiresAt: now.advanced(by: .seconds(365 * 86_400)),
            user: .unauthenticated)
    }
}
