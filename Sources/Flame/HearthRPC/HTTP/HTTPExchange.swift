package import NIOCore
package import NIOHTTP1

/// One request of HTTP/1.1 and the answer to the request. For one event loop.
///
/// The exchange drops answers on a connection that is gone, so a service need not check the
/// connection first.
package final class HTTPExchange {
    /// Why a body cannot be read.
    package enum BodyFault: Error {
        /// The body is larger than `HTTPRouter.bodyByteCountMax(for:)` allows.
        case tooLarge
        /// `content-encoding` names a coding that `ContentCoding` does not know.
        case unknownCoding
        /// The body is not packed as `content-encoding` says.
        case broken
    }

    /// The request's first line and its headers.
    package let head: HTTPRequestHead
    /// The path and parameters of the first line; `nil` if the line cannot be read.
    package let target: HTTPTarget?
    /// The connection's event loop, on which every method must be called.
    package let eventLoop: any EventLoop
    /// Headers that the exchange adds to every answer, for example for web pages of other origins.
    package var commonHeaders: HTTPHeaders = [:]
    /// The stream that hears of the connection's changes while the answer goes on.
    private(set) var stream: (any HTTPStream)?

    /// The body, which may be read on any thread.
    package let body: HTTPBody
    /// Whether the connection is gone, for work on other threads.
    package let ending = ExchangeEnd()
    private weak var connection: HTTP1Connection?

    /// A request that has come whole.
    init(
        _ head: HTTPRequestHead, body: ByteBuffer?, _ share: HeldBodies.Share? = nil,
        byteCountMax: Int, on connection: HTTP1Connection
    ) {
        self.head = head
        self.body = HTTPBody(body, share, of: head, byteCountMax: byteCountMax)
        self.connection = connection
        target = HTTPTarget(head.uri)
        eventLoop = connection.eventLoop
    }

    /// The address of the connection's own end; `nil` if the connection is gone.
    package var localAddress: SocketAddress? { connection?.localAddress }

    /// Whether the body is too large to be read.
    package var isTooLarge: Bool { body.isTooLarge }

    /// The body, unpacked here and now.
    ///
    /// - Throws: The `BodyFault` for which the body cannot be read.
    package func unpackedBody() throws(BodyFault) -> [UInt8] { try body.unpacked() }

    /// A way to answer from any thread.
    package func replier() -> @Sendable (HTTPReply) -> Void {
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        return { [eventLoop] reply in
            eventLoop.execute { bound.value.send(reply) }
        }
    }
}

/// Answers.
extension HTTPExchange {
    /// Whether the client keeps up with what was written.
    package var isWritable: Bool { connection?.isWritable ?? false }

    /// Answers at once.
    ///
    /// Packs the body if the client asks for gzip and the body has at least
    /// `ConnectionLimits.packedByteCountMin` bytes.
    package func send(_ reply: HTTPReply) {
        var headers = reply.headers
        if let type = reply.contentType { headers.add(name: "content-type", value: type) }
        var body = reply.body
        if body.count >= ConnectionLimits.packedByteCountMin, head.takesGzip {
            body = ContentCoding.gzip(body)
            headers.add(name: "content-encoding", value: "gzip")
            headers.add(name: "vary", value: "Accept-Encoding")
        }
        headers.add(name: "content-length", value: "\(body.count)")
        begin(HTTPResponseStatus(statusCode: reply.status), headers, nil)
        if !body.isEmpty, head.method != .HEAD { write(ByteBuffer(bytes: body)) }
        end()
    }

    /// Tells a stream of the connection's changes before the stream's answer has begun.
    package func attach(_ stream: any HTTPStream) {
        self.stream = stream
    }

    /// Begins an answer that goes on; its body comes in chunks.
    ///
    /// - Parameters:
    ///   - status: The answer's status.
    ///   - headers: The answer's own headers; `commonHeaders` are added.
    ///   - stream: Hears of the connection's changes; held until the answer ends. `nil` if nobody
    ///     listens.
    package func begin(
        _ status: HTTPResponseStatus, _ headers: HTTPHeaders, _ stream: (any HTTPStream)?
    ) {
        if let stream { self.stream = stream }
        var headers = headers
        headers.add(contentsOf: commonHeaders)
        connection?.begin(
            HTTPResponseHead(version: head.version, status: status, headers: headers), of: self)
    }

    /// Writes a part of the body; `flush` or `end` sends it.
    package func write(_ bytes: ByteBuffer) {
        connection?.write(.body(.byteBuffer(bytes)), of: self)
    }

    /// Sends what was written.
    package func flush() {
        connection?.flush()
    }

    /// Ends the answer.
    package func end() {
        stream = nil
        connection?.end(self)
    }

    /// Closes the connection in the middle of the answer.
    ///
    /// HTTP/1.1 has no other way to tell the client that an answer stays incomplete.
    package func breakOff() {
        connection?.close()
    }

    /// The connection is gone.
    func lose() {
        ending.come()
        let stream = stream
        self.stream = nil
        stream?.closed()
    }
}

extension HTTPRequestHead {
    /// Whether the client asks for answers packed as gzip.
    fileprivate var takesGzip: Bool {
        headers[canonicalForm: "accept-encoding"].contains { item in
            let parts = item.split(separator: ";").map { $0.filter { $0 != " " } }
            return parts.first?.lowercased() == "gzip" && !parts.dropFirst().contains("q=0")
        }
    }
}
