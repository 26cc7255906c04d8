import GRPCCore
import HearthEngine
import HearthFirestore
import HearthModel
import HearthProtocol
import HearthRemote
import SwiftProtobuf
import Testing

@Suite(.timeLimit(.minutes(1)))
struct WatchStreamTests {
    private static let first = StreamNumber(1)
    private static let two = WireTargetID(2)

    private static let request = ListenRequest(
        wireID: two, target: Query(path: ResourcePath(["rooms"])).target)

    private static func response(_ seconds: Int64) -> ProtoListenResponse {
        var response = ProtoListenResponse()
        response.targetChange.targetChangeType = .noChange
        response.targetChange.readTime.seconds = seconds
        return response
    }

    private static func change(_ seconds: Int64) -> WatchChange {
        .target(
            TargetWatchChange(
                kind: .noChange, targets: [],
                readAt: SnapshotVersion(Timestamp(seconds: seconds, nanoseconds: 0))))
    }

    @Test func `a listen reaches the backend, and its changes come back in order`() async throws {
        let (seen, record) = AsyncStream.makeStream(of: (Metadata, ProtoListenRequest).self)
        let backend = FakeBackend {
            $0.add("Listen") {
                (metadata, requests: RPCAsyncSequence<ProtoListenRequest, any Error>, answers) in
                for try await request in requests {
                    record.yield((metadata, request))
                    try await answers.write(Self.response(1))
                    try await answers.write(Self.response(2))
                    break
                }
            }
        }
        try await backend.serve { address in
            try await TestUpstream.connected(to: address, as: FixedToken.owner) {
                _, connection, events in
                connection.perform(.openWatch(Self.first, as: .unauthenticated))
                #expect(await events.next() == .watchOpened(Self.first))
                connection.perform(.listen(Self.first, Self.request))
                #expect(await events.next() == .watched(Self.first, Self.change(1)))
                #expect(await events.next() == .watched(Self.first, Self.change(2)))
                #expect(await events.next() == .watchClosed(Self.first, nil))
            }
        }
        var iterator = seen.makeAsyncIterator()
        let (metadata, request) = try #require(await iterator.next())
        let name = TestUpstream.database.name
        #expect(request.database == name)
        #expect(request.addTarget.targetID == 2)
        #expect(Array(metadata[stringValues: "google-cloud-resource-prefix"]) == [name])
        #expect(
            Array(metadata[stringValues: "x-goog-request-params"])
                == ["database=projects/p/databases/%28default%29"])
        #expect(Array(metadata[stringValues: "authorization"]) == ["Bearer owner"])
        #expect(Array(metadata[stringValues: "x-goog-api-client"]).count == 1)
    }

    @Test func `the backend's error closes the stream with its code and text`() async throws {
        let backend = FakeBackend {
            $0.add("Listen") {
                (
                    _, _: RPCAsyncSequence<ProtoListenRequest, any Error>,
                    _: RPCWriter<ProtoListenResponse>
                ) in
                throw RPCError(code: .resourceExhausted, message: "enough")
            }
        }
        try await backend.serve { address in
            try await TestUpstream.connected(to: address) { _, connection, events in
                connection.perform(.openWatch(Self.first, as: .unauthenticated))
                #expect(await events.next() == .watchOpened(Self.first))
                let error = HearthError(code: .resourceExhausted, message: "enough")
                #expect(await events.next() == .watchClosed(Self.first, error))
            }
        }
    }

    @Test func `a message that cannot be read closes the stream as the backend's fault`()
        async throws
    {
        let backend = FakeBackend {
            $0.add("Listen") {
                (_, _: RPCAsyncSequence<ProtoListenRequest, any Error>, answers) in
                try await answers.write(ProtoListenResponse())
                try await answers.write(Self.response(1))
            }
        }
        try await backend.serve { address in
            try await TestUpstream.connected(to: address) { _, connection, events in
                connection.perform(.openWatch(Self.first, as: .unauthenticated))
                #expect(await events.next() == .watchOpened(Self.first))
                guard case .watchBroken(Self.first, let error) = await events.next() else {
                    Issue.record("The stream went on")
                    return
                }
                #expect(error.code == .internalError)
            }
        }
    }

    @Test func `a document that cannot be read concerns its targets, and the stream goes on`()
        async throws
    {
        let backend = FakeBackend {
            $0.add("Listen") {
                (_, _: RPCAsyncSequence<ProtoListenRequest, any Error>, answers) in
                var response = ProtoListenResponse()
                response.documentChange.targetIds = [2]
                response.documentChange.removedTargetIds = [4]
                response.documentChange.document.name =
                    "\(TestUpstream.database.name)/documents/rooms/hall"
                response.documentChange.document.updateTime.seconds = 1
                var field = ProtoFieldsEntry()
                field.key = "later"
                response.documentChange.document.fields = [field]
                try await answers.write(response)
                try await answers.write(Self.response(1))
            }
        }
        try await backend.serve { address in
            try await TestUpstream.connected(to: address) { _, connection, events in
                connection.perform(.openWatch(Self.first, as: .unauthenticated))
                #expect(await events.next() == .watchOpened(Self.first))
                guard
                    case .watchUnreadable(Self.first, let targets, let error) = await events.next()
                else {
                    Issue.record("The document was read, or the stream ended")
                    return
                }
                #expect(targets == [Self.two, WireTargetID(4)])
                #expect(error.code == .dataLoss)
                #expect(error.message.contains("rooms/hall") && error.message.contains("later"))
                #expect(await events.next() == .watched(Self.first, Self.change(1)))
            }
        }
    }

    @Test func `a backend that nobody runs is unavailable at once`() async throws {
        try await TestUpstream.connected(to: .unix(path: FakeBackend.path())) {
            _, connection, events in
            connection.perform(.openWatch(Self.first, as: .unauthenticated))
            guard case .watchClosed(Self.first, let error?) = await events.next() else {
                Issue.record("The stream opened")
                return
            }
            #expect(error.code == .unavailable)
        }
    }

    @Test func `a backend that comes back is reached again over the same channel`() async throws {
        let path = FakeBackend.path()
        let backend = FakeBackend {
            $0.add("Listen") {
                (
                    _, requests: RPCAsyncSequence<ProtoListenRequest, any Error>,
                    _: RPCWriter<ProtoListenResponse>
                ) in
                for try await _ in requests {}
            }
        }
        try await TestUpstream.connected(to: .unix(path: path)) { _, connection, events in
            connection.perform(.openWatch(Self.first, as: .unauthenticated))
            _ = await events.next()
            try await backend.serve(at: path) { _ in
                var number: UInt64 = 1
                repeat {
                    number += 1
                    connection.perform(.openWatch(StreamNumber(number), as: .unauthenticated))
                } while await events.next() != .watchOpened(StreamNumber(number))
                connection.perform(.closeWatch(StreamNumber(number)))
            }
        }
    }

    @Test func `a closed stream tells nothing, and the next one is not disturbed`() async throws {
        let (ended, end) = AsyncStream.makeStream(of: Void.self)
        let backend = FakeBackend {
            $0.add("Listen") {
                (_, requests: RPCAsyncSequence<ProtoListenRequest, any Error>, answers) in
                defer { end.yield() }
                for try await request in requests {
                    try await answers.write(Self.response(Int64(request.removeTarget)))
                }
            }
        }
        try await backend.serve { address in
            try await TestUpstream.connected(to: address) { _, connection, events in
                connection.perform(.openWatch(Self.first, as: .unauthenticated))
                #expect(await events.next() == .watchOpened(Self.first))
                connection.perform(.unlisten(Self.first, WireTargetID(6)))
                #expect(await events.next() == .watched(Self.first, Self.change(6)))
                connection.perform(.closeWatch(Self.first))
                var ended = ended.makeAsyncIterator()
                await ended.next()
                let second = StreamNumber(2)
                connection.perform(.openWatch(second, as: .unauthenticated))
                #expect(await events.next() == .watchOpened(second))
                connection.perform(.unlisten(Self.first, WireTargetID(7)))  // Too late.
                connection.perform(.unlisten(second, WireTargetID(8)))
                #expect(await events.next() == .watched(second, Self.change(8)))
            }
        }
    }

    @Test func `a message far beyond gRPC's usual limit comes through`() async throws {
        let text = String(repeating: "x", count: 900_000)
        let key = try DocumentKey(parsing: "rooms/hall")
        let fields = MapValue((0..<12).map { ("f\($0)", Value.string(text)) })
        let version = SnapshotVersion(Timestamp(seconds: 1, nanoseconds: 0))
        let change = WatchChange.document(
            DocumentWatchChange(
                updated: [Self.two], removed: [], key: key,
                document: .found(key, at: version, fields)))
        let backend = FakeBackend {
            $0.add("Listen") {
                (_, _: RPCAsyncSequence<ProtoListenRequest, any Error>, answers) in
                let codec = FirestoreCodec(database: TestUpstream.database)
                try await answers.write(try codec.encode(change))
            }
        }
        try await backend.serve { address in
            try await TestUpstream.connected(to: address) { _, connection, events in
                connection.perform(.openWatch(Self.first, as: .unauthenticated))
                #expect(await events.next() == .watchOpened(Self.first))
                #expect(await events.next() == .watched(Self.first, change))
            }
        }
    }
}
