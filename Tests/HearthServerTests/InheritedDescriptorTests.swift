import Glibc
import HearthServer
import HearthTestSupport
import Logging
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
}
