import HearthModel
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import Synchronization

/// A small server of HTTP/1.1 that gives a test's answers and remembers the requests.
final class StubEndpoint: Sendable {
    /// What it was asked.
    struct Question: Sendable {
        let method: String
        let target: String
        let headers: [String: String]
        let body: String

        /// The path without the query.
        var path: String { String(target.prefix { $0 != "?" }) }

        /// The fields of a form.
        var form: [String: String] {
            var fields: [String: String] = [:]
            for pair in body.split(separator: "&") {
                let parts = pair.split(separator: "=", maxSplits: 1).map(String.init)
                fields[parts[0]] = parts.count > 1 ? Self.unescaped(parts[1]) : ""
            }
            return fields
        }

        private static func unescaped(_ text: String) -> String {
            var bytes: [UInt8] = []
            var rest = Array(text.utf8)[...]
            while let byte = rest.popFirst() {
                if byte == UInt8(ascii: "%") {
                    let digits = String(decoding: rest.prefix(2), as: UTF8.self)
                    bytes.append(UInt8(digits, radix: 16) ?? 0)
                    rest = rest.dropFirst(2)
                } else {
                    bytes.append(byte)
                }
            }
            return String(decoding: bytes, as: UTF8.self)
        }
    }

    /// What it answers.
    struct Answer: Sendable {
        var status = 200
        var headers: [(String, String)] = [("content-type", "application/json")]
        var body = "{}"

        /// A body of JSON.
        static func json(_ body: String, status: Int = 200) -> Answer {
            Answer(status: status, body: body)
        }
    }

    typealias Script = @Sendable (Question) async -> Answer

    private let script: Script
    private let asked = Mutex<[Question]>([])

    /// Answers by `script`.
    private init(_ script: @escaping Script) {
        self.script = script
    }

    /// All that was asked until now.
    var questions: [Question] { asked.withLock { $0 } }

    /// Serves at a port of this machine while `body` runs, which is given `HOST:PORT`.
    static func serve<Result>(
        tls: NIOSSLContext? = nil, _ script: @escaping Script,
        _ body: (StubEndpoint, String) async throws -> Result
    ) async throws -> Result {
        let endpoint = StubEndpoint(script)
        let group = MultiThreadedEventLoopGroup.singleton
        let channel = try await ServerBootstrap(group: group)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    if let tls { try pipeline.addHandler(NIOSSLServerHandler(context: tls)) }
                    try pipeline.configureHTTPServerPipeline()
                    try pipeline.addHandler(Exchange(endpoint))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let port = channel.localAddress?.port ?? 0
        let result: Swift.Result<Result, any Error>
        do {
            result = .success(try await body(endpoint, "127.0.0.1:\(port)"))
        } catch {
            result = .failure(error)
        }
        try await channel.close()
        return try result.get()
    }

    private func answer(_ question: Question) async -> Answer {
        asked.withLock { $0.append(question) }
        return await script(question)
    }

    private final class Exchange: ChannelInboundHandler {
        typealias InboundIn = HTTPServerRequestPart
        typealias OutboundOut = HTTPServerResponsePart

        private let endpoint: StubEndpoint
        private var head: HTTPRequestHead?
        private var body: [UInt8] = []

        init(_ endpoint: StubEndpoint) {
            self.endpoint = endpoint
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            switch unwrapInboundIn(data) {
            case .head(let head): self.head = head
            case .body(let buffer): body += buffer.readableBytesView
            case .end: answer(context)
            }
        }

        private func answer(_ context: ChannelHandlerContext) {
            guard let head else { return }
            var headers: [String: String] = [:]
            for (name, value) in head.headers { headers[name.lowercased()] = value }
            let question = Question(
                method: head.method.rawValue, target: head.uri, headers: headers,
                body: String(decoding: body, as: UTF8.self))
            let endpoint = endpoint
            let channel = context.channel
            Task {
                let answer = await endpoint.answer(question)
                var headers = HTTPHeaders(answer.headers)
                headers.add(name: "content-length", value: "\(answer.body.utf8.count)")
                let head = HTTPResponseHead(
                    version: .http1_1, status: .init(statusCode: answer.status),
                    headers: headers)
                channel.write(HTTPServerResponsePart.head(head), promise: nil)
                let buffer = ByteBuffer(string: answer.body)
                channel.write(HTTPServerResponsePart.body(.byteBuffer(buffer)), promise: nil)
                channel.writeAndFlush(HTTPServerResponsePart.end(nil), promise: nil)
            }
        }
    }
}
