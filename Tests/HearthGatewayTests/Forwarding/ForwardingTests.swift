import Foundation
import GRPCCore
import HearthEmulator
import HearthEngine
import HearthFirestore
import HearthModel
import HearthProtocol
import HearthTestSupport
import HearthWire
import SwiftProtobuf
import Testing

@testable import HearthGateway
@testable import HearthServer

/// Calls that the backend answers, through the gateway and straight.
@Suite(.timeLimit(.minutes(2)))
struct ForwardingTests {
    private static let database = GatewayBench.database.name
    private static let root = GatewayBench.database.documentsName

    private func commit(
        _ fields: [String: Int64], to path: String, in transaction: Data = Data()
    ) -> ProtoCommitRequest {
        var write = ProtoWrite()
        write.update.name = "\(Self.root)/\(path)"
        for (name, value) in fields {
            var entry = ProtoValue()
            entry.integerValue = value
            write.update.fields.append(
                .with {
                    $0.key = name
                    $0.value = entry
                })
        }
        return .with {
            $0.database = Self.database
            $0.transaction = transaction
            $0.writes = [write]
        }
    }

    private func begin(_ client: GatewayClient) async throws -> Data {
        let answer: ProtoBeginTransactionResponse = try await client.unary(
            .beginTransaction, ProtoBeginTransactionRequest.with { $0.database = Self.database })
        return answer.transaction
    }

    /// The reason that a refusal gives to machines.
    private func reason(of error: RPCError) throws -> String {
        let details = error.metadata[binaryValues: "grpc-status-details-bin"]
        let bytes = try #require(Array(details).first)
        let status = try ProtoStatus(serializedBytes: bytes)
        let info = try #require(status.details.first)
        return String(decoding: info.value, as: UTF8.self)
    }

    private func refusal(_ body: () async throws -> Void) async throws -> RPCError {
        let error = await #expect(throws: RPCError.self) { try await body() }
        return try #require(error)
    }

    @Test func `a transaction reads and commits at the backend, and a foreign change ends it`()
        async throws
    {
        try await GatewayBench.run { bench in
            try await bench.withDirectClient { direct in
                let _: ProtoCommitResponse = try await direct.unary(
                    .commit, commit(["n": 1], to: "rooms/a"))
                try await bench.withClient { client in
                    let transaction = try await begin(client)
                    let read: GatewayClient.Told<ProtoBatchGetDocumentsResponse> =
                        try await client.call(
                            .batchGetDocuments,
                            ProtoBatchGetDocumentsRequest.with {
                                $0.database = Self.database
                                $0.documents = ["\(Self.root)/rooms/a"]
                                $0.transaction = transaction
                            })
                    #expect(read.messages.first?.found.name == "\(Self.root)/rooms/a")
                    let committed: ProtoCommitResponse = try await client.unary(
                        .commit, commit(["n": 2], to: "rooms/a", in: transaction))
                    #expect(committed.writeResults.count == 1)
                    // The name of a transaction that is over is the backend's to refuse.
                    let error = try await refusal {
                        let _: ProtoCommitResponse = try await client.unary(
                            .commit, commit(["n": 3], to: "rooms/a", in: transaction))
                    }
                    let straight = try await refusal {
                        let _: ProtoCommitResponse = try await direct.unary(
                            .commit, commit(["n": 3], to: "rooms/a", in: transaction))
                    }
                    #expect(error.code == straight.code)
                    #expect(error.message == straight.message)
                }
            }
        }
    }

    /// A read in the past, which only the backend can answer.
    private func readPast(
        _ client: GatewayClient, _ metadata: Metadata
    ) async throws -> GatewayClient.Told<ProtoRunQueryResponse> {
        var query = ProtoRunQueryRequest()
        query.parent = Self.root
        query.structuredQuery.from = [.with { $0.collectionID = "rooms" }]
        query.readTime = Google_Protobuf_Timestamp(seconds: 1, nanos: 0)
        return try await client.call(.runQuery, query, metadata: metadata)
    }

    @Test func `a call's way goes on by the connection of all only as long as it may be`()
        async throws
    {
        try await GatewayBench.run { bench in
            try await bench.withClient { client in
                func via(_ names: [String]) -> Metadata {
                    var metadata = Metadata()
                    for name in names { metadata.addString(name, forKey: "hearth-via") }
                    return metadata
                }
                let bad = [
                    Array(repeating: "daemon", count: 9), [String(repeating: "d", count: 65)],
                    [String(repeating: "d", count: 12_000)],
                    [Array(repeating: "daemon", count: 9).joined(separator: ",")],
                ]
                for names in bad {
                    let error = try await refusal { _ = try await readPast(client, via(names)) }
                    #expect(error.code == .invalidArgument)
                    #expect(error.message.contains("hearth-via"))
                }
                let good = via(Array(repeating: String(repeating: "d", count: 64), count: 8))
                let straight = try await refusal { _ = try await readPast(client, [:]) }
                let error = try await refusal { _ = try await readPast(client, good) }
                #expect(error.message == straight.message)
                // Names that only begin alike are the client's own, and stay here.
                var alike = Metadata()
                alike.addString(String(repeating: "d", count: 12_000), forKey: "hearth-via-x")
                let other = try await refusal { _ = try await readPast(client, alike) }
                #expect(other.message == straight.message)
            }
        }
    }

