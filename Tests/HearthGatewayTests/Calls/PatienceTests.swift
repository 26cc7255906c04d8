import Foundation
import GRPCCore
import HearthModel
import HearthProtocol
import HearthRPC
import HearthTestSupport
import NIOCore
import SwiftProtobuf
import Testing

@testable import HearthGateway
@testable import HearthServer

/// Writes for which the backend takes longer than somebody waits: a transaction there holds their document.
@Suite(.timeLimit(.minutes(2)))
struct PatienceTests {
    /// Far below any other limit of a call here.
    private static let soon = Duration.seconds(5)

    /// A document that the backend holds for a transaction, while other writes of it wait there.
    private struct Held: Sendable {
        let bench: GatewayBench
        let client: GatewayClient
        let direct: GatewayClient
        let transaction: Data

        func letGo() async throws {
            let _: Google_Protobuf_Empty = try await direct.unary(
                .rollback,
                ProtoRollbackRequest.with {
                    $0.database = Writes.database
                    $0.transaction = transaction
                })
        }
    }

    private static func begin(_ client: GatewayClient) async throws -> Data {
        let answer: ProtoBeginTransactionResponse = try await client.unary(
            .beginTransaction, ProtoBeginTransactionRequest.with { $0.database = Writes.database })
        return answer.transaction
    }

    /// Runs a daemon that is online while the backend holds `rooms/a`.
    private static func withHeldDocument(
        _ change: (inout ServerConfiguration) -> Void,
        _ body: @Sendable (Held) async throws -> Void
    ) async throws {
        try await GatewayBench.run(change) { bench in
            try await bench.withDirectClient { direct in
                try await bench.withClient { client in
                    try await expectOnline(client)
                    let transaction = try await begin(direct)
                    let _: GatewayClient.Told<ProtoBatchGetDocumentsResponse> =
                        try await direct.call(
                            .batchGetDocuments,
                            ProtoBatchGetDocumentsRequest.with {
                                $0.database = Writes.database
                                $0.documents = ["\(Writes.root)/rooms/a"]
                                $0.transaction = transaction
                            })
                    try await body(
                        Held(
                            bench: bench, client: client, direct: direct,
                            transaction: transaction))
                }
            }
        }
    }

    /// Waits until a write is answered by the backend: else the daemon may believe that it is offline.
    private static func expectOnline(_ client: GatewayClient) async throws {
        _ = try await eventually {
            try await client.commit(Writes.set("rooms/b", 1)).header("hearth-state")
        } is: {
            $0 == "committed"
        }
    }

    /// Commits a write of the held document, and expects a promise after some time.
    private static func expectPromise(
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
        #expect(taken >= patience && taken < soon, "\(taken)")
    }

    @Test func `a caller waits as long as the configuration says, and the write lands later`()
        async throws
    {
        try await Self.withHeldDocument {
            $0.gateway.patienceMilliseconds = 1_000
        } _: { held in
            try await Self.expectPromise(held.client, after: .seconds(1), timeout: .seconds(20))
            #expect(try await held.client.number(in: "rooms/a") == 2)
            #expect(try await held.direct.number(in: "rooms/a") == nil)
            try await held.letGo()
            _ = try await eventually(
                { try await held.direct.number(in: "rooms/a") }, is: { $0 == 2 })
        }
    }

    @Test func `a caller that gives less time is answered when half of the time is over`()
        async throws
    {
        try await Self.withHeldDocument(Writes.patiently) { held in
            try await Self.expectPromise(held.client, after: .seconds(1.5), timeout: .seconds(3))
            try await held.letGo()
        }
    }

    @Test func `a transaction that would not see its program's own writes may be begun again`()
        async throws
    {
        try await Self.withHeldDocument {
            $0.gateway.patienceMilliseconds = 1_000
        } _: { held in
            let told = try await held.client.commit(
                Writes.set("rooms/a", 2), metadata: ["hearth-writes": "accepted"])
            #expect(told.isPromise)
            let error = await #expect(throws: RPCError.self) { try await Self.begin(held.client) }
            #expect(error?.code == .unavailable)
            #expect(error?.message.contains("still wait for the backend") == true)
            try await held.letGo()
            _ = try await eventually({ try? await Self.begin(held.client) }, is: { $0 != nil })
            #expect(try await held.direct.number(in: "rooms/a") == 2)
        }
    }

