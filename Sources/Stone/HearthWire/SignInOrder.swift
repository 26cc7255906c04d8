package import HearthModel

/// What an administrator wants to know or change of the Firebase user of the daemon.
package enum SignInOrder: Hashable, Sendable {
    /// Only tells who is signed in.
    case tell
    /// Signs somebody in. What the user before wrote waits for them.
    case signIn(SignInWay)
    /// Signs out. Stays so after a restart.
    case signOut
}

/// A way to become a Firebase user.
package enum SignInWay: Hashable, Sendable {
    /// With an account and its password.
    case password(email: String, Secret)
    /// With an account that is made by this.
    case newAccount(email: String, Secret)
    /// With what a server of the project's owner vouches for.
    case customToken(Secret)
    /// As a new user without a name.
    case anonymous
}

/// Who the daemon is to the backend.
package struct SignInReport: Hashable, Sendable {
    /// The Firebase user; unauthenticated for none.
    package var user: UserID
    /// Where credentials come from, for people.
    package var source: String
    /// Whether users can sign in and out.
    package var isChangeable: Bool
    /// Why there is nothing to show to the backend now.
    package var problem: String?

    /// Joins the parts.
    package init(user: UserID, source: String, isChangeable: Bool, problem: String? = nil) {
        self.user = user
        self.source = source
        self.isChangeable = isChangeable
        self.problem = problem
    }
}
