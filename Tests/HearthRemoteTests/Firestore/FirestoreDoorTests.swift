import GRPCCore
import HearthFirestore
import HearthModel
import HearthProtocol
import HearthTestSupport
import NIOCore
import NIOPosix
import SwiftProtobuf
import Synchronization
import Testing

@testable import HearthRemote

@Suite(.timeLimit(.minutes(1)))
struct FirestoreDoorTests {
    /// What a listener of one call heard.
    private struct Heard: Sendable {
        var messages: [[UInt8]] = []
        var end: DoorEnd?
    }

    private static func door(
        to address: BackendAddress, as credentials: any Credentials = NoCredentials()
    ) throws -> FirestoreDoor {
        var parts = FirestoreChannel.Configuration(
            database: TestUpstream.database, address: address, security: .plaintext,
            credentials: credentials)
        parts.via = "daemon"
        return FirestoreDoor(try FirestoreLine(parts))
    }

    /// Makes a call and waits for its end.
    private static func call(_ request: DoorRequest, by door: FirestoreDoor) async -> Heard {
        let heard = Mutex(Heard())
        let end = await withCheckedContinuation { continuation in
            _ = door.call(
                request,
                telling: DoorListener(
                    received: { message in heard.withLock { $0.messages.append(message) } },
                    ended: { continuation.resume(returning: $0) }))
        }
        return heard.withLock { Heard(messages: $0.messages, end: end) }
    }

    private static func answer(_ transaction: String) -> ProtoRunQueryResponse {
        var answer = ProtoRunQueryResponse()
        answer.transaction = .init(transaction.utf8)
        return answer
    }

