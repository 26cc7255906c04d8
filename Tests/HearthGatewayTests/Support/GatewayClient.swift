import GRPCCore
import GRPCNIOTransportHTTP2Posix
import GRPCProtobuf
import HearthProtocol
import SwiftProtobuf

/// Calls of `google.firestore.v1.Firestore` by grpc-swift's client, which knows nothing of Hearth.
struct GatewayClient: Sendable {
    /// What came back of a call.
    struct Told<Message: Sendable>: Sendable {
        var messages: [Message] = []
        var initial: Metadata = [:]
        var trailing: Metadata = [:]
    }

    private let client: GRPCClient<HTTP2ClientTransport.Posix>

    /// Connects while `body` works.
    static func run<Result: Sendable>(
        at target: some ResolvableTarget, _ body: @Sendable (GatewayClient) async throws -> Result
    ) async throws -> Result {
        let client = GRPCClient(
            transport: try HTTP2ClientTransport.Posix(target: target, transportSecurity: .plaintext)
        )
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await client.runConnections() }
            defer { client.beginGracefulShutdown() }
            return try await body(GatewayClient(client: client))
        }
    }

    /// A call of one request and one answer.
    func unary<Request: Message, Answer: Message>(
        _ method: FirestoreMethod, _ request: Request, metadata: Metadata = [:],
        timeout: Duration? = .seconds(20)
    ) async throws -> Answer {
        let told: Told<Answer> = try await call(
            method, request, metadata: metadata, timeout: timeout)
        guard let answer = told.messages.first, told.messages.count == 1 else {
            throw RPCError(code: .internalError, message: "\(told.messages.count) answers")
        }
        return answer
    }

    /// A call of one request and any number of answers.
    func call<Request: Message, Answer: Message>(
        _ method: FirestoreMethod, _ request: Request, metadata: Metadata = [:],
        timeout: Duration? = .seconds(20)
    ) async throws -> Told<Answer> {
        var options = CallOptions.defaults
        options.timeout = timeout
        return try await client.serverStreaming(
            request: ClientRequest(message: request, metadata: metadata),
            descriptor: Self.descriptor(method),
            serializer: ProtobufSerializer<Request>(),
            deserializer: ProtobufDeserializer<Answer>(), options: options
        ) { try await Self.told($0) }
    }

    /// A call of many requests, which are sent as `requests` gives them; `received` gets each answer.
    func talk<Request: Message, Answer: Message>(
        _ method: FirestoreMethod, _ requests: AsyncStream<Request>, metadata: Metadata = [:],
        received: @escaping @Sendable (Answer) async -> Void
    ) async throws {
        let request = StreamingClientRequest<Request>(metadata: metadata) { writer in
            for await request in requests { try await writer.write(request) }
        }
        try await client.bidirectionalStreaming(
            request: request, descriptor: Self.descriptor(method),
            serializer: ProtobufSerializer<Request>(),
            deserializer: ProtobufDeserializer<Answer>(), options: .defaults
        ) { response in
            for try await part in try response.accepted.get().bodyParts {
                if case .message(let answer) = part { await received(answer) }
            }
        }
    }

    private static func told<Answer: Sendable>(
        _ response: StreamingClientResponse<Answer>
    ) async throws -> Told<Answer> {
        var told = Told<Answer>(initial: response.metadata)
        for try await part in try response.accepted.get().bodyParts {
            switch part {
            case .message(let answer): told.messages.append(answer)
            case .trailingMetadata(let metadata): told.trailing = metadata
            }
        }
        return told
    }

    private static func descriptor(_ method: FirestoreMethod) -> MethodDescriptor {
        MethodDescriptor(
            fullyQualifiedService: FirestoreMethod.service, method: method.rawValue)
    }
}
