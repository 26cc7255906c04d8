package import HearthModel

/// Decides who is signed in, and how to get the next token.
///
///     nobody yet --signedIn--> signed in --signedOut--> signed out
///                                  |    <--signedIn--
///                                  +--refreshRefused--> signs in again, or is lost
///
/// A session outlives the process, so that the user is known at the next start without a network,
/// and an anonymous user stays the same.
package struct FirebaseSessionMachine: Sendable {
    /// The way to get a token.
    package enum Step: Hashable, Sendable {
        /// Signs in as configured.
        case signIn
        /// Fetches an ID token for a session.
        case refresh(Secret)
        /// Nobody is signed in, so calls show no token.
        case showNothing
        /// There is nothing to try.
        case giveUp
    }

    /// What the shell must do, in order.
    package enum Action: Hashable, Sendable {
        /// Makes a session durable.
        case save(FirebaseSession)
        /// Tells the engines that the user changed.
        case announce(UserID)
    }

    /// The cure when the backend refuses a session.
    package enum Configured: Hashable, Sendable {
        /// Signing in again leads to the same user.
        case account
        /// Signing in again would make another user, and leave the old user's writes behind.
        case anonymous
        /// Only an administrator signs in.
        case nothing
    }

    private let configured: Configured
    private var session: FirebaseSession?
    /// Whether the session's refresh token is of no use any more.
    private var isRefused = false

    /// Continues a session that was kept, if there is one.
    package init(_ configured: Configured, kept: FirebaseSession?) {
        self.configured = configured
        session = kept
    }

    /// Who is signed in.
    package var user: UserID { session?.user ?? .unauthenticated }

    /// The way to get the next token.
    package var step: Step {
        guard let session else { return configured == .nothing ? .showNothing : .signIn }
        guard let token = session.refreshToken else { return .showNothing }
        guard isRefused else { return .refresh(token) }
        return configured == .account ? .signIn : .giveUp
    }

    /// An endpoint knows the user, who signed in or was refreshed.
    package mutating func signedIn(_ session: FirebaseSession) -> [Action] {
        let before = self.session
        self.session = session
        isRefused = false
        return (session == before ? [] : [.save(session)])
            + (session.user == before?.user ?? .unauthenticated ? [] : [.announce(session.user)])
    }

    /// An endpoint answered a step that was begun some time ago.
    ///
    /// - Returns: What to do; `nil` if somebody else has signed in or out meanwhile, whom a late answer
    ///   must not undo.
    package mutating func answered(_ step: Step, by session: FirebaseSession) -> [Action]? {
        step == self.step ? signedIn(session) : nil
    }

    /// An endpoint refused the session for good.
    package mutating func refreshRefused(_ token: Secret) {
        if session?.refreshToken == token { isRefused = true }
    }

    /// An administrator signs the user out. Stays so after a restart.
    package mutating func signedOut() -> [Action] { signedIn(.signedOut) }
}
