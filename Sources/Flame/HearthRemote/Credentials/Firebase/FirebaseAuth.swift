package import HearthModel

/// The endpoints of Firebase Auth.
///
/// - Source: firebase.google.com/docs/reference/rest/auth; the emulator hangs the same paths under
///   its own host.
package struct FirebaseAuth: Sendable {
    private let apiKey: Secret
    private let emulator: String?
    private let http: HTTPClient
    private let clock: any RemoteClock

    /// The endpoints for a project's API key.
    ///
    /// - Parameters:
    ///   - apiKey: The key of the project, which every call shows.
    ///   - emulator: The host and port of an emulator, as `FIREBASE_AUTH_EMULATOR_HOST` names it;
    ///     `nil` for the service.
    ///   - http: Makes the calls.
    ///   - clock: Gives the time from which a token's life counts.
    package init(
        apiKey: Secret, emulator: String? = nil, http: HTTPClient = HTTPClient(),
        clock: any RemoteClock = SystemRemoteClock()
    ) {
        self.apiKey = apiKey
        self.emulator = emulator
        self.http = http
        self.clock = clock
    }

    /// Becomes a user.
    func signIn(
        _ signIn: FirebaseSignIn
    ) async throws(HearthError) -> (FirebaseSession, AccessToken) {
        let address = try address("identitytoolkit.googleapis.com/v1/accounts:\(signIn.method)")
        return try await ask(
            .post(address, json: JSONWriter.bytes(of: .object(signIn.fields))),
            names: Names(
                token: "idToken", refreshToken: "refreshToken", life: "expiresIn",
                user: "localId"),
            secrets: signIn.secrets,
            cure: "Check credentials.email and the password, and that this way of signing in is "
                + "enabled for the project.")
    }

    /// Fetches a new ID token.
    func refresh(
        _ refreshToken: Secret
    ) async throws(HearthError) -> (FirebaseSession, AccessToken) {
        try await ask(
            .post(
                try address("securetoken.googleapis.com/v1/token"),
                form: ["grant_type": "refresh_token", "refresh_token": refreshToken.revealed]),
            names: Names(
                token: "id_token", refreshToken: "refresh_token", life: "expires_in",
                user: "user_id"),
            secrets: [refreshToken],
            cure: "Check that the user was not disabled or deleted, and sign in again.")
    }

    /// How an answer's members are called.
    private struct Names {
        let token: String
        let refreshToken: String
        let life: String
        let user: String
    }

    private func address(_ path: String) throws(HearthError) -> WebAddress {
        let text = emulator.map { "http://\($0)/\(path)" } ?? "https://\(path)"
        guard let address = WebAddress(text) else {
            throw HearthError(
                code: .failedPrecondition,
                message:
                    "\"\(emulator ?? "")\" is no host. Correct FIREBASE_AUTH_EMULATOR_HOST, as "
                    + "HOST:PORT.")
        }
        return address.adding("key", apiKey.revealed)
    }

    private func ask(
        _ request: HTTPRequest, names: Names, secrets: [Secret], cure: String
    ) async throws(HearthError) -> (FirebaseSession, AccessToken) {
        let askedAt = clock.now()
        let answer = try await http.send(request)
        let json = try? JSONReader.read(answer.body)
        guard answer.isSuccess else {
            throw TokenEndpoint.refusal(
                answer, json, from: request, secrets: secrets + [apiKey], cure: cure)
        }
        guard let token = json?[names.token]?.string.map(Secret.init),
            let refreshToken = json?[names.refreshToken]?.string,
            let life = json?[names.life]?.seconds, life > 0,
            let user = json?[names.user]?.string ?? Self.user(of: token), !user.isEmpty
        else {
            throw HearthError(
                code: .unavailable,
                message: "\(request.address) answered without a token. Check that it is Firebase "
                    + "Auth.")
        }
        return (
            FirebaseSession(user: UserID(user), refreshToken: Secret(refreshToken)),
            AccessToken(
                token, fetchedAt: askedAt, expiresAt: askedAt.advanced(by: .seconds(life)),
                user: UserID(user))
        )
    }

    private static func user(of token: Secret) -> String? {
        let claims = JSONWebToken.claims(of: token)
        return claims?["user_id"]?.string ?? claims?["sub"]?.string
    }
}
