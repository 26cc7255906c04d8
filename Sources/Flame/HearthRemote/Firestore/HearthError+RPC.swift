import HearthModel
import HearthProtocol
import HearthRPC

extension HearthError {
    /// What befell a call here, in our words.
    init(_ error: any Error) {
        switch error {
        case let error as HearthError:
            self = error
        case let error as CodecError:
            self.init(
                code: .internalError, message: "The backend's answer cannot be read. \(error)")
        case is CancellationError:
            self.init(code: .cancelled, message: "The call was cancelled here.")
        default:
            self.init(code: .unknown, message: "\(error)")
        }
    }

    /// The backend watches a document that cannot be read here.
    init(unreadable error: CodecError, _ document: UnreadDocument) {
        let name = document.name.map { "\"\(PathError.brief($0))\"" } ?? "A document without a name"
        self.init(
            code: .dataLoss,
            message: "\(name) cannot be read here, so no query is answered that finds it. \(error) "
                + "Change the document, or try a newer hearthd.")
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

extension CallEnd {
    /// Why the call failed, in our words; the code is the backend's.
    var failure: HearthError? {
        guard let error else { return nil }
        if let failure = cause.flatMap({ TLSFailure($0) }) {
            return .untrusted(failure, server: "the backend")
        }
        return error
    }
}
