import GRPCCore
import GRPCNIOTransportHTTP2Posix
import GRPCProtobuf
import Glibc

import HearthProtocol
import HearthRemote
import SwiftProtobuf

/// A backend that follows a test's closures, on a Unix socket of its own.
struct FakeBackend: RegistrableRPCService {
    /// What a streaming method gets: the call's metadata, its requests, and where answers go.
    typealias Script<Request: Sendable, Answer: Sendable> =
        @Sendable (Metadata, RPCAsyncSequence<Request, any Error>, RPCWriter<Answer>) async throws
        -> Void

    private let register: @Sendable (any Registrar) -> Void

    /// Takes methods into a router of any transport.
    protocol Registrar {
        func add<Request: Message, Answer: Message>(
            _ method: String, _ script: @escaping Script<Request, Answer>)
    }

    /// Serves what `register` adds.
    init(_ register: @escaping @Sendable (any Registrar) -> Void) {
        self.register = register
    }

    func registerMethods<Transport: ServerTransport>(with router: inout RPCRouter<Transport>) {
        let collector = Collector<Transport>()
        register(collector)
        for add in collector.additions { add(&router) }
    }

    private final class Collector<Transport: ServerTransport>: Registrar {
        var additions: [(inout RPCRouter<Transport>) -> Void] = []

        func add<Request: Message, Answer: Message>(
            _ method: String, _ script: @escaping Script<Request, Answer>
        ) {
            let descriptor = MethodDescriptor(
                fullyQualifiedService: "google.firestore.v1.Firestore", method: method)
            additions.append { router in
                router.registerHandler(
                    forMethod: descriptor, deserializer: ProtobufDeserializer<Request>(),
                    serializer: ProtobufSerializer<Answer>()
                ) { request, _ in
                    StreamingServerResponse { writer in
                        try await script(request.metadata, request.messages, writer)
                        return [:]
                    }
                }
            }
        }
    }

    /// Serves at `path` while `body` runs, by whose end all streams must be closed.
    func serve<Result: Sendable>(
        at path: String = FakeBackend.path(), _ body: (BackendAddress) async throws -> Result
    ) async throws -> Result {
        let server = GRPCServer(
            transport: .http2NIOPosix(
                address: .unixDomainSocket(path: path), transportSecurity: .plaintext,
                config: .defaults { $0.rpc.maxRequestPayloadSize = 17 << 20 }),
            services: [self])
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await server.serve() }
            _ = try await server.listeningAddress
            // Never by cancelling the task: gRPC stops the whole process if a stream is just arriving.
            defer {
                server.beginGracefulShutdown()
                unlink(path)
            }
            return try await body(.unix(path: path))
        }
    }

    /// Serves by TLS at a port of this machine while `body` runs, which is given the port.
    func serve<Result: Sendable>(
        as authority: TestAuthority, _ body: (Int) async throws -> Result
    ) async throws -> Result {
        let server = GRPCServer(
            transport: .http2NIOPosix(
                address: .ipv4(host: "127.0.0.1", port: 0),
                transportSecurity: .tls(
                    certificateChain: [
                        .file(path: authority.serverCertificatePath, format: .pem)
                    ],
                    privateKey: .file(path: authority.serverKeyPath, format: .pem)
                ) { $0.requireALPN = true }),
            services: [self])
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await server.serve() }
            let address = try await server.listeningAddress
            defer { server.beginGracefulShutdown() }
            return try await body(address?.ipv4?.port ?? 0)
        }
    }

    /// A socket's path that nobody uses.
    static func path() -> String {
        "/tmp/hearth-remote-\(getpid())-\(UInt32.random(in: 0...UInt32.max)).sock"
    }
}
