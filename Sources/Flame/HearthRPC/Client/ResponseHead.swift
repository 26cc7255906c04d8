import HearthModel
import NIOHPACK

/// The headers or trailers of an answer, read.
struct ResponseHead {
    /// HTTP's status; empty in trailers.
    var status = ""
    /// `application/grpc`, with or without a suffix such as `+proto`.
    var contentType = ""
    /// How the server packs messages; `nil` for a coding that is not understood.
    var coding: ContentCoding? = .identity
    /// gRPC's status as it was written; `nil` if it is absent.
    private var grpcStatus: String?
    private var message = ""
    private var details = ""

    /// Reads the headers of gRPC in one pass.
    init(_ headers: HPACKHeaders) {
        for (name, value, _) in headers {
            switch name {
            case ":status": status = value
            case "content-type": contentType = value
            case "grpc-encoding": coding = ContentCoding(name: value)
            case "grpc-status": grpcStatus = value
            case "grpc-message": message = value
            case "grpc-status-details-bin": details = value
            default: break
            }
        }
    }

    /// Whether these headers come before the real ones.
    var isInformational: Bool { status.utf8.count == 3 && status.utf8.first == UInt8(ascii: "1") }

    /// How the call ended; `nil` if the headers do not say it.
    var end: CallEnd? {
        guard let grpcStatus else { return nil }
        let code = Int32(grpcStatus).flatMap(StatusCode.init(rawValue:)) ?? .unknown
        if code == .ok { return .well }
        return CallEnd(
            HearthError(code: code, message: GRPCStatusText.decode(message)),
            details: Base64.decode(details) ?? [])
    }

    /// How the call ended if these headers cannot begin the answer of a server of gRPC; else `nil`.
    var refusal: CallEnd? {
        if status != "200" {
            return end
                ?? CallEnd(
                    HearthError(
                        code: StatusCode(httpStatus: status),
                        message: "The server answered with the status \(status.shown) of HTTP, and "
                            + "none of gRPC."))
        }
        guard contentType.utf8.starts(with: "application/grpc".utf8) else {
            return end
                ?? CallEnd(
                    HearthError(
                        code: .unknown,
                        message: "The server answered with \(contentType.shown), not with gRPC."))
        }
        guard coding != nil else {
            return CallEnd(
                HearthError(
                    code: .internalError,
                    message: "The server packs its messages in a way that was not offered."))
        }
        return nil
    }
}

extension String {
    /// At most so much as a message for people can bear, in quotes.
    fileprivate var shown: String { "\"\(prefix(64))\"" }
}
