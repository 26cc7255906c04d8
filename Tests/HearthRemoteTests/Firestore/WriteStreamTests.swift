import GRPCCore
import HearthEngine
import HearthFirestore
import HearthModel
import HearthProtocol
import HearthRemote
import SwiftProtobuf
import Testing

@Suite(.timeLimit(.minutes(1)))
struct WriteStreamTests {
    private static let first = StreamNumber(1)

    /// Answers the handshake with token 0, and batches with 1, 2, ...; tells what came.
    private static func backend(_ record: AsyncStream<ProtoWriteRequest?>.Continuation)
        -> FakeBackend
    {
        FakeBackend {
            $0.add("Write") {
                (_, requests: RPCAsyncSequence<ProtoWriteRequest, any Error>, answers) in
                var count: UInt8 = 0
                for try await request in requests {
                    record.yield(request)
                    if count > 0, request.writes.contains(where: { $0.verify.hasSuffix("/bad") }) {
                        throw RPCError(code: .permissionDenied, message: "no")
                    }
                    var answer = ProtoWriteResponse()
                    answer.streamToken.append(count)
                    if count > 0 {
                        answer.commitTime.seconds = Int64(count)
                        answer.writeResults = request.writes.map { _ in ProtoWriteResult() }
                    }
                    try await answers.write(answer)
                    count += 1
                }
                record.yield(nil)
            }
        }
    }

    private static func untilHalfClosed(
        _ seen: AsyncStream<ProtoWriteRequest?>
    ) async -> [ProtoWriteRequest] {
        var requests: [ProtoWriteRequest] = []
        for await case let request? in seen.prefix(while: { $0 != nil }) {
            requests.append(request)
        }
        return requests
    }

    private static func mutation(_ path: String) throws -> Mutation {
        Mutation(key: try DocumentKey(parsing: path), kind: .verify)
    }

    private static func answer(_ count: UInt8) -> WriteAnswer {
        let version = SnapshotVersion(Timestamp(seconds: Int64(count), nanoseconds: 0))
        return WriteAnswer(
            token: [count], committedAt: version, results: [Mutation.Result(version: version)])
    }

    @Test func `batches follow the handshake, and answers come in their order`() async throws {
        let (seen, record) = AsyncStream.makeStream(of: ProtoWriteRequest?.self)
        try await Self.backend(record).serve { address in
            try await TestUpstream.connected(to: address) { _, connection, events in
                connection.perform(.openWrite(Self.first, as: .unauthenticated))
                #expect(await events.next() == .writeOpened(Self.first))
                connection.perform(.handshake(Self.first))
                #expect(await events.next() == .writeHandshaken(Self.first, [0]))
                connection.perform(.write(Self.first, BatchID(1), [try Self.mutation("a/b")], [0]))
                connection.perform(.write(Self.first, BatchID(2), [try Self.mutation("a/c")], [0]))
                #expect(await events.next() == .writeAnswered(Self.first, Self.answer(1)))
                #expect(await events.next() == .writeAnswered(Self.first, Self.answer(2)))
                connection.perform(.closeWrite(Self.first, goodbye: [2]))
                let requests = await Self.untilHalfClosed(seen)
                let names = ["a/b", "a/c"].map { TestUpstream.database.documentsName + "/" + $0 }
                #expect(
                    requests.map { $0.writes.map(\.verify) } == [[], [names[0]], [names[1]], []])
                #expect(requests.map { [UInt8]($0.streamToken) } == [[], [0], [0], [2]])
                #expect(requests.first?.database == TestUpstream.database.name)
            }
        }
    }

    @Test func `a batch that the backend refuses closes the stream with its code`() async throws {
        let (_, record) = AsyncStream.makeStream(of: ProtoWriteRequest?.self)
        try await Self.backend(record).serve { address in
            try await TestUpstream.connected(to: address) { _, connection, events in
                connection.perform(.openWrite(Self.first, as: .unauthenticated))
                #expect(await events.next() == .writeOpened(Self.first))
                connection.perform(.handshake(Self.first))
                #expect(await events.next() == .writeHandshaken(Self.first, [0]))
                connection.perform(
                    .write(Self.first, BatchID(1), [try Self.mutation("a/bad")], [0]))
                let error = HearthError(code: .permissionDenied, message: "no")
                #expect(await events.next() == .writeClosed(Self.first, error))
            }
        }
    }

    @Test func `a batch that cannot be sent ends the stream by its name, after those before it`()
        async throws
    {
        let (_, record) = AsyncStream.makeStream(of: ProtoWriteRequest?.self)
        let pending = Value.serverTimestamp(
            PendingServerTimestamp(localWriteTime: Timestamp(microseconds: 1), previousValue: nil))
        let bad = Mutation(key: try DocumentKey(parsing: "a/b"), kind: .set(["t": pending]))
        try await Self.backend(record).serve { address in
            try await TestUpstream.connected(to: address) { _, connection, events in
                connection.perform(.openWrite(Self.first, as: .unauthenticated))
                #expect(await events.next() == .writeOpened(Self.first))
                connection.perform(.handshake(Self.first))
                #expect(await events.next() == .writeHandshaken(Self.first, [0]))
                let good = try Self.mutation("a/c")
                connection.perform(.write(Self.first, BatchID(1), [good], [0]))
                connection.perform(.write(Self.first, BatchID(2), [bad], [0]))
                connection.perform(.write(Self.first, BatchID(3), [good], [0]))
                #expect(await events.next() == .writeAnswered(Self.first, Self.answer(1)))
                guard
                    case .writeUnsendable(Self.first, BatchID(2), let error) = await events.next()
                else {
                    Issue.record("The stream went on, or ended over another batch")
                    return
                }
                #expect(error.code == .invalidArgument)
            }
        }
    }
}
