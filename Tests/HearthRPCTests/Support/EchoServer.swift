import GRPCCore
import GRPCNIOTransportHTTP2Posix
import HearthModel
import HearthTestSupport
import Logging
import NIOCore
import NIOPosix

@testable import HearthRPC

/// Serves an echo on a Unix socket while `body` works with it.
///
/// - Parameters:
///   - place: The socket's path; `nil` for one in a folder of its own.
///   - router: Makes what answers HTTP/1.1, for the registry of connections.
func withEchoServer<Result: Sendable>(
    at place: String? = nil,
    router: (ConnectionRegistry) -> (any HTTPRouter)? = { _ in nil },
    _ body: @Sendable (EchoService, EchoServer) async throws -> Result
) async throws -> Result {
    let folder = TemporaryFolder()
    defer { folder.remove() }
    let path = place ?? "\(folder.path)/echo.sock"
    let service = EchoService()
    let registry = ConnectionRegistry()
    let connections = ServedConnections(
        service: service, router: router(registry), registry: registry,
        logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        .childChannelOption(.allowRemoteHalfClosure, value: true)
        .childChannelInitializer { channel in
            channel.eventLoop.makeCompletedFuture { try connections.serve(channel) }
        }
        .bind(unixDomainSocketPath: path, cleanupExistingSocketFile: true).get()
    let server = EchoServer(path: path, registry: registry)
    do {
        let result = try await body(service, server)
        try await listener.close()
        await server.stop()
        return result
    } catch {
        try? await listener.close()
        await server.stop()
        throw error
    }
}

/// A server that listens.
struct EchoServer {
    let path: String
    let registry: ConnectionRegistry

    /// As `HTTPConnection` has it.
    var address: String { "unix:\(path)" }

    /// Ends all connections well.
    func stop() async {
        await withCheckedContinuation { continuation in
            registry.stopAll { continuation.resume() }
        }
    }

    /// Works with grpc-swift's client.
    func withClient<Result: Sendable>(
        _ body: @Sendable (EchoClient) async throws -> Result
    ) async throws -> Result {
        let client = GRPCClient(
            transport: try HTTP2ClientTransport.Posix(
                target: .unixDomainSocket(path: path), transportSecurity: .plaintext))
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await client.runConnections() }
            defer { client.beginGracefulShutdown() }
            return try await body(EchoClient(client: client))
        }
    }

    /// Sends bytes, half-closes, and reads until the server closes.
    func exchange(_ bytes: [UInt8]) async throws -> [UInt8] {
        let address = address
        return try await Task.detached {
            try HTTPConnection(to: address).exchange(bytes)
        }.value
    }
}

/// Calls of the echo with grpc-swift's client.
struct EchoClient: Sendable {
    let client: GRPCClient<HTTP2ClientTransport.Posix>

    /// What came back of a call.
    struct Told: Sendable {
        var messages: [String] = []
        var initial: Metadata = [:]
        var trailing: Metadata = [:]
    }

    /// A call of one request.
    func call(
        _ method: String, _ text: String, metadata: Metadata = [:], timeout: Duration? = nil
    ) async throws -> Told {
        var options = CallOptions.defaults
        options.timeout = timeout
        return try await client.unary(
            request: ClientRequest(message: text, metadata: metadata),
            descriptor: Self.descriptor(method), serializer: TextForm(), deserializer: TextForm(),
            options: options
        ) { response in
            Told(
                messages: [try response.message], initial: response.metadata,
                trailing: response.trailingMetadata)
        }
    }

    /// A call of many requests; all requests are sent before any answer is read.
    func talk(_ texts: [String], metadata: Metadata = [:]) async throws -> Told {
        let request = StreamingClientRequest<String>(metadata: metadata) { writer in
            for text in texts { try await writer.write(text) }
        }
        return try await client.bidirectionalStreaming(
            request: request, descriptor: Self.descriptor("Talk"), serializer: TextForm(),
            deserializer: TextForm(), options: .defaults
        ) { response in
            var told = Told(initial: response.metadata)
            for try await part in try response.accepted.get().bodyParts {
                switch part {
                case .message(let text): told.messages.append(text)
                case .trailingMetadata(let metadata): told.trailing = metadata
                }
            }
            return told
        }
    }

    private static func descriptor(_ method: String) -> MethodDescriptor {
        MethodDescriptor(fullyQualifiedService: "echo.Echo", method: method)
    }
}

/// Messages that are text.
struct TextForm: MessageSerializer, MessageDeserializer {
    func serialize<Bytes: GRPCContiguousBytes>(_ message: String) throws -> Bytes {
        Bytes(Array(message.utf8))
    }

    func deserialize<Bytes: GRPCContiguousBytes>(_ bytes: Bytes) throws -> String {
        bytes.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    }
}
