import HearthModel

/// A JSON Web Token: header, claims and signature, joined by dots.
///
/// - Source: RFC 7519, RFC 7515.
enum JSONWebToken {
    /// A token that its owner's RSA key signs.
    ///
    /// - Parameter keyID: The name of `key` among the owner's keys, if the key has a name.
    static func signed(
        _ claims: [JSONValue.Member], by key: RSASigningKey, keyID: String?
    ) throws(HearthError) -> Secret {
        var header: [JSONValue.Member] = [
            .init(name: "alg", value: .string("RS256")),
            .init(name: "typ", value: .string("JWT")),
        ]
        if let keyID { header.append(.init(name: "kid", value: .string(keyID))) }
        let text = signingInput(header, claims)
        return Secret("\(text).\(Base64.encodeForLinks(try key.sign(Array(text.utf8))))")
    }

    /// A token that nobody signs. Emulators believe it.
    static func unsigned(_ claims: [JSONValue.Member]) -> Secret {
        let header: [JSONValue.Member] = [
            .init(name: "alg", value: .string("none")), .init(name: "typ", value: .string("JWT")),
        ]
        return Secret("\(signingInput(header, claims)).")
    }

    /// The claims of a token, unverified.
    ///
    /// The token comes from the server that we asked, so we do not check the signature.
    static func claims(of token: Secret) -> JSONValue? {
        let parts = token.revealed.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let bytes = Base64.decode(String(parts[1])) else { return nil }
        return try? JSONReader.read(bytes)
    }

    private static func signingInput(
        _ header: [JSONValue.Member], _ claims: [JSONValue.Member]
    ) -> String {
        [header, claims].map { Base64.encodeForLinks(JSONWriter.bytes(of: .object($0))) }
            .joined(separator: ".")
    }
}