    @Test func `a call that names the daemon behind others is known for a circle`() async throws {
        try await GatewayBench.run { bench in
            try await bench.withClient { client in
                _ = try? await readPast(client, [:])
                guard
                    case .firestore(let service)? = bench.server.engines.engine(
                        of: .firestore(GatewayBench.database))?.service
                else {
                    Issue.record("There is no engine.")
                    return
                }
                for name in ["other, \(service.door.via)", service.door.via] {
                    let error = try await refusal {
                        _ = try await readPast(client, ["hearth-via": "\(name)"])
                    }
                    #expect(error.code == .failedPrecondition)
                    #expect(error.message.contains("came from this daemon itself"))
                }
            }
        }
    }

    @Test func `a read in the past has the very answer that the backend gives`() async throws {
        try await GatewayBench.run { bench in
            try await bench.withDirectClient { direct in
                let first: ProtoCommitResponse = try await direct.unary(
                    .commit, commit(["n": 1], to: "rooms/a"))
                let _: ProtoCommitResponse = try await direct.unary(
                    .commit, commit(["n": 2], to: "rooms/a"))
                var query = ProtoRunQueryRequest()
                query.parent = Self.root
                query.structuredQuery.from = [.with { $0.collectionID = "rooms" }]
                query.readTime = first.commitTime
                let straight: GatewayClient.Told<ProtoRunQueryResponse> = try await direct.call(
                    .runQuery, query)
                try await bench.withClient { [query] client in
                    var marked = query
                    marked.readTime.nanos += 3  // As if the time had been read from the gateway.
                    let told: GatewayClient.Told<ProtoRunQueryResponse> = try await client.call(
                        .runQuery, marked)
                    #expect(told.messages == straight.messages)
                    #expect(told.messages.first?.document.fields.first?.value.integerValue == 1)
                }
            }
        }
    }

    @Test func `offline, what needs the backend is refused at once, with a reason`() async throws {
        try await GatewayBench.run(isOnline: false) { bench in
            try await bench.withClient { client in
                let clock = ContinuousClock()
                let began = clock.now
                let refused = try await refusal { _ = try await begin(client) }
                #expect(clock.now - began < .seconds(1))
                #expect(refused.code == .failedPrecondition)
                #expect(try reason(of: refused).contains("HEARTH_OFFLINE"))
                let past = try await refusal {
                    var query = ProtoRunQueryRequest()
                    query.parent = Self.root
                    query.structuredQuery.from = [.with { $0.collectionID = "rooms" }]
                    query.readTime = Google_Protobuf_Timestamp(seconds: 1, nanos: 0)
                    let _: GatewayClient.Told<ProtoRunQueryResponse> = try await client.call(
                        .runQuery, query)
                }
                #expect(past.code == .failedPrecondition)
                #expect(try reason(of: past).contains("HEARTH_NEEDS_BACKEND"))
            }
        }
    }

    @Test func `the call that finds the backend gone is refused like those after it`() async throws
    {
        try await GatewayBench.run { bench in
            try await bench.withClient { client in
                // The door has met the backend, and the engine has a reason to speak to it.
                _ = try await begin(client)
                let talk = ListenTalk(client)
                talk.listen(to: "rooms")
                try await talk.hears(["ADD", "CURRENT", "NO_CHANGE"])
                bench.emulator.shutdown()
                _ = try await eventually {
                    bench.engineState
                } is: {
                    $0 == .offline
                }
                let refused = try await refusal { _ = try await begin(client) }
                #expect(refused.code == .failedPrecondition)
                #expect(try reason(of: refused).contains("HEARTH_OFFLINE"))
                talk.abandon()
            }
        }
    }

    @Test func `a program needs the rights to what the backend would show it`() async throws {
        let reader = Peer(uid: 4_244, gid: 4_244, pid: 1)
        let rooms = try ResourcePath(parsing: "rooms")
        let rules = AccessPolicy(rules: [
            .init(name: "rooms", subject: .uid(4_244), rights: [.read], path: rooms)
        ])
        try await GatewayBench.run {
            $0.access = rules
        } _: { bench in
            try await bench.withClient(as: reader) { client in
                for collection in ["halls", ""] {
                    var query = ProtoRunQueryRequest()
                    query.parent = Self.root
                    query.structuredQuery.from = [.with { $0.collectionID = collection }]
                    query.readTime = Google_Protobuf_Timestamp(seconds: 1, nanos: 0)
                    let error = try await refusal { [query] in
                        let _: GatewayClient.Told<ProtoRunQueryResponse> = try await client.call(
                            .runQuery, query)
                    }
                    #expect(error.code == .permissionDenied)
                }
                let pipeline = try await refusal {
                    let _: GatewayClient.Told<ProtoExecutePipelineResponse> = try await client.call(
                        .executePipeline,
                        ProtoExecutePipelineRequest.with { $0.database = Self.database })
                }
                #expect(pipeline.code == .permissionDenied)
            }
        }
    }
}
