import GRPCCore
import HearthEngine
import HearthFirestore
import HearthModel
import HearthProtocol
import NIOCore
import SwiftProtobuf
import Synchronization
import Testing

@testable import HearthRemote

/// Daemons that call this daemon are named in its engine's own calls, so that a backend that leads
/// back to one of them refuses.
@Suite(.timeLimit(.minutes(1)))
struct CallerNamesTests {
    private static let now = NIODeadline.uptimeNanoseconds(1_000_000_000_000)

    @Test func `a daemon counts while a connection of it is there, and a minute longer`() {
        let names = CallerNames()
        #expect(names.entered(["a", "b"], at: Self.now) == ["a", "b"])
        #expect(names.entered(["a"], at: Self.now) == ["a"])
        names.left(["a", "b"], at: Self.now)
        #expect(names.known(at: Self.now + .seconds(59)) == ["a", "b"])
        let later = Self.now + .hours(1)
        #expect(names.known(at: later) == ["a"])
        names.left(["a"], at: later)
        #expect(names.known(at: later + .seconds(59)) == ["a"])
        #expect(names.known(at: later + .seconds(60)) == [])
    }

    @Test func `no more daemons are noted than a call may name`() {
        let names = CallerNames()
        let many = (1...9).map { "d\($0)" }
        #expect(names.entered(many, at: Self.now) == Array(many.prefix(7)))
        #expect(names.entered(["d8", "d1"], at: Self.now) == ["d1"])
        names.left(["d1"], at: Self.now)
        names.left(["d1"], at: Self.now)
        #expect(names.entered(["d8"], at: Self.now + .seconds(60)) == ["d8"])
        #expect(names.known(at: Self.now + .seconds(60)).count == 7)
    }

    // MARK: Calls

    private static func via(_ metadata: Metadata) -> [String] {
        Array(metadata[stringValues: "hearth-via"])
    }

    @Test func `the engine's calls name the daemons that call here, a program's only its own way`()
        async throws
    {
        let seen = Mutex<[[String]]>([])
        let backend = FakeBackend {
            $0.add("Commit") {
                (metadata, requests: RPCAsyncSequence<ProtoCommitRequest, any Error>, answers) in
                seen.withLock { $0.append(Self.via(metadata)) }
                for try await _ in requests {
                    try await answers.write(ProtoCommitResponse.with { $0.commitTime.seconds = 5 })
                }
            }
        }
        try await backend.serve { address in
            var parts = FirestoreChannel.Configuration(
                database: TestUpstream.database, address: address, security: .plaintext,
                credentials: NoCredentials())
            parts.via = "daemon"
            let line = try FirestoreLine(parts)
            let door = FirestoreDoor(line)
            _ = try await UnaryCalls(line.channel).commit([])
            #expect(door.entered(through: ["near", "far"]) == ["near", "far"])
            _ = try await UnaryCalls(line.channel).commit([])
            door.left(by: ["near", "far"])
            _ = try await UnaryCalls(line.channel).commit([])
            let request = ProtoCommitRequest.with { $0.database = TestUpstream.database.name }
            let bytes: [UInt8] = try request.serializedBytes()
            await withCheckedContinuation { continuation in
                _ = door.call(
                    DoorRequest("Commit", bytes),
                    telling: DoorListener(received: { _ in }, ended: { _ in continuation.resume() })
                )
            }
        }
        let all = ["daemon", "far", "near"]
        #expect(seen.withLock { $0 } == [["daemon"], all, all, ["daemon"]])
    }

    @Test func `a stream that a daemon came in beside is opened again in its name`() async throws {
        let (seen, record) = AsyncStream.makeStream(of: [String].self)
        let (go, goOn) = AsyncStream.makeStream(of: Void.self)
        let backend = FakeBackend {
            $0.add("Listen") {
                (metadata, requests: RPCAsyncSequence<ProtoListenRequest, any Error>, answers) in
                for try await _ in requests {
                    record.yield(Self.via(metadata))
                    for await _ in go { break }
                    try await answers.write(
                        ProtoListenResponse.with { $0.targetChange.targetChangeType = .noChange })
                }
            }
        }
        let listen = ListenRequest(
            wireID: WireTargetID(2), target: Query(path: ResourcePath(["rooms"])).target)
        var heard = seen.makeAsyncIterator()
        try await backend.serve { address in
            try await TestUpstream.connected(to: address, via: "daemon") {
                channel, connection, events in
                let (first, second) = (StreamNumber(1), StreamNumber(2))
                connection.perform(.openWatch(first, as: .unauthenticated))
                #expect(await events.next() == .watchOpened(first))
                connection.perform(.listen(first, listen))
                #expect(await heard.next() == ["daemon"])
                _ = channel.headers.callers.entered(["late"])
                goOn.yield()
                guard case .watchClosed(first, let error?)? = await events.next() else {
                    Issue.record("The stream goes on.")
                    return
                }
                #expect(error.code == .unavailable)
                connection.perform(.openWatch(second, as: .unauthenticated))
                #expect(await events.next() == .watchOpened(second))
                connection.perform(.listen(second, listen))
                #expect(await heard.next() == ["daemon", "late"])
                goOn.yield()
                guard case .watched(second, _)? = await events.next() else {
                    Issue.record("The stream that names the daemon does not go on.")
                    return
                }
            }
        }
    }

    @Test func `a backend that leads back is told to operators`() async throws {
        let backend = FakeBackend {
            $0.add("Commit") {
                (
                    _, _: RPCAsyncSequence<ProtoCommitRequest, any Error>,
                    _: RPCWriter<ProtoCommitResponse>
                ) in
                throw RPCError(code: .failedPrecondition, message: HearthError.circle.message)
            }
        }
        let told = Mutex<[HearthError?]>([])
        try await backend.serve { address in
            try await TestUpstream.connected(
                to: address, watch: { error in told.withLock { $0.append(error) } }
            ) { channel, _, _ in
                let error = await #expect(throws: HearthError.self) {
                    _ = try await UnaryCalls(channel).commit([])
                }
                #expect(error?.isCircle == true)
            }
        }
        #expect(told.withLock { $0 }.first??.message.contains("leads back") == true)
    }
}
