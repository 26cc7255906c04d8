package import NIOHTTP1

/// Answers to requests that no service can read.
extension HTTPReply {
    /// The answer to a first line whose path or parameters cannot be decoded.
    package static let unreadableTarget = text(
        "The path or a parameter in the request's first line cannot be read: the path begins with "
            + "a slash, a percent sign has two hexadecimal digits behind it, and the bytes are "
            + "UTF-8.",
        status: 400)

    /// The answer to a body in a coding that is not understood.
    package static func unknownCoding(of head: HTTPRequestHead) -> HTTPReply {
        let name = head.headers.first(name: "content-encoding") ?? ""
        return text(
            "The body is packed by \"\(name.prefix(100))\", which is not understood here. Pack it "
                + "by one of \(ContentCoding.names), or send it without Content-Encoding.",
            status: 415)
    }

    /// The answer to a request that waits for something that HTTP does not know.
    static func unknownExpectation(_ name: String) -> HTTPReply {
        text("Expect: \(name) is not understood; only 100-continue is.", status: 417)
    }

    /// The answer to a request for whose body the server has no room now.
    static let crowded = text(
        "The bodies of requests under way fill the \(ConnectionLimits.heldBodyByteCountMax) bytes "
            + "that are kept for them. Ask again when those requests are answered.",
        status: 503)

    /// The answer to bytes that are no request of HTTP/1.1.
    ///
    /// The connection ends after the answer, since nobody knows where the next request begins.
    init(_ error: HTTPParserError) {
        let (status, reason) = Self.told(error)
        self = .text(reason, status: status)
    }

    private static func told(_ error: HTTPParserError) -> (status: Int, reason: String) {
        switch error {
        case .headerOverflow:
            (431, "The request's first line, a header or all headers together are too large.")
        case .invalidVersion:
            (505, "The request's version of HTTP is not spoken here; HTTP/1.1 and HTTP/2 are.")
        case .invalidMethod: (400, "The request begins with no method of HTTP.")
        case .invalidURL: (400, "The target in the request's first line is no URI.")
        case .invalidHeaderToken:
            (400, "A header has a name or a value with a character that is not allowed.")
        case .invalidContentLength:
            (400, "The header Content-Length is no whole number, or the number is too large.")
        case .unexpectedContentLength:
            (
                400,
                "The request tells its length twice: it has two headers Content-Length, or "
                    + "Content-Length beside Transfer-Encoding."
            )
        case .invalidChunkSize: (400, "A chunk of the body has a size that cannot be read.")
        case .lfExpected: (400, "A line feed is missing after a carriage return.")
        case .invalidConstant: (400, "The request's first line does not end with HTTP/1.1.")
        case .invalidEOFState, .closedConnection:
            (400, "The request ended before it was complete.")
        default: (400, "The bytes are no request of HTTP/1.1 (\(error)).")
        }
    }
}
