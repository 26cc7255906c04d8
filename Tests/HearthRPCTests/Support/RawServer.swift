import HearthTestSupport
import NIOCore
import NIOPosix
import Synchronization

/// A server that does with bytes what a test says, which may be against all rules.
final class RawServer: Sendable {
    /// Says what is sent back.
    ///
    /// - Parameters:
    ///   - connection: The connection's number, from 1.
    ///   - frame: What came; `nil` when the connection begins.
    /// - Returns: Bytes to send; `nil` closes the connection.
    typealias Script =
        @Sendable (_ connection: Int, _ frame: RawFrames.Frame?) -> [UInt8]?

    /// What an honest server begins with.
    static let greeting = RawFrames.frame(4, 0, 0, [])

    /// Headers of an answer without messages that ends well.
    static func wellDone(on stream: UInt32) -> [UInt8] {
        RawFrames.frame(
            1, 5, stream,
            headers([
                (":status", "200"), ("content-type", "application/grpc"), ("grpc-status", "0"),
            ]))
    }

    /// Headers that no table remembers.
    static func headers(_ all: [(String, String)]) -> [UInt8] {
        var bytes: [UInt8] = []
        for (name, value) in all {
            bytes += [0, UInt8(name.utf8.count)]
            bytes += name.utf8
            bytes.append(UInt8(value.utf8.count))
            bytes += value.utf8
        }
        return bytes
    }

    let path: String
    private let folder = TemporaryFolder()
    private let count = Atomic(0)
    private let seen = Mutex<[RawFrames.Frame]>([])
    private let script: Script

    private init(_ script: @escaping Script) {
        self.script = script
        path = "\(folder.path)/raw.sock"
    }

    /// Connections so far.
    var connectionCount: Int { count.load(ordering: .relaxed) }
    /// All frames that came, of all connections.
    var frames: [RawFrames.Frame] { seen.withLock { $0 } }

    /// Serves while `body` runs.
    static func serve<Result: Sendable>(
        _ script: @escaping Script, _ body: (RawServer) async throws -> Result
    ) async throws -> Result {
        let server = RawServer(script)
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Handler(server))
                }
            }
            .bind(unixDomainSocketPath: server.path).get()
        do {
            let result = try await body(server)
            try await listener.close()
            return result
        } catch {
            try? await listener.close()
            throw error
        }
    }

    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        private static let preambleByteCount = 24
        private let server: RawServer
        private let number: Int
        private var bytes: [UInt8] = []
        private var hasPreamble = false

        init(_ server: RawServer) {
            self.server = server
            number = server.count.add(1, ordering: .relaxed).newValue
        }

        func channelActive(context: ChannelHandlerContext) {
            answer(nil, context)
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            bytes += unwrapInboundIn(data).readableBytesView
            if !hasPreamble, bytes.count >= Self.preambleByteCount {
                hasPreamble = true
                bytes.removeFirst(Self.preambleByteCount)
            }
            guard hasPreamble else { return }
            let frames = RawFrames.frames(bytes)
            bytes.removeFirst(frames.reduce(0) { $0 + 9 + $1.payload.count })
            server.seen.withLock { $0 += frames }
            for frame in frames { answer(frame, context) }
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            context.close(promise: nil)
        }

        private func answer(_ frame: RawFrames.Frame?, _ context: ChannelHandlerContext) {
            guard let bytes = server.script(number, frame) else {
                return context.close(promise: nil)
            }
            if bytes.isEmpty { return }
            context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: bytes)), promise: nil)
        }
    }
}
