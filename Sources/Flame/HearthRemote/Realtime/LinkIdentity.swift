package import HearthModel
import HearthRealtime

/// Finds out who a link shows itself as.
package struct LinkIdentity: Sendable {
    /// The source of tokens.
    package let credentials: any Credentials
    /// What an administrator wants to be taken for by the rules.
    package let override: RealtimeCredential.Override?

    /// Joins the parts.
    package init(
        _ credentials: any Credentials, override: RealtimeCredential.Override? = nil
    ) {
        self.credentials = credentials
        self.override = override
    }

    /// The credential of a user, or of whoever is signed in if no user is named; `nil` if nothing is to be
    /// shown.
    ///
    /// Firebase's own tokens are JSON Web Tokens with the time of their making. All others, such as
    /// an account's access token, are shown as a service's.
    ///
    /// - Source: firebase-js-sdk `core/PersistentConnection.ts`, which asks the token the same.
    func credential(as user: UserID?) async throws(HearthError) -> LinkCredential? {
        guard let token = try await credentials.headers(as: user).bearerToken else { return nil }
        let claims = JSONWebToken.claims(of: token)
        let isUsers = claims?["iat"]?.integer != nil
        let end = claims?["exp"]?.integer.map { Timestamp(seconds: $0, nanoseconds: 0) }
        return LinkCredential(
            RealtimeCredential(isUsers ? .user : .service, token: token, override: override),
            expiresAt: end)
    }
}
