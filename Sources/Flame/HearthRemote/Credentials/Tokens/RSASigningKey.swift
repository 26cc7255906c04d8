import CryptoExtras
import HearthModel

/// A private RSA key that signs with SHA-256: what JWT calls RS256.
struct RSASigningKey: Sendable, CustomStringConvertible, CustomReflectable {
    private let key: _RSA.Signing.PrivateKey

    /// Reads a key in PEM, PKCS#8 or PKCS#1, of 2048 bits or more.
    ///
    /// - Throws: `failedPrecondition` if it is none.
    init(pem: Secret) throws(HearthError) {
        do {
            key = try _RSA.Signing.PrivateKey(pemRepresentation: pem.revealed)
        } catch {
            // The library's words may quote the key.
            throw HearthError(
                code: .failedPrecondition,
                message: "private_key is no RSA key in PEM of 2048 bits or more.")
        }
    }

    /// The signature by RSASSA-PKCS1-v1_5.
    func sign(_ bytes: [UInt8]) throws(HearthError) -> [UInt8] {
        do {
            let signature = try key.signature(for: bytes, padding: .insecurePKCS1v1_5)
            return signature.withUnsafeBytes { Array($0) }
        } catch {
            throw HearthError(
                code: .internalError, message: "The key of the service account cannot sign.")
        }
    }

    var description: String { "<secret>" }

    var customMirror: Mirror { Mirror(description, children: []) }
}
