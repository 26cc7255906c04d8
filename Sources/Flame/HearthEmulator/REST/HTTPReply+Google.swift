import HearthModel
import HearthRPC

/// Answers of REST in Google's form.
extension HTTPReply {
    /// An empty message.
    static let emptyObject = json(Array("{}".utf8))

    /// An error in Google's form.
    static func error(_ error: HearthError) -> HTTPReply {
        let status = httpStatus(error.code)
        var text = JSONText()
        text.beginObject()
        text.name("error")
        text.beginObject()
        text.name("code")
        text.integer(Int64(status))
        text.name("message")
        text.string(error.message)
        text.name("status")
        text.string(error.code.name)
        text.endObject()
        text.endObject()
        return json(text.bytes, status: status)
    }

    /// The HTTP status for a status of gRPC.
    ///
    /// - Source: `google/rpc/code.proto`.
    static func httpStatus(_ code: StatusCode) -> Int {
        switch code {
        case .ok: 200
        case .cancelled: 499
        case .invalidArgument, .failedPrecondition, .outOfRange: 400
        case .unauthenticated: 401
        case .permissionDenied: 403
        case .notFound: 404
        case .alreadyExists, .aborted: 409
        case .resourceExhausted: 429
        case .unimplemented: 501
        case .unavailable: 503
        case .deadlineExceeded: 504
        case .unknown, .internalError, .dataLoss: 500
        }
    }
}
