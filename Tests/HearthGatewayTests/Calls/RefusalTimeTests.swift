import GRPCCore
import HearthEngine
import HearthModel
import HearthProtocol
import HearthTestSupport
import SwiftProtobuf
import Testing

@testable import HearthGateway
@testable import HearthServer

/// While the daemon is offline, whoever cannot be served hears it within a tenth of a second.
@Suite(.timeLimit(.minutes(2)))
struct RefusalTimeTests {
    private static let timeMax = Duration.milliseconds(100)
    /// A machine that does other work may be late now and then.
    private static let tryCount = 10

    /// What is refused offline.
    enum Question: CaseIterable {
        case transaction, readInPast, readByBackend, unknownDocument, unknownQuery
        case writeByBackend, fullQueue, createdAgain, onlyVerified
    }

    private static func get(_ path: String) -> ProtoBatchGetDocumentsRequest {
        .with {
            $0.database = Writes.database
            $0.documents = ["\(Writes.root)/\(path)"]
        }
    }

    private static func query(_ collection: String) -> ProtoRunQueryRequest {
        .with {
            $0.parent = Writes.root
            $0.structuredQuery.from = [.with { $0.collectionID = collection }]
        }
    }

    private static func read(
        _ request: ProtoBatchGetDocumentsRequest, _ client: GatewayClient,
        _ metadata: Metadata = [:]
    ) async throws {
        let _: GatewayClient.Told<ProtoBatchGetDocumentsResponse> = try await client.call(
            .batchGetDocuments, request, metadata: metadata)
    }

    private static func ask(_ question: Question, _ client: GatewayClient) async throws {
        switch question {
        case .transaction:
            let _: ProtoBeginTransactionResponse = try await client.unary(
                .beginTransaction,
                ProtoBeginTransactionRequest.with { $0.database = Writes.database })
        case .readInPast:
            var request = get("rooms/a")
            request.readTime = Google_Protobuf_Timestamp(seconds: 1, nanos: 0)
            try await read(request, client)
        case .readByBackend:
            try await read(get("rooms/a"), client, ["hearth-reads": "server"])
        case .unknownDocument: try await read(get("rooms/never-seen"), client)
        case .unknownQuery:
            let _: GatewayClient.Told<ProtoRunQueryResponse> = try await client.call(
                .runQuery, query("halls"))
        case .writeByBackend:
            _ = try await client.commit(
                Writes.set("rooms/a", 2), metadata: ["hearth-writes": "committed"])
        case .fullQueue: _ = try await client.commit(Writes.set("rooms/b", 1))
        case .createdAgain: _ = try await client.commit(Writes.create("rooms/a", 2))
        case .onlyVerified:
            _ = try await client.commit(
                ProtoWrite.with {
                    $0.verify = "\(Writes.root)/rooms/a"
                    $0.currentDocument.exists = true
                })
        }
    }

    private static func code(of question: Question) -> RPCError.Code {
        question == .createdAgain ? .alreadyExists : .failedPrecondition
    }

    @Test(arguments: Question.allCases)
    func `offline a refusal takes no time, and has a code that no server client tries again`(
        question: Question
    ) async throws {
        try await GatewayBench.run(isOnline: false) {
            if question == .fullQueue { $0.queueLimits.uidBatchCountMax = 1 }
        } _: { bench in
            try await bench.withClient { client in
                _ = try await client.commit(Writes.create("rooms/a", 1))
                var taken: [Duration] = []
                while taken.allSatisfy({ $0 >= Self.timeMax }), taken.count < Self.tryCount {
                    let began = ContinuousClock.now
                    let error = await #expect(throws: RPCError.self) {
                        try await Self.ask(question, client)
                    }
                    taken.append(ContinuousClock.now - began)
                    #expect(error?.code == Self.code(of: question))
                }
                #expect(taken.contains { $0 < Self.timeMax }, "\(taken)")
            }
        }
    }

    @Test func `a daemon that has just started knows within a second that nobody is there`()
        async throws
    {
        let folder = TemporaryFolder()
        defer { folder.remove() }
        try await GatewayBench.run {
            $0.emulator = "unix:\(folder.path)/nobody.sock"
        } _: { bench in
            let began = ContinuousClock.now
            try await bench.withClient { client in
                _ = try await eventually {
                    await Self.refusal(of: .transaction, client)
                } is: {
                    $0 == .failedPrecondition
                }
            }
            #expect(ContinuousClock.now - began < .seconds(2))
        }
    }

    private static func refusal(
        of question: Question, _ client: GatewayClient
    ) async -> RPCError.Code? {
        do {
            try await ask(question, client)
            return nil
        } catch {
            return (error as? RPCError)?.code
        }
    }
}
