import GRPCCore
import HearthModel
import HearthProtocol
import HearthRemote
import SwiftProtobuf
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(1)))
struct UnaryCallsTests {
    private static let codec = FirestoreCodec(database: TestUpstream.database)
    private static let version = SnapshotVersion(Timestamp(seconds: 5, nanoseconds: 6))

    private static func hall() throws -> Document {
        .found(try DocumentKey(parsing: "rooms/hall"), at: version, ["n": .integer(1)])
    }

    /// Serves one method, which answers each request through `answer`.
    private func calls<Request: Message, Answer: Message, Result: Sendable>(
        _ method: String, _ answer: @escaping @Sendable (Request) throws -> [Answer],
        _ body: (UnaryCalls) async throws -> Result
    ) async throws -> Result {
        let backend = FakeBackend {
            $0.add(method) { (_, requests: RPCAsyncSequence<Request, any Error>, answers) in
                for try await request in requests {
                    for message in try answer(request) { try await answers.write(message) }
                }
            }
        }
        return try await backend.serve { address in
            try await TestUpstream.connected(to: address) { channel, _, _ in
                try await body(UnaryCalls(channel))
            }
        }
    }

    @Test func `a commit brings its time and a result for each write`() async throws {
        let mutation = Mutation(key: try DocumentKey(parsing: "a/b"), kind: .delete)
        let result = try await calls("Commit") { (request: ProtoCommitRequest) in
            var answer = ProtoCommitResponse()
            answer.commitTime = FirestoreCodec.encode(Self.version.timestamp)
            answer.writeResults = request.writes.map { _ in ProtoWriteResult() }
            return [answer]
        } _: { calls in
            try await calls.commit([mutation, mutation])
        }
        #expect(result.committedAt == Self.version)
        #expect(result.results == Array(repeating: .init(version: Self.version), count: 2))
    }

    @Test func `documents come in the order asked, whatever the order of the answers`()
        async throws
    {
        let hall = try Self.hall()
        let absent = try DocumentKey(parsing: "rooms/none")
        let documents = try await calls("BatchGetDocuments") {
            (request: ProtoBatchGetDocumentsRequest) in
            try Set(request.documents).sorted().reversed().map { name in
                var answer = ProtoBatchGetDocumentsResponse()
                answer.readTime = FirestoreCodec.encode(Self.version.timestamp)
                if name.hasSuffix("/hall") {
                    answer.found = try Self.codec.encode(Self.hall())
                } else {
                    answer.missing = name
                }
                return answer
            }
        } _: { calls in
            try await calls.documents([hall.key, absent, hall.key])
        }
        #expect(documents == [hall, .missing(absent, at: Self.version), hall])
        #expect(documents.allSatisfy { $0.readAt == Self.version })
    }

    @Test func `a query brings documents, and none for an answer with only a time`() async throws {
        let query = StructuredQuery(parent: .root, source: .init(collectionID: "rooms"))
        let documents = try await calls("RunQuery") { (request: ProtoRunQueryRequest) in
            var first = ProtoRunQueryResponse()
            first.readTime = FirestoreCodec.encode(Self.version.timestamp)
            var second = first
            second.document = try Self.codec.encode(Self.hall())
            let read = try Self.codec.decode(request.structuredQuery, parent: .root)
            return read == query ? [first, second] : []
        } _: { calls in
            try await calls.run(query)
        }
        #expect(documents == [try Self.hall()])
    }

    @Test func `an aggregation brings its numbers by name`() async throws {
        let query = StructuredQuery(parent: .root, source: .init(collectionID: "rooms"))
        let numbers = try await calls("RunAggregationQuery") {
            (_: ProtoRunAggregationQueryRequest) in
            var answer = ProtoRunAggregationQueryResponse()
            answer.result = try Self.codec.encode(aggregates: ["n": .integer(3)])
            return [answer]
        } _: { calls in
            try await calls.run(
                [Aggregation(alias: "n", operation: .count(upTo: nil))], over: query)
        }
        #expect(numbers == ["n": .integer(3)])
    }

    @Test func `lists come in pages, and the last has no token`() async throws {
        let page = try await calls("ListDocuments") { (request: ProtoListDocumentsRequest) in
            var answer = ProtoListDocumentsResponse()
            answer.documents = [try Self.codec.encode(Self.hall())]
            answer.nextPageToken = request.pageToken + "x"
            return [answer]
        } _: { calls in
            try await calls.documents(in: ResourcePath(["rooms"]), pageSize: 1)
        }
        #expect(page.elements == [try Self.hall()])
        #expect(page.nextToken == "x")
        let ids = try await calls("ListCollectionIds") { (_: ProtoListCollectionIdsRequest) in
            var answer = ProtoListCollectionIdsResponse()
            answer.collectionIds = ["rooms"]
            return [answer]
        } _: { calls in
            try await calls.collectionIDs(below: .root, pageSize: 10)
        }
        #expect(ids.elements == ["rooms"])
        #expect(ids.nextToken == nil)
    }

    @Test func `a token that is not believed is dropped once, and the call made again`()
        async throws
    {
        let backend = FakeBackend {
            $0.add("Commit") {
                (metadata, _: RPCAsyncSequence<ProtoCommitRequest, any Error>, answers) in
                guard Array(metadata[stringValues: "authorization"]) == ["Bearer fresh"] else {
                    throw RPCError(code: .unauthenticated, message: "stale")
                }
                try await answers.write(ProtoCommitResponse())
            }
        }
        try await backend.serve { address in
            try await TestUpstream.connected(to: address, as: StaleToken(refreshes: true)) {
                channel, _, _ in
                let (_, results) = try await UnaryCalls(channel).commit([])
                #expect(results.isEmpty)
            }
            try await TestUpstream.connected(to: address, as: StaleToken(refreshes: false)) {
                channel, _, _ in
                let error = await #expect(throws: HearthError.self) {
                    try await UnaryCalls(channel).commit([])
                }
                #expect(error?.code == .unauthenticated)
            }
        }
    }
}

/// A token that is stale until it is dropped, or for ever.
private final class StaleToken: Credentials {
    private let refreshes: Bool
    private let isFresh = Mutex(false)

    init(refreshes: Bool) {
        self.refreshes = refreshes
    }

    func headers(as user: UserID?) async throws(HearthError) -> [Header] {
        [Header("authorization", isFresh.withLock { $0 } ? "Bearer fresh" : "Bearer stale")]
    }

    func refused(_ headers: [Header]) async {
        #expect(headers.first?.value.revealed == "Bearer stale")
        isFresh.withLock { $0 = refreshes }
    }

    func believed(_ headers: [Header]) async {
        #expect(headers.first?.value.revealed == "Bearer fresh")
    }
}
