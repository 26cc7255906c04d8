package import NIOHTTP1

/// What a request of HTTP/1.1 is answered with at once.
package struct HTTPReply: Equatable, Sendable {
    /// The status, such as 200.
    package let status: Int
    /// What the body is; `nil` if there is none.
    package let contentType: String?
    /// The body, not packed.
    package var body: [UInt8]
    /// Headers beside those that say what the body is.
    package var headers: HTTPHeaders = [:]

    /// An answer of any kind.
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

    /// Nothing to say.
    package static let empty = HTTPReply(status: 200, contentType: nil, body: [])
    /// What is not served.
    package static let notFound = text("Not Found", status: 404)
    /// A body that is packed in a way that nobody here knows.
    package static let unknownCoding = text(
        "Bodies may be packed by \(ContentCoding.names) only", status: 415)
}
