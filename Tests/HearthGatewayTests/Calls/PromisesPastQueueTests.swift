import Foundation
import GRPCCore
import HearthModel
import HearthProtocol
import SwiftProtobuf
import Testing

@testable import HearthGateway
@testable import HearthServer

/// Promised times in the preconditions of writes that the backend decides on at once.
@Suite(.timeLimit(.minutes(2)))
struct PromisesPastQueueTests {
    private static let committed: Metadata = ["hearth-writes": "committed"]

    /// A promise of long ago, whose outcome nobody knows.
    private static let forgotten = Google_Protobuf_Timestamp(seconds: 946_000_000, nanos: 1)

    /// Works with a client while the backend is there.
    private func online(
        _ body: @Sendable (GatewayClient) async throws -> Void
    ) async throws {
        try await GatewayBench.run(Writes.patiently) { bench in
            try await bench.withClient { try await body($0) }
        }
    }

    /// Writes a document, and returns the time that it was promised.
    private func promise(
        of path: String, by client: GatewayClient
    ) async throws -> Google_Protobuf_Timestamp {
        let told = try await client.commit(
            Writes.set(path, 1), metadata: ["hearth-writes": "accepted"])
        #expect(told.isPromise)
        return told.updateTime
    }

    /// Waits until nothing of the client's waits: a transaction begins only then.
    private func begin(_ client: GatewayClient) async throws -> Data {
        let answer: ProtoBeginTransactionResponse = try await client.unary(
            .beginTransaction, ProtoBeginTransactionRequest.with { $0.database = Writes.database })
        return answer.transaction
    }

    private func commit(
        _ write: ProtoWrite, in transaction: Data, by client: GatewayClient
    ) async throws -> ProtoCommitResponse {
        try await client.unary(
            .commit,
            ProtoCommitRequest.with {
                $0.database = Writes.database
                $0.transaction = transaction
                $0.writes = [write]
            })
    }

    @Test func `a transaction's commit may name a promise that was kept, and no forgotten one`()
        async throws
    {
        try await online { client in
            let time = try await promise(of: "rooms/a", by: client)
            let transaction = try await begin(client)
            let answer = try await commit(
                Writes.set("rooms/a", 2, ifUnchangedSince: time), in: transaction, by: client)
            #expect(answer.writeResults.count == 1)
            let second = try await begin(client)
            let error = await #expect(throws: RPCError.self) {
                _ = try await commit(
                    Writes.set("rooms/a", 3, ifUnchangedSince: Self.forgotten), in: second,
                    by: client)
            }
            #expect(error?.code == .failedPrecondition)
            #expect(error?.message.contains("forgotten") == true)
        }
    }

    @Test func `a batch write at the backend has each promise translated, or refused by itself`()
        async throws
    {
        try await online { client in
            let time = try await promise(of: "rooms/a", by: client)
            let answer: ProtoBatchWriteResponse = try await client.unary(
                .batchWrite,
                ProtoBatchWriteRequest.with {
                    $0.database = Writes.database
                    $0.writes = [
                        Writes.set("rooms/b", 2, ifUnchangedSince: Self.forgotten),
                        Writes.set("rooms/a", 2, ifUnchangedSince: time),
                        Writes.set("rooms/c", 2),
                    ]
                }, metadata: Self.committed)
            let codes = [StatusCode.failedPrecondition, .ok, .ok]
            #expect(answer.status.map(\.code) == codes.map(\.rawValue))
            #expect(answer.status.first?.message.contains("forgotten") == true)
            #expect(answer.writeResults.map(\.hasUpdateTime) == [false, true, true])
            let none: ProtoBatchWriteResponse = try await client.unary(
                .batchWrite,
                ProtoBatchWriteRequest.with {
                    $0.database = Writes.database
                    $0.writes = [Writes.set("rooms/b", 2, ifUnchangedSince: Self.forgotten)]
                }, metadata: Self.committed)
            #expect(none.status.map(\.code) == [StatusCode.failedPrecondition.rawValue])
        }
    }

    @Test func `an update and a delete at the backend name what a promise has become`()
        async throws
    {
        try await online { client in
            let time = try await promise(of: "rooms/a", by: client)
            let update = ProtoUpdateDocumentRequest.with {
                $0.document = Writes.set("rooms/a", 2).update
                $0.currentDocument.updateTime = time
            }
            let updated: ProtoDocument = try await client.unary(
                .updateDocument, update, metadata: Self.committed)
            #expect(updated.updateTime.nanos.isMultiple(of: 1_000))
            let second = try await promise(of: "rooms/b", by: client)
            let delete = ProtoDeleteDocumentRequest.with {
                $0.name = "\(Writes.root)/rooms/b"
                $0.currentDocument.updateTime = second
            }
            let _: Google_Protobuf_Empty = try await client.unary(
                .deleteDocument, delete, metadata: Self.committed)
            let late = await #expect(throws: RPCError.self) {
                var late = update
                late.currentDocument.updateTime = Self.forgotten
                let _: ProtoDocument = try await client.unary(
                    .updateDocument, late, metadata: Self.committed)
            }
            #expect(late?.code == .failedPrecondition)
            #expect(late?.message.contains("forgotten") == true)
        }
    }
}