    @Test func `bytes go and come as they are, with our names and not the caller's`() async throws {
        let seen = Mutex<[Metadata]>([])
        let backend = FakeBackend {
            $0.add("RunQuery") {
                (metadata, requests: RPCAsyncSequence<ProtoRunQueryRequest, any Error>, answers) in
                seen.withLock { $0.append(metadata) }
                for try await request in requests {
                    try await answers.write(Self.answer(request.parent))
                    try await answers.write(Self.answer("two"))
                }
            }
        }
        var query = ProtoRunQueryRequest()
        query.parent = "somewhere"
        var request = DoorRequest(
            "RunQuery", try query.serializedBytes(), routing: ["parent": "some where"])
        request.via = ["another"]
        let heard = try await backend.serve { [request] address in
            await Self.call(request, by: try Self.door(to: address, as: FixedToken.owner))
        }
        #expect(heard.end == .well)
        #expect(
            heard.messages
                == [
                    try Self.answer("somewhere").serializedBytes(),
                    try Self.answer("two").serializedBytes(),
                ])
        let metadata = try #require(seen.withLock { $0 }.first)
        #expect(Array(metadata[stringValues: "hearth-via"]) == ["daemon", "another"])
        #expect(Array(metadata[stringValues: "authorization"]) == ["Bearer owner"])
        #expect(Array(metadata[stringValues: "x-goog-request-params"]) == ["parent=some%20where"])
    }

    @Test func `names that no header can hold are refused, and the connection goes on`()
        async throws
    {
        let backend = FakeBackend {
            $0.add("RunQuery") {
                (_, requests: RPCAsyncSequence<ProtoRunQueryRequest, any Error>, answers) in
                for try await _ in requests { try await answers.write(Self.answer("one")) }
            }
        }
        let query = try ProtoRunQueryRequest().serializedBytes() as [UInt8]
        let long = DoorRequest(
            "RunQuery", query, routing: ["parent": String(repeating: "ü", count: 1_400)])
        let (refused, next) = try await backend.serve { address in
            let door = try Self.door(to: address)
            return (
                await Self.call(long, by: door),
                await Self.call(DoorRequest("RunQuery", query, routing: ["parent": "a"]), by: door)
            )
        }
        #expect(refused.end?.error?.code == .invalidArgument)
        #expect(next.end == .well)
        #expect(next.messages.count == 1)
    }

    @Test func `an error comes with the backend's details`() async throws {
        let details = ErrorInfo(reason: "WHY", domain: "test").status(
            of: HearthError(code: .aborted, message: "no"))
        let backend = FakeBackend {
            let refuse: FakeBackend.Script<ProtoCommitRequest, ProtoCommitResponse> = { _, _, _ in
                var metadata = Metadata()
                metadata.addBinary(details, forKey: "grpc-status-details-bin")
                throw RPCError(code: .aborted, message: "no", metadata: metadata)
            }
            $0.add("Commit", refuse)
        }
        let heard = try await backend.serve { address in
            await Self.call(DoorRequest("Commit", []), by: try Self.door(to: address))
        }
        #expect(heard.messages == [])
        #expect(
            heard.end
                == DoorEnd(error: HearthError(code: .aborted, message: "no"), details: details))
    }

    @Test(arguments: [false, true])
    func `credentials that are not believed are shown once more, but not behind a message`(
        answersFirst: Bool
    ) async throws {
        let count = Atomic(0)
        let backend = FakeBackend {
            $0.add("RunQuery") {
                (_, _: RPCAsyncSequence<ProtoRunQueryRequest, any Error>, answers) in
                let isFirst = count.add(1, ordering: .relaxed).oldValue == 0
                if answersFirst || !isFirst { try await answers.write(Self.answer("x")) }
                if isFirst { throw RPCError(code: .unauthenticated, message: "stale") }
            }
        }
        let heard = try await backend.serve { address in
            await Self.call(DoorRequest("RunQuery", []), by: try Self.door(to: address))
        }
        #expect(heard.messages.count == 1)
        #expect(count.load(ordering: .relaxed) == (answersFirst ? 1 : 2))
        #expect(heard.end?.error?.code == (answersFirst ? .unauthenticated : nil))
    }

    @Test func `the next message comes when the last is taken, and a call ends when nobody waits`()
        async throws
    {
        let hasEnded = Atomic(false)
        let backend = FakeBackend {
            $0.add("RunQuery") {
                (_, _: RPCAsyncSequence<ProtoRunQueryRequest, any Error>, answers) in
                for _ in 0..<200 { try await answers.write(Self.answer("x")) }
                let (never, continuation) = AsyncStream.makeStream(of: Void.self)
                await withRPCCancellationHandler {
                    for await _ in never {}
                } onCancelRPC: {
                    continuation.finish()
                }
                hasEnded.store(true, ordering: .relaxed)
            }
        }
        try await backend.serve { address in
            let door = try Self.door(to: address)
            let listening = Atomic(0)
            let most = Atomic(0)
            let count = Atomic(0)
            let (ends, end) = AsyncStream.makeStream(of: DoorEnd.self)
            let call = door.call(
                DoorRequest("RunQuery", []),
                telling: DoorListener(
                    received: { _ in
                        let now = listening.add(1, ordering: .relaxed).newValue
                        most.max(now, ordering: .relaxed)
                        await Task.yield()
                        count.add(1, ordering: .relaxed)
                        listening.subtract(1, ordering: .relaxed)
                    }, ended: { end.yield($0) }))
            _ = try await eventually(
                { count.load(ordering: .relaxed) }, is: { $0 >= 100 })
            call.cancel()
            var iterator = ends.makeAsyncIterator()
            let last = await iterator.next()
            #expect(last?.error?.code == .cancelled)
            #expect(most.load(ordering: .relaxed) == 1)
            _ = try await eventually({ hasEnded.load(ordering: .relaxed) }, is: { $0 })
        }
    }

    @Test func `a call that takes longer than it may ends by its deadline`() async throws {
        let backend = FakeBackend {
            let wait: FakeBackend.Script<ProtoRunQueryRequest, ProtoRunQueryResponse> = { _, _, _ in
                let (never, continuation) = AsyncStream.makeStream(of: Void.self)
                await withRPCCancellationHandler {
                    for await _ in never {}
                } onCancelRPC: {
                    continuation.finish()
                }
            }
            $0.add("RunQuery", wait)
        }
        let heard = try await backend.serve { address in
            await Self.call(
                DoorRequest("RunQuery", [], timeout: .milliseconds(50)),
                by: try Self.door(to: address))
        }
        #expect(heard.end?.error?.code == .deadlineExceeded)
    }

    @Test func `the door learns that nobody is there, and that somebody has come`() async throws {
        let path = FakeBackend.path()
        let door = try Self.door(to: .unix(path: path))
        #expect(door.reach == .unknown)
        door.knock()
        _ = try await eventually({ door.reach }, is: { $0.isUnreachable })
        let heard = await Self.call(DoorRequest("Commit", []), by: door)
        #expect(heard.end?.error?.code == .unavailable)
        try await FakeBackend { _ in }.serve(at: path) { _ in
            // The probe comes back by itself: nobody knocks here.
            _ = try await eventually({ door.reach }, is: { $0 == .reachable })
        }
    }

    @Test func `whoever hears that a call failed can tell that nobody is there`() async throws {
        let path = FakeBackend.path()
        let door = try Self.door(to: .unix(path: path))
        let backend = FakeBackend {
            $0.add("RunQuery") {
                (_, _: RPCAsyncSequence<ProtoRunQueryRequest, any Error>, answers) in
                try await answers.write(Self.answer("x"))
            }
        }
        try await backend.serve(at: path) { _ in
            let heard = await Self.call(DoorRequest("RunQuery", []), by: door)
            #expect(heard.end == .well)
        }
        // The last call went well a moment ago.
        #expect(door.reach == .reachable)
        let heard = await Self.call(DoorRequest("RunQuery", []), by: door)
        #expect(heard.end?.error?.code == .unavailable)
        #expect(door.reach.isUnreachable)
    }

    @Test func `a backend that refuses by itself is there all the same`() async throws {
        let backend = FakeBackend {
            let refuse: FakeBackend.Script<ProtoCommitRequest, ProtoCommitResponse> = { _, _, _ in
                throw RPCError(code: .unavailable, message: "busy")
            }
            $0.add("Commit", refuse)
        }
        try await backend.serve { address in
            let door = try Self.door(to: address)
            let heard = await Self.call(DoorRequest("Commit", []), by: door)
            #expect(heard.end?.error?.code == .unavailable)
            #expect(door.reach == .reachable)
        }
    }

    @Test func `nobody waits for a probe that has stopped`() async {
        let probe = BackendProbe(.unix(path: FakeBackend.path()))
        probe.stop()
        await probe.settle(since: .now())
        #expect(probe.reach == .unknown)
    }

    @Test func `a name without an address is unreachable within a second`() async throws {
        let probe = BackendProbe(.tcp(host: "no-such-host.invalid", port: 443))
        probe.knock()
        _ = try await eventually({ probe.reach }, is: { $0.isUnreachable })
        probe.stop()
    }

    @Test func `a backend whose packets go nowhere is unreachable within a second`() async throws {
        let group = MultiThreadedEventLoopGroup.singleton
        // It takes nobody out of its queue, and the first guest fills the queue.
        let silent = try await ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: 0)
            .serverChannelOption(.autoRead, value: false)
            .bind(host: "127.0.0.1", port: 0).get()
        let address = try #require(silent.localAddress)
        let guest = try await ClientBootstrap(group: group).connect(to: address).get()
        let probe = BackendProbe(.tcp(host: "127.0.0.1", port: try #require(address.port)))
        let began = ContinuousClock.now
        probe.knock()
        _ = try await eventually({ probe.reach }, is: { $0.isUnreachable })
        // Of the second, a busy machine may take more.
        #expect(.now - began < .seconds(2))
        #expect(.now - began > .milliseconds(500))  // The attempt did hang.
        probe.stop()
        try await guest.close()
        try await silent.close()
    }

    @Test func `a closed door ends each call with its reason`() async {
        let reason = HearthError(code: .invalidArgument, message: "No address.")
        let door = ClosedDoor(reason)
        let end = await withCheckedContinuation { continuation in
            let call = door.call(
                DoorRequest("Commit", []),
                telling: DoorListener(
                    received: { _ in }, ended: { continuation.resume(returning: $0) }))
            call.cancel()
        }
        #expect(end == DoorEnd(error: reason))
        #expect(door.reach == .unreachable(reason))
    }
}

extension BackendReach {
    fileprivate var isUnreachable: Bool {
        if case .unreachable = self { true } else { false }
    }
}
