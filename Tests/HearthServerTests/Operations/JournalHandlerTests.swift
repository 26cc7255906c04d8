import HearthServer
import Logging
import Synchronization
import Testing

@Suite struct JournalHandlerTests {
    /// Keeps what was sent.
    private final class Sent: Sendable {
        let messages = Mutex<[[String]]>([])

        func take(_ fields: [[UInt8]]) {
            messages.withLock { $0.append(fields.map { String(decoding: $0, as: UTF8.self) }) }
        }
    }

    private func logger(_ sent: Sent, level: Logger.Level = .trace) -> Logger {
        Logger(label: "test") { _ in
            JournalHandler(threshold: LogThreshold(level)) { sent.take($0) }
        }
    }

    @Test func `an event carries its id, its priority and its particulars as fields`() throws {
        let sent = Sent()
        var logger = logger(sent)
        logger[metadataKey: JournalField.project.rawValue] = "demo"
        logger.record(.wentOffline, [.syncState: "offline", .prevState: "live"])
        let fields = try #require(sent.messages.withLock { $0.first })
        #expect(fields.contains("MESSAGE_ID=36a5fa82c35e403aa5b65f1646f4f76c"))
        #expect(fields.contains("PRIORITY=4"))
        #expect(fields.contains("SYSLOG_IDENTIFIER=hearthd"))
        #expect(fields.contains("HEARTH_PROJECT=demo"))
        #expect(fields.contains("HEARTH_SYNC_STATE=offline"))
        #expect(fields.contains("HEARTH_PREV_STATE=live"))
        #expect(
            fields.contains("MESSAGE=went offline prevState=live project=demo syncState=offline"))
        #expect(
            fields.contains { $0.hasPrefix("CODE_FILE=") && $0.contains("JournalHandlerTests") })
    }

    @Test func `a value of several lines stays one field`() throws {
        let sent = Sent()
        logger(sent).record(.storeFailed, [.reason: "first\nsecond"])
        let fields = try #require(sent.messages.withLock { $0.first })
        #expect(fields.contains("HEARTH_REASON=first\nsecond"))
        #expect(fields.contains("MESSAGE=store failed reason=\"first\\nsecond\""))
    }

    @Test func `the line for people holds no order to a terminal`() throws {
        let sent = Sent()
        logger(sent).record(.clientRefused, [.reason: "rooms/\u{1B}[2J\u{202E}\u{9B}m\u{7F}"])
        let fields = try #require(sent.messages.withLock { $0.first })
        #expect(
            fields.contains(
                "MESSAGE=client refused reason=\"rooms/\\u001b[2J\\u202e\\u009bm\\u007f\""))
    }

    @Test func `a message below the level is not sent`() {
        let sent = Sent()
        logger(sent, level: .warning).record(.started)
        #expect(sent.messages.withLock { $0.isEmpty })
    }

    @Test func `a level that changes counts for loggers that are there`() {
        let sent = Sent()
        let threshold = LogThreshold(.warning)
        let logger = Logger(label: "test") { _ in
            JournalHandler(threshold: threshold) { sent.take($0) }
        }
        var other = logger
        other.logLevel = .critical
        logger.info("before")
        threshold.level = .debug
        logger.info("after")
        other.error("a level of its own")
        #expect(sent.messages.withLock { $0.map { $0.first } } == ["MESSAGE=after"])
    }

    @Test(arguments: [
        ("syncState", "HEARTH_SYNC_STATE"), ("clientUID", "HEARTH_CLIENT_UID"),
        ("prevState", "HEARTH_PREV_STATE"), ("mutationID", "HEARTH_MUTATION_ID"),
        ("path", "HEARTH_PATH"), ("a-b", "HEARTH_A_B"),
    ])
    func `a key becomes a name that the journal takes`(key: String, name: String) {
        #expect(JournalField.journalName(of: key) == name)
    }
}
