import HearthModel
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

/// Asks one question by HTTP/1.1, on a connection of its own: what the endpoints of tokens need, once an
/// hour, and a list of keys that a person asks for. Follows no redirection.
package struct HTTPClient: Sendable {
    /// How long a question may take in all.
    private static let timeout = TimeAmount.seconds(30)
    /// How long a connection may take.
    private static let connectTimeout = TimeAmount.seconds(10)

    private let trust: TrustedCertificates

    /// A client that believes servers by these certificates.
    package init(trusting trust: TrustedCertificates = .system) {
        self.trust = trust
    }

    /// Sends a request and returns the answer with any status.
    ///
    /// - Parameter cure: The advice in the error if the server cannot be reached, a sentence.
    /// - Throws: `unavailable` if there is no answer.
    func send(
        _ request: HTTPRequest,
        cure: String = "See to this machine's network, its name service and its firewall."
    ) async throws(HearthError) -> HTTPAnswer {
        do {
            return try await exchange(request)
        } catch {
            let reason =
                TLSFailure(error)?.message(server: request.address.host)
                ?? "\(HearthError.words(of: error)). \(cure)"
            throw HearthError(
                code: .unavailable,
                message: "No answer from \(request.address): \(reason)")
        }
    }

    private func exchange(_ request: HTTPRequest) async throws -> HTTPAnswer {
        let address = request.address
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let context = address.isSecure ? try trust.context() : nil
        let promise = loop.makePromise(of: HTTPAnswer.self)
        let deadline = loop.scheduleTask(in: Self.timeout) { promise.fail(HTTPFailure.tooSlow) }
        defer { deadline.cancel() }
        let bootstrap = ClientBootstrap(group: loop)
            .connectTimeout(Self.connectTimeout)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    if let context {
                        let name = address.host.isHostName ? address.host : nil
                        try pipeline.addHandler(
                            NIOSSLClientHandler(context: context, serverHostname: name))
                    }
                    try pipeline.addHTTPClientHandlers()
                    try pipeline.addHandler(HTTPExchange(request, promise))
                }
            }
        let connecting =
            request.socketPath.map { bootstrap.connect(unixDomainSocketPath: $0) }
            ?? bootstrap.connect(host: address.host, port: address.port)
        connecting.whenFailure { promise.fail($0) }
        let answer = try await promise.futureResult.get()
        try? await connecting.get().close()
        return answer
    }
}

/// Why there is no answer.
enum HTTPFailure: Error, CustomStringConvertible {
    case tooSlow
    case closed
    case tooLarge

    var description: String {
        switch self {
        case .tooSlow: "it took longer than 30 seconds"
        case .closed: "the connection was closed before the answer was complete"
        case .tooLarge: "it is larger than \(HTTPExchange.byteCountMax) bytes"
        }
    }
}

extension String {
    /// Whether this is a name that a certificate can bear, and no number.
    fileprivate var isHostName: Bool {
        !contains(":") && (try? SocketAddress(ipAddress: self, port: 0)) == nil
    }
}

/// Writes one request when the connection stands, gathers its answer, closes.
private final class HTTPExchange: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundOut = HTTPClientRequestPart

    /// The largest body that is read. Tokens take some kilobytes, a thousand keys at most 768 bytes each.
    static let byteCountMax = 1 << 20

    private let request: HTTPRequest
    private let promise: EventLoopPromise<HTTPAnswer>
    private var head: HTTPResponseHead?
    private var body: [UInt8] = []

    init(_ request: HTTPRequest, _ promise: EventLoopPromise<HTTPAnswer>) {
        self.request = request
        self.promise = promise
    }

    func channelActive(context: ChannelHandlerContext) {
        var headers = HTTPHeaders([
            ("host", request.address.authority), ("connection", "close"),
            ("accept", "application/json"), ("user-agent", "hearth/0.1"),
        ])
        for (name, value) in request.headers { headers.add(name: name, value: value) }
        if request.method == .post {
            headers.add(name: "content-length", value: "\(request.body.count)")
        }
        let head = HTTPRequestHead(
            version: .http1_1, method: request.method == .get ? .GET : .POST,
            uri: request.address.target, headers: headers)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        if !request.body.isEmpty {
            let buffer = context.channel.allocator.buffer(bytes: request.body)
            context.write(wrapOutboundOut(.body(.byteBuffer(buffer))), promise: nil)
        }
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            self.head = head
        case .body(let buffer):
            guard body.count + buffer.readableBytes <= Self.byteCountMax else {
                promise.fail(HTTPFailure.tooLarge)
                return context.close(promise: nil)
            }
            body += buffer.readableBytesView
        case .end:
            guard let head else { return promise.fail(HTTPFailure.closed) }
            var headers: [String: String] = [:]
            for (name, value) in head.headers { headers[name.lowercased()] = value }
            promise.succeed(
                HTTPAnswer(status: Int(head.status.code), headers: headers, body: body))
            context.close(promise: nil)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        promise.fail(error)
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        promise.fail(HTTPFailure.closed)  // Without effect if the answer is complete.
        context.fireChannelInactive()
    }
}
