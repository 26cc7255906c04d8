import NIOSSL

/// Why TLS with a server failed.
enum TLSFailure: Hashable, Sendable {
    /// No trusted authority vouches for the server's certificate, or the certificate has expired.
    case unknownAuthority
    /// The certificate belongs to another server.
    case wrongName
    /// Anything else, in the library's words.
    case other(String)

    /// Looks whether an error is one of TLS.
    init?(_ error: any Error) {
        switch error {
        case let error as NIOSSLExtraError:
            self = error == .failedToValidateHostname ? .wrongName : .other("\(error)")
        case NIOSSLError.uncleanShutdown, NIOSSLError.shutdownFailed:
            return nil  // A connection that stood was cut, as any may be.
        case let error as NIOSSLError:
            self = Self.reading("\(error)")
        case let error as BoringSSLError:
            self = Self.reading("\(error)")
        default:
            return nil
        }
    }

    private static func reading(_ text: String) -> TLSFailure {
        text.contains("CERTIFICATE_VERIFY_FAILED") ? .unknownAuthority : .other(text)
    }

    /// The failure and its cure.
    func message(server: String) -> String {
        switch self {
        case .unknownAuthority:
            "No authority that is trusted here vouches for the certificate of \(server), or it has "
                + "expired. Install the authority's certificate, or name its file in PEM as "
                + "upstream.trustedCertificates; check the clock."
        case .wrongName:
            "The certificate is not one of \(server). Check upstream.address, or name the server "
                + "as its certificate does in upstream.serverName."
        case .other(let text):
            "TLS failed with \(server): \(text). Check that it speaks TLS."
        }
    }
}
