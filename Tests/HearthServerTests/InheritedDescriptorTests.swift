import Glibc
import HearthServer
import HearthTestSupport
import Logging
import Synchronization
import Testing

/// Descriptors that a service manager hands over.
@Suite(.timeLimit(.minutes(1)))
struct InheritedDescriptorTests {
    @Test func `a descriptor that is no socket is told by its number, with what would help`()
        async throws
    {
        let descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        let server = HearthServer(
            configuration: ServerConfiguration(),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            makers: .firestore { ServerBench(openFailures: []).make($0, $1) })
        await server.start(inherited: ["client": [descriptor], "control": [descriptor]])
        let reasons = server.reporter.generalReasons
        for name in ["client", "control"] {
            let words = "The descriptor \(descriptor), which was handed over as the \(name) socket,"
            #expect(reasons.contains { $0.hasPrefix(words) && $0.contains("LISTEN_FDS") })
        }
        await server.stop()
    }

    @Test func `a socket that is shut down under the daemon is told, with what would help`()
        async throws
    {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        try #require(descriptor >= 0)
        let failures = Mutex<[[String]]>([])
        let server = HearthServer(
            configuration: ServerConfiguration(),
            logger: Logger(label: "test") { _ in
                JournalHandler(threshold: LogThreshold(.info)) { fields in
                    let message = fields.map { String(decoding: $0, as: UTF8.self) }
                    let id = "MESSAGE_ID=\(JournalEvent.acceptFailed.rawValue)"
                    if message.contains(id) { failures.withLock { $0.append(message) } }
                }
            },
            makers: .firestore { ServerBench(openFailures: []).make($0, $1) })
        await server.start(inherited: ["client": [descriptor], "control": []])
        try #require(shutdown(descriptor, Int32(SHUT_RD)) == 0)
        let told = try await eventually({ failures.withLock { $0 } }, is: { !$0.isEmpty })
        let failure = try #require(told.first)
        #expect(failure.contains("HEARTH_SOCKET=client"))
        #expect(failure.contains("PRIORITY=3"))
        #expect(failure.contains { $0.hasPrefix("HEARTH_REASON=") && $0.contains("socket units") })
        let words = "Clients cannot come in at the client socket. "
        #expect(server.reporter.generalReasons.contains { $0.hasPrefix(words) })
        await server.stop()
    }
}
