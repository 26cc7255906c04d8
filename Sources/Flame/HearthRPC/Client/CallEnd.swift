package import HearthModel
import NIOHTTP2

/// How a call to a server ended.
package struct CallEnd: Sendable {
    /// Why the call failed; `nil` if the server ended the call in good order.
    package let error: HearthError?
    /// The server's `google.rpc.Status` about the error, encoded; empty if the server sent none.
    package let details: [UInt8]
    /// What broke the connection, such as an error of TLS; `nil` if the connection did not break.
    package let cause: (any Error)?
    /// Whether the server has certainly not begun the call.
    let isUntouched: Bool
    /// Whether the call failed because we could not read, or would not take, what the server sent.
    package let isUnreadable: Bool

    /// The server ended the call in good order.
    static let well = CallEnd(nil)

    /// Joins an error with what is known of it.
    init(
        _ error: HearthError?, details: [UInt8] = [], cause: (any Error)? = nil,
        isUntouched: Bool = false, isUnreadable: Bool = false
    ) {
        self.error = error
        self.details = details
        self.cause = cause
        self.isUntouched = isUntouched
        self.isUnreadable = isUnreadable
    }
}

extension CallEnd {
    /// The server reset the stream.
    ///
    /// - Source: gRPC over HTTP/2, the table of HTTP/2's error codes.
    init(reset code: HTTP2ErrorCode) {
        let status: StatusCode =
            switch code {
            case .refusedStream: .unavailable
            case .cancel: .cancelled
            case .enhanceYourCalm: .resourceExhausted
            case .inadequateSecurity: .permissionDenied
            default: .internalError
            }
        self.init(
            HearthError(code: status, message: "The server broke the call off: \(code)."),
            isUntouched: code == .refusedStream)
    }
}

extension StatusCode {
    /// What a status of HTTP means for a call whose server did not speak gRPC.
    ///
    /// - Source: gRPC over HTTP/2, the table of HTTP's status codes.
    init(httpStatus: String) {
        self =
            switch httpStatus {
            case "400": .internalError
            case "401": .unauthenticated
            case "403": .permissionDenied
            case "404": .unimplemented
            case "429", "502", "503", "504": .unavailable
            default: .unknown
            }
    }
}
