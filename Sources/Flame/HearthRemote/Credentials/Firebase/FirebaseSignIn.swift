package import HearthModel

/// A way to become a Firebase user.
package enum FirebaseSignIn: Hashable, Sendable {
    /// Somebody with an account and a password.
    case password(email: String, password: Secret)
    /// Somebody who gets an account by this.
    case newAccount(email: String, password: Secret)
    /// Somebody for whom a server of the project's owner vouches.
    case customToken(Secret)
    /// A user without a name, made by this.
    case anonymous

    /// The method of the endpoint.
    var method: String {
        switch self {
        case .password: "signInWithPassword"
        case .newAccount, .anonymous: "signUp"
        case .customToken: "signInWithCustomToken"
        }
    }

    /// What the endpoint is told.
    var fields: [JSONValue.Member] {
        let wantsToken = JSONValue.Member(name: "returnSecureToken", value: .boolean(true))
        switch self {
        case .password(let email, let password), .newAccount(let email, let password):
            return [
                .init(name: "email", value: .string(email)),
                .init(name: "password", value: .string(password.revealed)), wantsToken,
            ]
        case .customToken(let token):
            return [.init(name: "token", value: .string(token.revealed)), wantsToken]
        case .anonymous:
            return [wantsToken]
        }
    }

    /// What must not be repeated.
    var secrets: [Secret] {
        switch self {
        case .password(_, let secret), .newAccount(_, let secret), .customToken(let secret):
            [secret]
        case .anonymous: []
        }
    }
}

/// A Firebase user who is signed in, or that nobody is.
package struct FirebaseSession: Hashable, Sendable {
    /// Who it is.
    package let user: UserID
    /// By which new ID tokens are fetched; `nil` if nobody is signed in.
    package let refreshToken: Secret?

    /// Takes what an endpoint answered.
    package init(user: UserID, refreshToken: Secret?) {
        self.user = user
        self.refreshToken = refreshToken
    }

    /// Nobody is signed in, by an administrator's wish.
    package static let signedOut = FirebaseSession(user: .unauthenticated, refreshToken: nil)
}
