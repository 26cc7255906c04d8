import HearthEmulator
import HearthEngine
import HearthModel
import HearthRealtime
import HearthRemote
import HearthTestSupport
import Logging
import Testing

/// Connections to the emulator that `hearthd emulate` runs.
@Suite(.timeLimit(.minutes(1)))
struct OwnEmulatorTests {
    /// Runs an emulator while `body` runs, which is given the emulator's place.
    private func emulating(
        _ body: @escaping @Sendable (RealtimeAddress) async throws -> Void
    ) async throws {
        let folder = TemporaryFolder()
        defer { folder.remove() }
        let path = "\(folder.path)/database.sock"
        let emulator = try Emulator(
            configuration: EmulatorConfiguration(firestore: [.unix(path: path)]),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let instance = try #require(TestLink.instance)
        try await emulator.run { _ in
            do {
                try await body(RealtimeAddress(instance, emulator: .unix(path: path)))
            } catch {
                Issue.record(error)
            }
            emulator.shutdown()
        }
    }

    private static func put(
        _ text: String, at place: String, _ number: Int
    ) throws -> RealtimeRequest {
        let node = UnresolvedNode(try Node(json: Array(#""\#(text)""#.utf8), from: .client))
        return RealtimeRequest(
            number: number, action: .put(try #require(WritePath(place)), node, hash: nil))
    }

    private static func told(_ text: String, at place: String) throws -> RealtimePush {
        .overwrite(
            try #require(WritePath(place)),
            try Node(json: Array(#""\#(text)""#.utf8), from: .server),
            tag: nil)
    }

    private static let listen = RealtimeRequest(
        number: 1, action: .listen(RealtimeListen(RealtimePath("rooms"), .all, tag: nil, hash: "")))

    @Test func `a write of one link is told to another, and answered`() async throws {
        try await emulating { address in
            try await TestLink.connected(to: address, as: FixedToken.owner) { writer, answers in
                try await TestLink.connected(
                    to: address, as: EmulatorUser(UserID("ada"), project: "demo")
                ) { reader, news in
                    writer.perform(.open(TestLink.first, as: .unauthenticated))
                    #expect(await answers.isOpened())
                    reader.perform(.open(TestLink.first, as: UserID("ada")))
                    #expect(await news.isOpened())
                    reader.perform(.send(TestLink.first, Self.listen))
                    // Nothing is told of data that is as the hash says: there is none.
                    guard case .answered(_, let listening)? = await news.next() else {
                        Issue.record("The listen has no answer")
                        return
                    }
                    #expect(listening.number == 1 && listening.status == .ok)
                    writer.perform(.send(TestLink.first, try Self.put("hello", at: "rooms/a", 9)))
                    #expect(
                        await answers.next()
                            == .answered(TestLink.first, RealtimeAnswer(number: 9)))
                    #expect(
                        await news.next()
                            == .pushed(TestLink.first, try Self.told("hello", at: "rooms/a")))
                }
            }
        }
    }

    @Test func `what was ordered for the end of a link happens when the engine closes the link`()
        async throws
    {
        try await emulating { address in
            try await TestLink.connected(to: address) { goer, answers in
                try await TestLink.connected(to: address) { stayer, news in
                    goer.perform(.open(TestLink.first, as: .unauthenticated))
                    #expect(await answers.isOpened())
                    stayer.perform(.open(TestLink.first, as: .unauthenticated))
                    #expect(await news.isOpened())
                    stayer.perform(.send(TestLink.first, Self.listen))
                    _ = await news.next()  // The answer.
                    let node = UnresolvedNode(
                        try Node(json: Array(#""gone""#.utf8), from: .client))
                    let place = try #require(WritePath("rooms/ada"))
                    goer.perform(
                        .send(
                            TestLink.first,
                            RealtimeRequest(number: 5, action: .onDisconnectPut(place, node))))
                    #expect(
                        await answers.next()
                            == .answered(TestLink.first, RealtimeAnswer(number: 5)))
                    goer.perform(.close(TestLink.first))
                    #expect(
                        await news.next()
                            == .pushed(TestLink.first, try Self.told("gone", at: "rooms/ada")))
                }
            }
        }
    }

    @Test func `a thousand writes are answered in their order`() async throws {
        try await emulating { address in
            try await TestLink.connected(to: address) { writer, answers in
                writer.perform(.open(TestLink.first, as: .unauthenticated))
                #expect(await answers.isOpened())
                for number in 1...1_000 {
                    writer.perform(
                        .send(TestLink.first, try Self.put("x", at: "rooms/\(number)", number)))
                }
                for number in 1...1_000 {
                    #expect(
                        await answers.next()
                            == .answered(TestLink.first, RealtimeAnswer(number: number)))
                }
            }
        }
    }
}
