import HearthModel
import HearthRPC
import NIOHTTP1

/// The answers of a console.
extension HTTPReply {
    /// JSON.
    static func value(_ value: JSONValue) -> HTTPReply { .json(JSONWriter.bytes(of: value)) }

    /// The answer to a request that failed.
    ///
    /// - Parameter status: The status, if it is not the one of the error's code.
    static func failure(_ error: HearthError, status: Int? = nil) -> HTTPReply {
        .json(JSONWriter.bytes(of: .failure(error)), status: status ?? error.code.httpStatus)
    }

    /// A page for a browser that was not let in.
    static func refusal(_ error: HearthError) -> HTTPReply {
        let html =
            #"<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Hearth</title></head>"#
            + "<body><h1>Hearth</h1><p>\(error.message)</p></body></html>"
        return HTTPReply(
            status: 401, contentType: "text/html; charset=utf-8", body: Array(html.utf8))
    }
}

extension StatusCode {
    /// The status of HTTP that a console answers with.
    var httpStatus: Int {
        switch self {
        case .ok: 200
        case .invalidArgument, .outOfRange: 400
        case .unauthenticated: 401
        case .permissionDenied: 403
        case .notFound: 404
        case .alreadyExists, .aborted: 409
        case .failedPrecondition: 412
        case .resourceExhausted: 429
        case .unimplemented: 501
        case .unavailable: 503
        case .deadlineExceeded: 504
        case .cancelled: 499
        case .unknown, .internalError, .dataLoss: 500
        }
    }
}

extension HearthError {
    /// The page asked for something that cannot be.
    static func argument(_ message: String) -> HearthError {
        HearthError(code: .invalidArgument, message: message)
    }

    /// The page asked for something that there is not.
    static func unknown(_ name: String) -> HearthError {
        HearthError(code: .notFound, message: "The console has no \"\(name.prefix(100))\".")
    }

    /// More is under way than the console does at once.
    static func tooMany(_ what: String) -> HearthError {
        HearthError(
            code: .resourceExhausted,
            message: "Too many \(what) are under way. Close a page, or try again.")
    }

    /// A body that cannot be read.
    static let badBody = HearthError(
        code: .resourceExhausted,
        message:
            "The body has more than \(ConsoleLimits.bodyByteCountMax) bytes, or cannot be unpacked."
    )
}