    // MARK: Time that is over

    private static let peer = Peer(uid: 60_002, gid: 60_002, pid: 1)

    private static func patientlyAndOpen(_ configuration: inout ServerConfiguration) {
        Writes.patiently(&configuration)
        configuration.access = .open
    }

    /// Begins a call of one request, and waits until it would end as `isExpected` says if its time
    /// ended.
    ///
    /// - Returns: How the call would end before the engine can have answered, and in the end.
    private static func ends(
        of method: FirestoreMethod, _ request: some Message, by connection: BoundConnection,
        once isExpected: @escaping @Sendable (LateEnd) -> Bool
    ) async throws -> (early: LateEnd, late: LateEnd) {
        let bytes = ByteBuffer(bytes: FirestoreCodec.bytes(of: request))
        let head = CallHead(CallMethod(name: method.rawValue, shape: .unary, number: 0))
        let (call, early) = try await connection.run { connection in
            let sender = SlowSender(isWritable: true)
            let call = try connection.open(method, head, answering: sender)
            sender.call = call
            call.received(bytes)
            call.ended()
            return (NIOLoopBound(call, eventLoop: connection.eventLoop), call.timeEnded())
        }
        let late = try await eventually(
            { try await connection.run { _ in call.value.timeEnded() } }, is: isExpected)
        try await connection.run { _ in call.value.closed() }
        return (early, late)
    }

    @Test func `a commit whose time ends says whether its writes are in the queue`() async throws {
        try await Self.withHeldDocument(Self.patientlyAndOpen) { held in
            try await held.bench.withConnection(as: Self.peer) { connection in
                let ends = try await Self.ends(
                    of: .commit,
                    ProtoCommitRequest.with {
                        $0.database = Writes.database
                        $0.writes = [Writes.set("rooms/a", 2)]
                    }, by: connection
                ) { $0.trailing["hearth-state"] == "accepted" }
                #expect(ends.early.error.message.contains("may still queue them"))
                #expect(ends.early.trailing.isEmpty)
                let batch = try #require(ends.late.trailing["hearth-batch"])
                #expect(ends.late.error.code == .deadlineExceeded)
                #expect(ends.late.error.message.contains("in the queue as batch \(batch) "))
            }
            try await held.letGo()
            _ = try await eventually(
                { try await held.direct.number(in: "rooms/a") }, is: { $0 == 2 })
        }
    }

    @Test func `batches of others between the batches of a call are not the call's`() {
        func message(_ numbers: Int64...) -> String {
            WriteProgress.lateEnd(
                of: numbers.map { .accepted(BatchID($0)) }, outOf: numbers.count
            ).error.message
        }
        #expect(message(7).contains("are in the queue as batch 7 and wait"))
        #expect(message(7, 8, 9).contains("are in the queue as batches 7 to 9 and wait"))
        #expect(message(7, 9).contains("are in the queue as 2 of the batches 7 to 9 and wait"))
    }

    @Test func `a batch write whose time ends says how far each of its writes has come`()
        async throws
    {
        try await Self.withHeldDocument(Self.patientlyAndOpen) { held in
            try await held.bench.withConnection(as: Self.peer) { connection in
                let ends = try await Self.ends(
                    of: .batchWrite,
                    ProtoBatchWriteRequest.with {
                        $0.database = Writes.database
                        $0.writes = [Writes.set("rooms/a", 2), Writes.set("rooms/c", 3)]
                    }, by: connection
                ) { $0.trailing["hearth-state"] == "accepted" }
                #expect(ends.early.error.message.contains("Of 2 writes, 2 may still be queued."))
                #expect(ends.late.error.message.contains("in the queue as batch"))
            }
            try await held.letGo()
            _ = try await eventually(
                { try await held.direct.number(in: "rooms/a") }, is: { $0 == 2 })
        }
    }
}
