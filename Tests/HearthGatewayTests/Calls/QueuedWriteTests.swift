import HearthEngine
import HearthModel
import HearthRPC
import HearthTestSupport
import HearthWire
import NIOCore
import Synchronization
import Testing

@testable import HearthGateway
@testable import HearthServer

/// Writes that lose their session or their caller before the answer.
@Suite(.timeLimit(.minutes(2)))
struct QueuedWriteTests {
    /// What a write's caller was told, and whether the engine has taken the write.
    private final class Story: Sendable {
        private let state = Mutex<(told: [String], isTaken: Bool)>(([], false))

        var told: [String] { state.withLock { $0.told } }
        var isTaken: Bool { state.withLock { $0.isTaken } }

        func take() { state.withLock { $0.isTaken = true } }

        func tell(_ result: Result<WriteReceipt, WriteRefusal>) {
            let word =
                switch result {
                case .success(let receipt): receipt.state.rawValue
                case .failure(let refusal): refusal.reason?.rawValue ?? "\(refusal.error.code)"
                }
            state.withLock { $0.told.append(word) }
        }
    }

    private static let peer = Peer(uid: 60_001, gid: 60_001, pid: 1)
    private static let head = CallHead(CallMethod(name: "Commit", shape: .unary, number: 0))
    private static let evicted = HearthError(
        code: .resourceExhausted, message: "The client holds too much.")

    private static func session(_ connection: GatewayConnection) throws -> GatewaySession {
        try connection.session(in: GatewayBench.database, for: head)
    }

    /// Begins a write whose caller waits for the backend, however long that takes.
    ///
    /// - Parameter isPart: Whether the write is a part of a request, and one that the backend refuses.
    private static func begin(
        _ story: Story, by connection: GatewayConnection, isPart: Bool = false
    ) throws -> QueuedWrite {
        let session = try session(connection)
        var mode = GatewayMode(connection.settings.gateway, by: .standard)
        mode.writes = .committed
        return QueuedWrite.begin(
            WriteOrder(
                session: session,
                mutations: [
                    Mutation(
                        key: try DocumentKey(parsing: "rooms/a"), kind: .set(.empty),
                        precondition: isPart ? .exists(true) : .none)
                ],
                terms: try WriteTerms(of: session, mode, head, isNumbered: false),
                whenTaken: { story.take() }, isPart: isPart, tell: { story.tell($0) }))
    }

    /// Begins a part of a request, and waits until the backend has refused the part.
    private static func refused(
        by connection: BoundConnection
    ) async throws -> NIOLoopBound<QueuedWrite> {
        let story = Story()
        let write = try await connection.run {
            NIOLoopBound(try Self.begin(story, by: $0, isPart: true), eventLoop: $0.eventLoop)
        }
        _ = try await eventually({ story.told }, is: { $0 == ["\(StatusCode.notFound)"] })
        return write
    }

    private static func letterCount(_ bench: GatewayBench) throws -> Int {
        let engine = bench.server.engines.engine(of: .firestore(GatewayBench.database))
        return try #require(engine).reader.figures().deadLetterCount
    }

    private func withConnection(
        isOnline: Bool = false, storeFolder: String? = nil,
        _ body: @Sendable (BoundConnection, GatewayBench) async throws -> Void
    ) async throws {
        try await GatewayBench.run(isOnline: isOnline) {
            $0.access = .open
            if let storeFolder { $0.storeFolder = storeFolder }
        } _: { bench in
            try await bench.withConnection(as: Self.peer) { try await body($0, bench) }
        }
    }

    @Test func `a write that is durable when its session ends is told as accepted`() async throws {
        try await withConnection { connection, _ in
            let story = Story()
            try await connection.run { _ = try Self.begin(story, by: $0) }
            _ = try await eventually({ story.isTaken }, is: { $0 })
            #expect(story.told == [])
            try await connection.run { try Self.session($0).over(Self.evicted) }
            #expect(story.told == ["accepted"])
        }
    }

    @Test func `a write that nobody has accepted when its session ends may be made again`()
        async throws
    {
        try await withConnection { connection, _ in
            let story = Story()
            try await connection.run {
                _ = try Self.begin(story, by: $0)
                // Before anything can come from the engine.
                try Self.session($0).over(Self.evicted)
            }
            #expect(story.told == ["\(StatusCode.unavailable)"])
        }
    }

    @Test func `a refusal in an answer that is never given waits for somebody`() async throws {
        let folder = TemporaryFolder()
        try await withConnection(isOnline: true, storeFolder: folder.path) { connection, bench in
            let heard = try await Self.refused(by: connection)
            try await connection.run { _ in
                heard.value.answered()
                heard.value.abandon()
            }
            let unheard = try await Self.refused(by: connection)
            let letterCount = try Self.letterCount(bench)
            #expect(letterCount == 0)
            try await connection.run { _ in unheard.value.abandon() }
            _ = try await eventually({ try Self.letterCount(bench) }, is: { $0 == 1 })
        }
    }

    @Test func `a request counts until the engine has taken its writes, whoever has gone`()
        async throws
    {
        try await withConnection { connection, bench in
            let story = Story()
            @Sendable func count() -> Int {
                bench.server.registry.figures(ofUser: 60_001).requestCount
            }
            try await connection.run {
                let counted = try CountedRequest(1 << 20, of: try Self.session($0))
                counted.hold()
                counted.letGo()
                #expect(count() == 1)
                counted.letGo()
                #expect(count() == 0)
                try Self.begin(story, by: $0).abandon()
                #expect(!story.isTaken)
            }
            _ = try await eventually({ story.isTaken }, is: { $0 })
            #expect(story.told == [])
        }
    }
}
