package import HearthModel
import NIOSSL

/// The authorities whose certificates we believe.
package enum TrustedCertificates: Hashable, Sendable {
    /// The authorities that the machine trusts.
    case system
    /// The authorities that a file in PEM names, and no other.
    case file(path: String)

    /// Reads the file, if there is one, as each connection will.
    ///
    /// - Throws: `failedPrecondition` if the file has no certificates.
    package func check() throws(HearthError) {
        guard case .file(let path) = self else { return }
        if PipeMemory.isPipe(path) {
            throw HearthError(
                code: .failedPrecondition,
                message: "No certificate can be read from \(path), which is a pipe: each "
                    + "connection reads the certificates anew. Name a file.")
        }
        do {
            _ = try context()
        } catch {
            throw HearthError(
                code: .failedPrecondition,
                message: "No certificate can be read from \(path). Check that the file holds "
                    + "certificates in PEM and can be read.")
        }
    }

    /// Makes the TLS context of a client. Reads the file.
    ///
    /// - Parameter protocols: What the client speaks over TLS, by the names that ALPN has; none for
    ///   HTTP/1.1.
    func context(speaking protocols: [String] = []) throws -> NIOSSLContext {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.applicationProtocols = protocols
        configuration.minimumTLSVersion = .tlsv12
        switch self {
        case .system: break
        case .file(let path):
            // A second reader of a pipe finds nothing, or waits for a writer for ever.
            if PipeMemory.isPipe(path) { throw IsPipe() }
            configuration.trustRoots = .file(path)
        }
        return try NIOSSLContext(configuration: configuration)
    }

    private struct IsPipe: Error {}
}
