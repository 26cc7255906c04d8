import GRPCCore
import GRPCNIOTransportHTTP2Posix
import GRPCProtobuf
import HearthProtocol
import SwiftProtobuf

/// Calls of `google.firestore.v1` with nothing of an SDK on top.
struct RawClient: Sendable {
    static let database = "projects/spec/databases/(default)"

    let client: GRPCClient<HTTP2ClientTransport.Posix>
    /// What every call sends as `authorization`.
    var authorization: String?

    func call<Input: Message, Output: Message>(
        _ method: String, _ input: Input, _ output: Output.Type = Output.self
    ) async throws -> Output {
        try await client.unary(
            request: ClientRequest(message: input, metadata: metadata),
            descriptor: Self.descriptor(method),
            serializer: ProtobufSerializer<Input>(), deserializer: ProtobufDeserializer<Output>(),
            options: .defaults
        ) { try $0.message }
    }

    /// Sets documents to one number each, in one commit.
    @discardableResult
    func set(_ numbers: KeyValuePairs<String, Int64>) async throws -> ProtoCommitResponse {
        var request = ProtoCommitRequest()
        request.database = Self.database
        for (path, number) in numbers {
            var entry = ProtoFieldsEntry()
            entry.key = "n"
            entry.value.integerValue = number
            var write = ProtoWrite()
            write.update.name = Self.name(path)
            write.update.fields = [entry]
            request.writes.append(write)
        }
        return try await call("Commit", request)
    }

    func delete(_ path: String) async throws {
        var request = ProtoDeleteDocumentRequest()
        request.name = Self.name(path)
        _ = try await call("DeleteDocument", request, Google_Protobuf_Empty.self)
    }

    func get(_ path: String) async throws -> ProtoDocument {
        var request = ProtoGetDocumentRequest()
        request.name = Self.name(path)
        return try await call("GetDocument", request)
    }

    /// Listens to targets until a message for which `isLast` holds, and returns all messages.
    func listen(
        _ targets: [ProtoTarget], until isLast: @escaping @Sendable (ProtoListenResponse) -> Bool
    ) async throws -> [ProtoListenResponse] {
        let done = AsyncStream.makeStream(of: Void.self)
        let request = StreamingClientRequest<ProtoListenRequest>(metadata: metadata) { writer in
            for target in targets {
                var message = ProtoListenRequest()
                message.database = Self.database
                message.addTarget = target
                try await writer.write(message)
            }
            for await _ in done.stream {}
        }
        return try await client.bidirectionalStreaming(
            request: request, descriptor: Self.descriptor("Listen"),
            serializer: ProtobufSerializer<ProtoListenRequest>(),
            deserializer: ProtobufDeserializer<ProtoListenResponse>(), options: .defaults
        ) { response in
            defer { done.continuation.finish() }
            var messages: [ProtoListenResponse] = []
            for try await message in response.messages {
                messages.append(message)
                if isLast(message) { break }
            }
            return messages
        }
    }

    /// The same client as somebody else: `owner`, or an unsigned token of a user.
    func called(by token: String) -> RawClient {
        var client = self
        client.authorization = "Bearer \(token)"
        return client
    }

    private var metadata: Metadata {
        authorization.map { ["authorization": .string($0)] } ?? [:]
    }

    static func name(_ path: String) -> String { "\(database)/documents/\(path)" }

    /// A target for a whole collection.
    static func target(_ id: Int32, collection: String) -> ProtoTarget {
        var selector = ProtoStructuredQuery.CollectionSelector()
        selector.collectionID = collection
        var target = ProtoTarget()
        target.targetID = id
        target.query.parent = "\(database)/documents"
        target.query.structuredQuery.from = [selector]
        return target
    }

    private static func descriptor(_ method: String) -> MethodDescriptor {
        MethodDescriptor(fullyQualifiedService: "google.firestore.v1.Firestore", method: method)
    }
}

extension ProtoListenResponse {
    /// Whether all targets are consistent here.
    var isSnapshot: Bool {
        targetChange.targetChangeType == .noChange && targetChange.targetIds.isEmpty
            && targetChange.hasReadTime
    }
}
