package import HearthModel

/// An administrator's question or order about the daemon's Firebase user.
package enum SignInOrder: Hashable, Sendable {
    /// Asks who is signed in, and changes nothing.
    case tell
    /// Signs somebody in. The writes of the user before wait until that user signs in again.
    case signIn(SignInWay)
    /// Signs the user out. The daemon stays signed out after a restart.
    case signOut
}

/// A way to become a Firebase user.
package enum SignInWay: Hashable, Sendable {
    /// With an account and its password.
    case password(email: String, Secret)
    /// With a new account, which the sign-in makes.
    case newAccount(email: String, Secret)
    /// With a token that a server of the project's owner made.
    case customToken(Secret)
    /// As a new user without a name.
    case anonymous
}

/// The daemon's identity at the backend.
package struct SignInReport: Hashable, Sendable {
    /// The Firebase user; `unauthenticated` if nobody is signed in.
    package var user: UserID
    /// The source of the credentials, in a form for people.
    package var source: String
    /// Whether users can sign in and out.
    package var isChangeable: Bool
    /// Why the daemon has no credentials for the backend now; `nil` if the daemon has credentials.
    package var problem: String?

    /// Joins the parts.
    ///
    /// - Parameters:
    ///   - user: The Firebase user; `unauthenticated` if nobody is signed in.
    ///   - source: The source of the credentials, in a form for people.
    ///   - isChangeable: Whether users can sign in and out.
    ///   - problem: Why the daemon has no credentials for the backend now; `nil` if the daemon has
    ///     credentials.
    package init(user: UserID, source: String, isChangeable: Bool, problem: String? = nil) {
        self.user = user
        self.source = source
        self.isChangeable = isChangeable
        self.problem = problem
    }
}
