import GRPCNIOTransportHTTP2Posix
import NIOSSL

/// By whose word we believe a server to be who it says.
package enum TrustedCertificates: Hashable, Sendable {
    /// The authorities that the machine trusts.
    case system
    /// The authorities that a file in PEM names, and no other.
    case file(path: String)

    /// What a TLS client of HTTP needs. Reads the file.
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
