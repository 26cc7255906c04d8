import HearthModel
import HearthTestSupport
import Logging
import Synchronization
import Testing

@testable import HearthServer

/// What the journal says of a reload that opens everything.
@Suite(.timeLimit(.minutes(1)))
struct LastRuleTests {
    /// Keeps the messages about a configuration that was read.
    private final class Sent: Sendable {
        private let messages = Mutex<[[String]]>([])

        func take(_ fields: [[UInt8]]) {
            let message = fields.map { String(decoding: $0, as: UTF8.self) }
            guard message.contains("MESSAGE_ID=\(JournalEvent.configurationRead.rawValue)") else {
                return
            }
            messages.withLock { $0.append(message) }
        }

        var all: [[String]] { messages.withLock { $0 } }
    }

    private let sent = Sent()

    /// The messages, when there are so many.
    private func messages(_ count: Int) async throws -> [[String]] {
        try await eventually({ sent.all }, is: { $0.count == count })
    }

    @Test func `a reload that takes the last access rule away is a warning, and no other is`()
        async throws
    {
        let sent = sent
        var started = ServerConfiguration()
        started.access = AccessPolicy(rules: [AccessPolicy.unreadable("shop")])
        let server = HearthServer(
            configuration: started,
            logger: Logger(label: "test") { _ in
                JournalHandler(threshold: LogThreshold(.info)) { sent.take($0) }
            },
            makers: .firestore { ServerBench(openFailures: []).make($0, $1) })
        server.enableReload { (ServerConfiguration(), []) }
        server.reporter.reloadLater()
        let first = try await messages(1)
        let lost = try #require(first.first)
        #expect(lost.contains("PRIORITY=4"))
        #expect(lost.contains { $0.contains("applied: access. The last access rule is gone") })
        server.reporter.reloadLater()
        let second = try await messages(2)
        let next = try #require(second.last)
        #expect(next.contains("PRIORITY=6"))
        await server.stop()
    }
}
