import HearthModel

/// Tokens of a person who signed in with `gcloud`.
struct AuthorizedUserSource: Sendable {
    let key: AuthorizedUserKey
    let quotaProject: String?
    let endpoint: TokenEndpoint

    /// Fetches a token.
    func fetch() async throws(HearthError) -> AccessToken {
        try await endpoint.token(
            .post(
                key.tokenAddress,
                form: [
                    "grant_type": "refresh_token", "client_id": key.clientID,
                    "client_secret": key.clientSecret.revealed,
                    "refresh_token": key.refreshToken.revealed,
                ]),
            secrets: [key.clientSecret, key.refreshToken],
            quotaProject: quotaProject ?? key.quotaProject,
            cure: "Sign in again with gcloud auth application-default login.")
    }
}
