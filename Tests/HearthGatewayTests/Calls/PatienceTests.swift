import Foundation
import GRPCCore
import HearthModel
import HearthProtocol
import HearthTestSupport
import SwiftProtobuf
import Testing

@testable import HearthGateway
@testable import HearthServer

/// Writes for which the backend takes longer than somebody waits: a transaction there holds their document.
@Suite(.timeLimit(.minutes(2)))
struct PatienceTests {
    /// Far below any other limit of a call here.
    private static let soon = Duration.seconds(5)

    private func begin(_ client: GatewayClient) async throws -> Data {
        let answer: ProtoBeginTransactionResponse = try await client.unary(
            .beginTransaction, ProtoBeginTransactionRequest.with { $0.database = Writes.database })
        return answer.transaction
    }

    /// Has the backend hold `rooms/a` for a transaction, while other writes of the document wait there.
    private func hold(_ direct: GatewayClient) async throws -> Data {
        let transaction = try await begin(direct)
        let _: GatewayClient.Told<ProtoBatchGetDocumentsResponse> = try await direct.call(
            .batchGetDocuments,
            ProtoBatchGetDocumentsRequest.with {
                $0.database = Writes.database
                $0.documents = ["\(Writes.root)/rooms/a"]
                $0.transaction = transaction
            })
        return transaction
    }

    private func letGo(_ transaction: Data, _ direct: GatewayClient) async throws {
        let _: Google_Protobuf_Empty = try await direct.unary(
            .rollback,
            ProtoRollbackRequest.with {
                $0.database = Writes.database
                $0.transaction = transaction
            })
    }

    /// Waits until a write is answered by the backend: else the daemon may believe that it is offline.
    private func expectOnline(_ client: GatewayClient) async throws {
        _ = try await eventually {
            try await client.commit(Writes.set("rooms/b", 1)).header("hearth-state")
        } is: {
            $0 == "committed"
        }
    }

    /// Commits a write of the held document, and expects a promise after some time.
    private func expectPromise(
        _ client: GatewayClient, after patience: Duration, timeout: Duration
    ) async throws {
        let began = ContinuousClock.now
        let told: GatewayClient.Told<ProtoCommitResponse> = try await client.call(
            .commit,
            ProtoCommitRequest.with {
                $0.database = Writes.database
                $0.writes = [Writes.set("rooms/a", 2)]
            }, timeout: timeout)
        let taken = ContinuousClock.now - began
        #expect(told.header("hearth-state") == "accepted")
        #expect(told.isPromise)
        #expect(taken >= patience && taken < Self.soon, "\(taken)")
    }

    @Test func `a caller waits as long as the configuration says, and the write lands later`()
        async throws
    {
        try await GatewayBench.run {
            $0.gateway.patienceMilliseconds = 1_000
        } _: { bench in
            try await bench.withDirectClient { direct in
                try await bench.withClient { client in
                    try await expectOnline(client)
                    let transaction = try await hold(direct)
                    try await expectPromise(client, after: .seconds(1), timeout: .seconds(20))
                    #expect(try await client.number(in: "rooms/a") == 2)
                    #expect(try await direct.number(in: "rooms/a") == nil)
                    try await letGo(transaction, direct)
                    _ = try await eventually(
                        { try await direct.number(in: "rooms/a") }, is: { $0 == 2 })
                }
            }
        }
    }

    @Test func `a caller that gives less time is answered when half of the time is over`()
        async throws
    {
        try await GatewayBench.run(Writes.patiently) { bench in
            try await bench.withDirectClient { direct in
                try await bench.withClient { client in
                    try await expectOnline(client)
                    let transaction = try await hold(direct)
                    try await expectPromise(client, after: .seconds(1.5), timeout: .seconds(3))
                    try await letGo(transaction, direct)
                }
            }
        }
    }

    @Test func `a transaction that would not see its program's own writes may be begun again`()
        async throws
    {
        try await GatewayBench.run {
            $0.gateway.patienceMilliseconds = 1_000
        } _: { bench in
            try await bench.withDirectClient { direct in
                try await bench.withClient { client in
                    try await expectOnline(client)
                    let held = try await hold(direct)
                    let told = try await client.commit(
                        Writes.set("rooms/a", 2), metadata: ["hearth-writes": "accepted"])
                    #expect(told.isPromise)
                    let error = await #expect(throws: RPCError.self) { try await begin(client) }
                    #expect(error?.code == .unavailable)
                    #expect(error?.message.contains("still wait for the backend") == true)
                    try await letGo(held, direct)
                    _ = try await eventually({ try? await begin(client) }, is: { $0 != nil })
                    #expect(try await direct.number(in: "rooms/a") == 2)
                }
            }
        }
    }
}
