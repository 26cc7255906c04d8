package import NIOHTTP1

/// A whole answer to a request of HTTP/1.1.
package struct HTTPReply: Equatable, Sendable {
    /// The status, such as 200.
    package let status: Int
    /// The body's media type; `nil` if there is no body.
    package let contentType: String?
    /// The body, not packed.
    package var body: [UInt8]
    /// More headers. `HTTPExchange.send` adds content type, coding and length.
    package var headers: HTTPHeaders = [:]

    /// An answer of any kind.
    ///
    /// - Parameters:
    ///   - status: The status, such as 200.
    ///   - contentType: The body's media type; `nil` if there is no body.
    ///   - body: The body, not packed.
    ///   - headers: More headers. `HTTPExchange.send` adds content type, coding and length.
    package init(
        status: Int, contentType: String?, body: [UInt8], headers: HTTPHeaders = [:]
    ) {
        self.status = status
        self.contentType = contentType
        self.body = body
        self.headers = headers
    }

    /// JSON.
    package static func json(_ body: [UInt8], status: Int = 200) -> HTTPReply {
        HTTPReply(status: status, contentType: "application/json", body: body)
    }

    /// A line of text.
    package static func text(_ text: String, status: Int = 200) -> HTTPReply {
        HTTPReply(status: status, contentType: "text/plain", body: Array("\(text)\n".utf8))
    }

    /// A page for a browser.
    package static func page(_ html: String) -> HTTPReply {
        HTTPReply(status: 200, contentType: "text/html; charset=utf-8", body: Array(html.utf8))
    }

    /// An answer without a body.
    package static let empty = HTTPReply(status: 200, contentType: nil, body: [])
    /// The answer for a path that is not served.
    package static let notFound = text("Not Found", status: 404)
}
