import HearthEngine
import HearthFirestore
import HearthModel
import HearthTestSupport
import HearthWire
import Logging
import NIOCore
import NIOPosix
import Synchronization
import Testing

@testable import HearthServer

/// Programs in loops, and what the journal takes of them.
@Suite(.timeLimit(.minutes(1)))
struct JournalThrottleTests {
    /// Keeps the fields of the messages.
    private final class Sent: Sendable {
        private let messages = Mutex<[[String]]>([])

        func take(_ fields: [[UInt8]]) {
            messages.withLock { $0.append(fields.map { String(decoding: $0, as: UTF8.self) }) }
        }

        /// The messages of an event.
        func all(_ event: JournalEvent) -> [[String]] {
            messages.withLock { messages in
                messages.filter { $0.contains("MESSAGE_ID=\(event.rawValue)") }
            }
        }

        /// How many messages begin with a text.
        func count(_ text: String) -> Int {
            messages.withLock { messages in
                messages.count { $0.contains { $0.hasPrefix("MESSAGE=\(text)") } }
            }
        }
    }

    private let clock = ManualClock()
    private let sent = Sent()

    private var logger: Logger {
        let sent = sent
        return Logger(label: "test") { _ in
            JournalHandler(threshold: LogThreshold(.info)) { sent.take($0) }
        }
    }

    /// The lines that count what was left out, when there are so many.
    private func omissions(_ count: Int) async throws -> [[String]] {
        try await eventually({ sent.all(.linesLeftOut) }, is: { $0.count == count })
    }

    @Test func `a program that is dropped again and again has a few lines, and then a number`()
        async throws
    {
        let registry = SessionRegistry(logger: logger, clock: clock)
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let loop = group.next()
        let peer = Peer(uid: 60_001, payer: 1_000, gid: 60_001, pid: 42)
        for _ in 0..<200 {
            let id = registry.nextID()
            try await loop.submit {
                let end = NIOLoopBound<any SessionEnd>(StrangeSession(Heard()), eventLoop: loop)
                #expect(registry.add(id, end, on: loop, peer, isGuest: false))
            }.get()
            registry.noteSlow(id)
            registry.noteEvicted(id, HearthError(code: .resourceExhausted, message: "Too much."))
            registry.remove(id)
        }
        #expect(sent.all(.slowClientDropped).count == LineBudget.sourceLineCountMax)
        #expect(sent.all(.linesLeftOut).isEmpty)
        clock.advance(by: LineBudget.period)
        let omission = try #require(try await omissions(1).first)
        #expect(omission.contains("HEARTH_LINE=slow client dropped"))
        #expect(omission.contains("HEARTH_LINE_COUNT=\(400 - LineBudget.sourceLineCountMax)"))
        #expect(omission.contains("HEARTH_CLIENT_UID=1000"))
        let id = registry.nextID()
        registry.noteSlow(id)
        #expect(sent.all(.slowClientDropped).count == LineBudget.sourceLineCountMax + 1)
        try await group.shutdownGracefully()
    }

    @Test func `a program that is refused on each of many connections has a few lines`()
        async throws
    {
        let registry = SessionRegistry(logger: logger, clock: clock)
        let refusal = AccessRefusal(
            peer: "uid 60001", right: .read, scope: .anything, rule: "shop")
        for _ in 0..<100 { registry.noteRefused(registry.nextID(), refusal) }
        #expect(sent.all(.clientRefused).count == LineBudget.sourceLineCountMax)
        clock.advance(by: LineBudget.period)
        #expect(try await omissions(1).first?.contains("HEARTH_LINE=client refused") == true)
    }

    @Test func `rejections that programs provoke are bounded for each database`() async throws {
        let throttle = JournalThrottle(logger: logger, clock: clock)
        let error = HearthError(code: .permissionDenied, message: "No.")
        let keys = ["a", "b"].map { EngineKey.firestore(DatabaseID(project: "demo", database: $0)) }
        for key in keys {
            let journal = Journal(logger: logger, key: key, throttle: throttle)
            for number in 1...Int64(50) {
                journal.note(.batchRejected(BatchID(number), error))
                journal.note(.targetRejected(TargetID(2), error))
                journal.note(FirestoreEngine.Note.backendBehind(error))
                journal.note(.messageUnreadable(error))
                journal.note(FirestoreEngine.Note.storeFailed("disk"))
            }
        }
        let most = 2 * LineBudget.sourceLineCountMax
        #expect(sent.all(.writeRejected).count == most)
        #expect(sent.count("target rejected") == most)
        #expect(sent.count("backend behind the cache") == most)
        #expect(sent.count("backend's message unreadable") == most)
        #expect(sent.all(.storeFailed).count == 100, "No program causes that")
        clock.advance(by: LineBudget.period)
        let omissions = try await omissions(8)
        #expect(omissions.allSatisfy { $0.contains("HEARTH_LINE_COUNT=40") })
        #expect(omissions.count { $0.contains("HEARTH_ENGINE=\(keys[1])") } == 4)
    }
}
