import GRPCCore
import HearthModel
import HearthProtocol
import HearthTestSupport
import SwiftProtobuf
import Testing

@testable import HearthGateway
@testable import HearthServer

/// Requests of writes that would become far more in memory than they are on the wire.
@Suite(.timeLimit(.minutes(2)))
struct CheckedWritesTests {
    private static let crowd = ProtoDocument.with {
        $0.name = "\(Writes.root)/rooms/a"
        $0.fields = Array(
            repeating: ProtoFieldsEntry(), count: WriteBounds.documentElementCountMax + 1)
    }

    private func refusal<Request: Message>(
        _ client: GatewayClient, _ method: FirestoreMethod, _ request: Request
    ) async throws -> RPCError {
        try #require(
            await #expect(throws: RPCError.self) {
                let _: Google_Protobuf_Empty = try await client.unary(method, request)
            })
    }

    @Test func `a document of more fields than bytes is refused before it is read`() async throws {
        try await GatewayBench.run(isOnline: false) { bench in
            try await bench.withClient { client in
                var write = ProtoWrite()
                write.update = Self.crowd
                let commit = ProtoCommitRequest.with {
                    $0.database = Writes.database
                    $0.writes = [write]
                }
                let batch = ProtoBatchWriteRequest.with {
                    $0.database = Writes.database
                    $0.writes = [write]
                }
                let create = ProtoCreateDocumentRequest.with {
                    $0.parent = Writes.root
                    $0.collectionID = "rooms"
                    $0.documentID = "a"
                    $0.document.fields = Self.crowd.fields
                }
                let update = ProtoUpdateDocumentRequest.with { $0.document = Self.crowd }
                let errors = [
                    try await refusal(client, .commit, commit),
                    try await refusal(client, .batchWrite, batch),
                    try await refusal(client, .createDocument, create),
                    try await refusal(client, .updateDocument, update),
                ]
                for error in errors {
                    #expect(error.code == .invalidArgument)
                    #expect(error.message.contains("1048576 fields"))
                }
            }
        }
    }

    @Test func `a request with more than 100,000 writes is refused before it is read`()
        async throws
    {
        try await GatewayBench.run(isOnline: false) { bench in
            try await bench.withClient { client in
                let writes = Array(repeating: ProtoWrite(), count: 100_001)
                let error = try await refusal(
                    client, .commit,
                    ProtoCommitRequest.with {
                        $0.database = Writes.database
                        $0.writes = writes
                    })
                #expect(error.code == .invalidArgument)
                #expect(error.message.contains("100000 fields"))
            }
        }
    }

    /// Firestore may take these. Refused here, they would be lost to the program.
    @Test func `what only an emulator is known to refuse is accepted`() async throws {
        func vector(_ element: ProtoValue) -> ProtoValue {
            var type = ProtoFieldsEntry()
            type.key = "__type__"
            type.value.stringValue = "__vector__"
            var elements = ProtoFieldsEntry()
            elements.key = "value"
            elements.value.arrayValue.values = [element]
            return .with { $0.mapValue.fields = [type, elements] }
        }
        let one = ProtoValue.with { $0.doubleValue = 1 }
        let values: [ProtoValue] = [
            vector(.with { $0.integerValue = 1 }),
            vector(.with { $0.doubleValue = .nan }),
            .with { $0.arrayValue.values = [vector(one)] },
            .with { $0.referenceValue = "\(Writes.root)/rooms" },
        ]
        try await GatewayBench.run(isOnline: false) { bench in
            try await bench.withClient { client in
                for value in values {
                    let told = try await client.commit(
                        Writes.set("rooms/a", 1) { $0.update.fields[0].value = value })
                    #expect(told.header("hearth-state") == "accepted")
                }
                let lists = Writes.set("rooms/a", 1) {
                    $0.update.fields[0].value.arrayValue.values = [
                        .with { $0.arrayValue.values = [one] }
                    ]
                }
                #expect(try await client.refusal(of: lists).code == .invalidArgument)
            }
        }
    }
}
