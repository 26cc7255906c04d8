import GRPCCore
import HearthModel
import HearthProtocol

extension HearthError {
    /// How a call ended, in our words; the code is the backend's.
    init(_ error: any Error) {
        switch error {
        case let error as HearthError:
            self = error
        case let error as RPCError where TLSFailure(error) != nil:
            self = .untrusted(TLSFailure(error) ?? .other("\(error)"), server: "the backend")
        case let error as RPCError:
            let code = StatusCode(rawValue: Int32(error.code.rawValue)) ?? .unknown
            self.init(code: code, message: error.message)
        case let error as CodecError:
            self.init(
                code: .internalError, message: "The backend's answer cannot be read. \(error)")
        case is CancellationError:
            self.init(code: .cancelled, message: "The call was cancelled here.")
        case let error as RuntimeError:
            // The channel is closed, or no connection can be made.
            self.init(code: .unavailable, message: error.message)
        default:
            self.init(code: .unknown, message: "\(error)")
        }
    }

    /// The request cannot be expressed in the backend's protocol.
    init(unsendable error: CodecError) {
        self.init(code: .invalidArgument, message: "The request cannot be sent. \(error)")
    }
}

extension HearthError {
    private static let certificateFailure = "The backend cannot be trusted. "

    /// TLS failed on the way to the backend. It is tried again: a certificate can be mended there.
    static func untrusted(_ failure: TLSFailure, server: String) -> HearthError {
        HearthError(
            code: .unavailable, message: certificateFailure + failure.message(server: server))
    }

    /// Whether TLS failed.
    var isCertificateFailure: Bool {
        code == .unavailable && message.hasPrefix(Self.certificateFailure)
    }
}
