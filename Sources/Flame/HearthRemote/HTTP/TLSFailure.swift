import GRPCCore
import NIOSSL

/// Why TLS with a server failed.
enum TLSFailure: Hashable, Sendable {
    /// No trusted authority vouches for the server's certificate, or the certificate has expired.
    case unknownAuthority
    /// The certificate belongs to another server.
    case wrongName
    /// Anything else, in the library's words.
    case other(String)

    /// Looks for TLS among an error and its causes.
    init?(_ error: any Error) {
        switch error {
        case let error as RPCError:
            guard let failure = error.cause.flatMap({ TLSFailure($0) }) else { return nil }
            self = failure
        case let error as RuntimeError:
            guard let failure = error.cause.flatMap({ TLSFailure($0) }) else { return nil }
            self = failure
        case let error as NIOSSLExtraError:
            self = error == .failedToValidateHostname ? .wrongName : .other("\(error)")
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
