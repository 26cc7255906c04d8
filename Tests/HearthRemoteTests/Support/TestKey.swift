import CryptoExtras
import HearthModel
import HearthTestSupport

/// A service account that exists only in tests, with a key of its own.
struct TestKey {
    static let email = "hearth@demo.iam.gserviceaccount.com"

    /// Made once: it takes a while.
    static let shared = Result { try TestKey() }

    let pem: String
    private let publicKey: _RSA.Signing.PublicKey

    private init() throws {
        let key = try _RSA.Signing.PrivateKey(keySize: .bits2048)
        pem = key.pkcs8PEMRepresentation
        publicKey = key.publicKey
    }

    /// The file that Google's console would give out.
    func json(tokenAddress: String? = nil) -> String {
        let key = pem.replacing("\n", with: "\\n")
        let address = tokenAddress.map { ", \"token_uri\": \"\($0)\"" } ?? ""
        return """
            {"type": "service_account", "project_id": "demo", "private_key_id": "k1",
             "private_key": "\(key)", "client_email": "\(Self.email)"\(address)}
            """
    }

    /// The claims of a token, if this key signed the token and the header is right.
    func claims(of token: String) throws -> JSONValue? {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 3, let signature = Base64.decode(parts[2]),
            publicKey.isValidSignature(
                _RSA.Signing.RSASignature(rawRepresentation: signature),
                for: Array("\(parts[0]).\(parts[1])".utf8), padding: .insecurePKCS1v1_5),
            let header = Base64.decode(parts[0]), let claims = Base64.decode(parts[1])
        else { return nil }
        let read = try JSONReader.read(header)
        guard read["alg"] == .string("RS256"), read["typ"] == .string("JWT"),
            read["kid"] == .string("k1")
        else { return nil }
        return try JSONReader.read(claims)
    }
}
