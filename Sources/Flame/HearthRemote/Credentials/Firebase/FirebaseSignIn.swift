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

    /// The fields of the request to the endpoint.
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

    /// The secrets that no message may repeat.
    var secrets: [Secret] {
        switch self {
        case .password(_, let secret), .newAccount(_, let secret), .customToken(let secret):
            [secret]
        case .anonymous: []
        }
    }
}

/// A signed-in Firebase user, or the fact that nobody is signed in.
package struct FirebaseSession: Hashable, Sendable {
    /// The user who is signed in.
    package let user: UserID
    /// The token that fetches new ID tokens; `nil` if nobody is signed in.
    package let refreshToken: Secret?

    /// Takes what an endpoint answered.
    package init(user: UserID, refreshToken: Secret?) {
        self.user = user
        self.refreshToken = refreshToken
    }

    /// The session after an administrator signed out: nobody is signed in.
    package static let signedOut = FirebaseSession(user: .unauthenticated, refreshToken: nil)
}
