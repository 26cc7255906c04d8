import HearthModel

/// Tokens of a service account.
struct ServiceAccountSource: Sendable {
    let key: ServiceAccountKey
    let purpose: TokenPurpose
    let quotaProject: String?
    let endpoint: TokenEndpoint

    /// Signs or fetches a token.
    func fetch() async throws(HearthError) -> AccessToken {
        let now = endpoint.clock.now()
        guard purpose.isExchanged else {
            let token = try key.selfSigned(at: now)
            return AccessToken(
                token.value, fetchedAt: token.fetchedAt, expiresAt: token.expiresAt,
                quotaProject: quotaProject)
        }
        let assertion = try key.assertion(for: purpose, at: now)
        return try await endpoint.token(
            .post(
                key.tokenAddress,
                form: [
                    "grant_type": "urn:ietf:params:oauth:grant-type:jwt-bearer",
                    "assertion": assertion.revealed,
                ]),
            secrets: [assertion], quotaProject: quotaProject,
            cure: "Check that the key of \(key.email) was not deleted or disabled, and that this "
                + "machine's clock is right.")
    }
}
