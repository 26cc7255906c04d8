import HearthModel

/// The key of a service account.
package struct ServiceAccountKey: Sendable {
    /// The account's e-mail address.
    package let email: String
    /// The account's project, if the file names the project.
    package let project: String?
    /// The endpoint that exchanges the account's assertions for tokens.
    package let tokenAddress: WebAddress
    let keyID: String?
    let key: RSASigningKey

    /// Google's endpoint, if a file names none.
    private static let defaultTokenAddress = "https://oauth2.googleapis.com/token"

    /// Reads the file's members.
    init(_ json: JSONValue, path: String) throws(HearthError) {
        email = try json.required("client_email", in: path)
        project = json["project_id"]?.string
        keyID = json["private_key_id"]?.string
        guard
            let address = WebAddress(json["token_uri"]?.string ?? Self.defaultTokenAddress)
        else {
            throw .key(path, "\"token_uri\" is no address of HTTP.")
        }
        tokenAddress = address
        let pem = Secret(try json.required("private_key", in: path))
        do throws(HearthError) {
            key = try RSASigningKey(pem: pem)
        } catch {
            throw .key(path, error.message)
        }
    }

    /// A token that the account signs itself; the backend believes the token without an exchange.
    ///
    /// - Source: google.aip.dev/auth/4111.
    func selfSigned(at now: Timestamp) throws(HearthError) -> AccessToken {
        let claims = claims(
            audience: .init(name: "aud", value: .string("https://firestore.googleapis.com/")),
            at: now)
        return AccessToken(
            try JSONWebToken.signed(claims, by: key, keyID: keyID), fetchedAt: now,
            expiresAt: now.advanced(by: Self.life))
    }

    /// The signed assertion that the endpoint exchanges for a token.
    ///
    /// - Source: RFC 7523.
    func assertion(
        for purpose: TokenPurpose, at now: Timestamp
    ) throws(HearthError) -> Secret {
        let audience = JSONValue.Member(name: "aud", value: .string("\(tokenAddress)"))
        let scopes = purpose.scopes.joined(separator: " ")
        let scope = JSONValue.Member(name: "scope", value: .string(scopes))
        return try JSONWebToken.signed(
            claims(audience: audience, at: now) + [scope], by: key, keyID: keyID)
    }

    /// The longest that Google believes.
    private static let life = Duration.seconds(3_600)

    private func claims(
        audience: JSONValue.Member, at now: Timestamp
    ) -> [JSONValue.Member] {
        [
            .init(name: "iss", value: .string(email)), .init(name: "sub", value: .string(email)),
            audience,
            .init(name: "iat", value: .integer(now.seconds)),
            .init(
                name: "exp", value: .integer(now.seconds + Self.life.components.seconds)),
        ]
    }
}
