import HearthModel
import NIOHTTP1

/// What a REST request is answered with at once.
struct RESTReply: Equatable, Sendable {
    let status: Int
    let contentType: String?
    var body: [UInt8]
    /// Headers beside those that say what the body is.
    var headers: HTTPHeaders = [:]

    /// JSON.
    static func json(_ body: [UInt8], status: Int = 200) -> RESTReply {
        RESTReply(status: status, contentType: "application/json", body: body)
    }

    /// A line of text.
    static func text(_ text: String, status: Int = 200) -> RESTReply {
        RESTReply(status: status, contentType: "text/plain", body: Array("\(text)\n".utf8))
    }

    /// A page for a browser.
    static func page(_ html: String) -> RESTReply {
        RESTReply(status: 200, contentType: "text/html; charset=utf-8", body: Array(html.utf8))
    }

    /// Nothing to say.
    static let empty = RESTReply(status: 200, contentType: nil, body: [])
    /// What is not served.
    static let notFound = text("Not Found", status: 404)
    /// A body that is packed in a way that nobody here knows.
    static let unknownCoding = text(
        "Bodies may be packed by \(ContentCoding.names) only", status: 415)
    /// An empty message.
    static let emptyObject = json(Array("{}".utf8))

    /// An error in Google's form.
    static func error(_ error: HearthError) -> RESTReply {
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

    /// The status of HTTP that stands for one of gRPC.
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
