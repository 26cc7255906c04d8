/// The fault of a client that broke the rules of HTTP/2. The fault ends the connection.
struct HTTP2Fault: Error, Equatable {
    /// The code in the last frame, which tells the client what it did.
    let code: HTTP2Code
    /// What the client did, for the log.
    let reason: String

    /// A fault with its reason.
    init(_ code: HTTP2Code, _ reason: String) {
        self.code = code
        self.reason = reason
    }
}

/// The codes of HTTP/2 that tell why a stream or a connection ends.
enum HTTP2Code: UInt32, Sendable {
    case noError = 0
    case protocolError = 1
    case flowControlError = 3
    case streamClosed = 5
    case frameSizeError = 6
    case refusedStream = 7
    case compressionError = 9
    case enhanceYourCalm = 11
}
