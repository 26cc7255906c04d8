import FoundationEssentials
import GRPCCore
import HearthEngine
import HearthModel
import HearthProtocol
import HearthTestSupport
import SwiftProtobuf
import Synchronization
import Testing

@testable import HearthGateway
@testable import HearthServer

/// Batch writes and write streams through the gateway.
@Suite(.timeLimit(.minutes(2)))
struct ManyWritesTests {
    private func batch(_ writes: ProtoWrite...) -> ProtoBatchWriteRequest {
        .with {
            $0.database = Writes.database
            $0.writes = writes
        }
    }

    @Test(arguments: [true, false])
    func `each write of a batch write has a status of its own`(isOnline: Bool) async throws {
        try await GatewayBench.run(isOnline: isOnline, Writes.patiently) { bench in
            try await bench.withClient { client in
                _ = try await client.commit(Writes.set("rooms/b", 1))
                let answer: ProtoBatchWriteResponse = try await client.unary(
                    .batchWrite,
                    batch(
                        Writes.create("rooms/a", 1), Writes.create("rooms/b", 2),
                        Writes.set("rooms/c", 3) { $0.update.fields[0].key = "__n__" },
                        Writes.set("rooms/d", 4)))
                let codes = [StatusCode.ok, .alreadyExists, .invalidArgument, .ok]
                #expect(answer.status.map(\.code) == codes.map(\.rawValue))
                #expect(answer.writeResults.map(\.hasUpdateTime) == [true, false, false, true])
            }
        }
    }

    @Test func `a refusal that was told is no dead letter after the next start`() async throws {
        let folder = TemporaryFolder()
        for run in 1...2 {
            try await GatewayBench.run {
                Writes.patiently(&$0)
                $0.storeFolder = folder.path
            } _: { bench in
                await bench.server.opened()
                let key = EngineKey.firestore(GatewayBench.database)
                let engine = try #require(bench.server.engines.engine(of: key))
                let letterCount = try engine.reader.figures().deadLetterCount
                #expect(letterCount == 0)
                guard run == 1 else { return }
                try await bench.withClient { client in
                    _ = try await client.commit(Writes.set("rooms/b", 1))
                    let error = try await client.refusal(of: Writes.create("rooms/b", 2))
                    #expect(error.code == .alreadyExists)
                    let answer: ProtoBatchWriteResponse = try await client.unary(
                        .batchWrite, batch(Writes.create("rooms/b", 3), Writes.set("rooms/c", 4)))
                    let codes = [StatusCode.alreadyExists, .ok]
                    #expect(answer.status.map(\.code) == codes.map(\.rawValue))
                }
            }
        }
    }

    @Test func `a batch write to one document twice is refused whole`() async throws {
        try await GatewayBench.run(isOnline: false) { bench in
            try await bench.withClient { client in
                let error = await #expect(throws: RPCError.self) {
                    let _: ProtoBatchWriteResponse = try await client.unary(
                        .batchWrite, batch(Writes.set("rooms/a", 1), Writes.set("rooms/a", 2)))
                }
                #expect(error?.code == .invalidArgument)
            }
        }
    }

    /// Speaks on a write stream: the handshake, then batches.
    private func stream(
        _ client: GatewayClient, _ batches: [[ProtoWrite]], metadata: Metadata = [:]
    ) async -> (answers: [ProtoWriteResponse], error: RPCError?) {
        let (requests, feed) = AsyncStream.makeStream(of: ProtoWriteRequest.self)
        feed.yield(.with { $0.database = Writes.database })
        for batch in batches { feed.yield(.with { $0.writes = batch }) }
        feed.finish()
        let answers = Mutex<[ProtoWriteResponse]>([])
        do {
            try await client.talk(.write, requests, metadata: metadata) {
                (answer: ProtoWriteResponse) in answers.withLock { $0.append(answer) }
            }
            return (answers.withLock { $0 }, nil)
        } catch {
            return (answers.withLock { $0 }, error as? RPCError)
        }
    }

    @Test(arguments: [true, false])
    func `a write stream answers each batch with a token, in their order`(
        isOnline: Bool
    ) async throws {
        try await GatewayBench.run(isOnline: isOnline, Writes.patiently) { bench in
            try await bench.withClient { client in
                let batches = (1...3).map { [Writes.set("rooms/a", $0)] }
                let (answers, error) = await stream(client, batches)
                #expect(error == nil)
                #expect(answers.count == 4)
                #expect(Set(answers.map(\.streamToken)).count == 4)
                let times = answers.dropFirst().map { answer in
                    Timestamp(
                        seconds: answer.commitTime.seconds, nanoseconds: answer.commitTime.nanos)
                }
                #expect(times == times.sorted() && Set(times).count == 3)
                #expect(times.allSatisfy { $0.isPromise != isOnline })
            }
        }
    }

    @Test(arguments: [true, false])
    func `a failure ends a write stream, and nothing behind it is done`(
        isOnline: Bool
    ) async throws {
        try await GatewayBench.run(isOnline: isOnline, Writes.patiently) { bench in
            try await bench.withClient { client in
                _ = try await client.commit(Writes.set("rooms/a", 1))
                let (answers, error) = await stream(
                    client,
                    [
                        [Writes.set("rooms/b", 1)], [Writes.create("rooms/a", 2)],
                        [Writes.set("rooms/c", 3)],
                    ])
                #expect(answers.count == 2)
                #expect(error?.code == .alreadyExists)
                // Nobody wrote it, so that it can be created.
                _ = try await client.commit(Writes.create("rooms/c", 4))
            }
        }
    }

    @Test func `in mode committed a write stream waits for the backend, and needs it`()
        async throws
    {
        try await GatewayBench.run {
            // Whoever waits for a time only is told of nothing but promises.
            $0.gateway.patienceMilliseconds = 0
        } _: { bench in
            try await bench.withClient { client in
                let metadata: Metadata = ["hearth-writes": "committed"]
                let batches = (1...2).map { [Writes.set("rooms/a", $0)] }
                let (answers, error) = await stream(client, batches, metadata: metadata)
                #expect(error == nil)
                #expect(answers.count == 3)
                #expect(
                    answers.dropFirst().allSatisfy { $0.commitTime.nanos.isMultiple(of: 1_000) })
                bench.setNetwork(isEnabled: false)
                let refused = try await eventually {
                    await stream(client, batches, metadata: metadata).error
                } is: {
                    $0 != nil
                }
                #expect(refused?.code == .failedPrecondition)
            }
        }
    }

    @Test func `a batch write of more than 500 writes is refused, as the backend does`()
        async throws
    {
        try await GatewayBench.run(isOnline: false) { bench in
            try await bench.withClient { client in
                for writes in ["accepted", "committed"] {
                    let request = ProtoBatchWriteRequest.with {
                        $0.database = Writes.database
                        $0.writes = (0...500).map { Writes.set("rooms/\($0)", 1) }
                    }
                    let error = await #expect(throws: RPCError.self) {
                        let _: ProtoBatchWriteResponse = try await client.unary(
                            .batchWrite, request, metadata: ["hearth-writes": .string(writes)])
                    }
                    #expect(error?.code == .invalidArgument)
                    #expect(error?.message.contains("500 writes") == true)
                }
            }
        }
    }
}
