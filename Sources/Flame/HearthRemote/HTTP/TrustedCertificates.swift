import GRPCNIOTransportHTTP2Posix
import NIOSSL

/// The authorities whose certificates we believe.
package enum TrustedCertificates: Hashable, Sendable {
    /// The authorities that the machine trusts.
    case system
    /// The authorities that a file in PEM names, and no other.
    case file(path: String)

    /// Makes the TLS context of an HTTP client. Reads the file.
    func context() throws -> NIOSSLContext {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.minimumTLSVersion = .tlsv12
        switch self {
        case .system: break
        case .file(let path): configuration.trustRoots = .file(path)
        }
        return try NIOSSLContext(configuration: configuration)
    }

    /// The same for a channel of gRPC.
    var roots: TLSConfig.TrustRootsSource {
        switch self {
        case .system: .systemDefault
        case .file(let path): .certificates([.file(path: path, format: .pem)])
        }
    }
}
