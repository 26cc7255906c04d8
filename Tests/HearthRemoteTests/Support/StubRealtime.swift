import HearthModel
import HearthProtocol
import HearthRemote
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import NIOWebSocket

/// A small server of the Realtime Database's protocol: a test's script talks over each WebSocket.
enum StubRealtime {
    /// What is said over one WebSocket; it closes when the script returns.
    typealias Script = @Sendable (StubPeer) async throws -> Void

    /// Serves at a port of this machine while `body` runs, which is given the port.
    static func serve<Result>(
        tls: NIOSSLContext? = nil, _ script: @escaping Script,
        _ body: (Int) async throws -> Result
    ) async throws -> Result {
        try await listen(
            { channel in
                if let tls {
                    try channel.pipeline.syncOperations.addHandler(
                        NIOSSLServerHandler(context: tls))
                }
                let upgrader = NIOWebSocketServerUpgrader(
                    maxFrameSize: 1 << 20,
                    shouldUpgrade: { channel, _ in channel.eventLoop.makeSucceededFuture([:]) },
                    upgradePipelineHandler: { channel, head in
                        channel.eventLoop.makeCompletedFuture {
                            let wrapped = try NIOAsyncChannel<WebSocketFrame, WebSocketFrame>(
                                wrappingChannelSynchronously: channel)
                            Task { try await run(script, over: wrapped, head) }
                        }
                    })
                try channel.pipeline.syncOperations.configureHTTPServerPipeline(
                    withServerUpgrade: (upgraders: [upgrader], completionHandler: { _ in }))
            }, body)
    }

    /// Answers each request for a WebSocket and says hello in one write, and then says nothing.
    static func serveHello<Result>(_ body: (Int) async throws -> Result) async throws -> Result {
        try await listen({ try $0.pipeline.syncOperations.addHandler(HastyGreeting()) }, body)
    }

    /// Accepts connections and says nothing.
    static func serveSilence<Result>(_ body: (Int) async throws -> Result) async throws -> Result {
        try await listen({ _ in }, body)
    }

    private static func listen<Result>(
        _ configure: @escaping @Sendable (any Channel) throws -> Void,
        _ body: (Int) async throws -> Result
    ) async throws -> Result {
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try configure(channel) }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let result: Swift.Result<Result, any Error>
        do {
            result = .success(try await body(channel.localAddress?.port ?? 0))
        } catch {
            result = .failure(error)
        }
        try await channel.close()
        return try result.get()
    }

    private static func run(
        _ script: Script, over channel: NIOAsyncChannel<WebSocketFrame, WebSocketFrame>,
        _ head: HTTPRequestHead
    ) async throws {
        try await channel.executeThenClose { inbound, outbound in
            try await script(
                StubPeer(
                    head, channel: channel.channel, frames: inbound.makeAsyncIterator(),
                    outbound: outbound))
        }
    }
}

/// A server whose hello comes in the same packet as the answer to the request for a WebSocket.
private final class HastyGreeting: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private var request = ""

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        request += String(buffer: unwrapInboundIn(data))
        guard request.hasSuffix("\r\n\r\n") else { return }
        let name = "sec-websocket-key: "
        let line = request.split(separator: "\r\n").first { $0.lowercased().hasPrefix(name) }
        let key = line.map { String($0.dropFirst(name.count)) } ?? ""
        let accept = SHA1.base64(
            of: Array((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8))
        var answer = ByteBuffer(
            string: "HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\n"
                + "upgrade: websocket\r\nsec-websocket-accept: \(accept)\r\n\r\n")
        let hello = RealtimeCodec.encode(RealtimeHello(time: 0, host: "localhost", session: "s"))
        // A text frame of less than 126 bytes: kind, length, text.
        answer.writeBytes([0x81, UInt8(hello.count)])
        answer.writeBytes(hello)
        context.writeAndFlush(wrapOutboundOut(answer), promise: nil)
    }
}

/// The server's end of one WebSocket, for a single task.
final class StubPeer {
    /// The path and query that were asked for.
    let target: String
    /// The headers of the request.
    let headers: HTTPHeaders
    let channel: any Channel
    let outbound: NIOAsyncChannelOutboundWriter<WebSocketFrame>
    private var frames: NIOAsyncChannelInboundStream<WebSocketFrame>.AsyncIterator
    private var joiner = FrameJoiner(byteCountMax: 64 << 20)

    init(
        _ head: HTTPRequestHead, channel: any Channel,
        frames: NIOAsyncChannelInboundStream<WebSocketFrame>.AsyncIterator,
        outbound: NIOAsyncChannelOutboundWriter<WebSocketFrame>
    ) {
        target = head.uri
        headers = head.headers
        self.channel = channel
        self.frames = frames
        self.outbound = outbound
    }

    /// The next frame; `nil` at the end.
    func frame() async throws -> WebSocketFrame? { try await frames.next() }

    /// The next message; `nil` at the end.
    func next() async throws -> RealtimeClientMessage? {
        while let frame = try await frame() {
            guard frame.opcode == .text else { return nil }
            let bytes = Array(frame.unmaskedData.readableBytesView)
            guard let message = try joiner.take(bytes) else { continue }
            return try RealtimeCodec.decodeClient(message)
        }
        return nil
    }

    /// The next request; `nil` at the end.
    func request() async throws -> RealtimeRequest? {
        while let message = try await next() {
            if case .request(let request) = message { return request }
        }
        return nil
    }

    /// Sends a message as the service does, in pieces if it is long.
    func say(_ message: [UInt8]) async throws {
        for piece in FrameSplitter.frames(of: message) {
            try await say(WebSocketFrame(fin: true, opcode: .text, data: ByteBuffer(bytes: piece)))
        }
    }

    /// Sends a frame.
    func say(_ frame: WebSocketFrame) async throws { try await outbound.write(frame) }

    /// Says hello.
    func greet(host: String = "localhost", session: String = "s1") async throws {
        let time = ManualRemoteClock.start.seconds * 1_000
        try await say(RealtimeCodec.encode(RealtimeHello(time: time, host: host, session: session)))
    }

    /// Answers a request.
    func answer(
        _ request: RealtimeRequest, _ status: RealtimeStatus = .ok, _ body: RealtimeBody = .none
    ) async throws {
        try await say(
            RealtimeCodec.encode(
                RealtimeAnswer(number: request.number, status: status, body: body)))
    }

    /// Says hello and believes what is shown, if anything is.
    ///
    /// - Returns: The credential.
    @discardableResult
    func welcome(_ session: String = "s1") async throws -> RealtimeCredential? {
        try await greet(session: session)
        while let request = try await request() {
            try await answer(request)
            if case .authenticate(let credential) = request.action { return credential }
        }
        return nil
    }

    /// Reads until the other side is gone.
    func stay() async throws {
        while try await frame() != nil {}
    }
}
