import HearthTestSupport
import Logging
import Testing

@testable import HearthEmulator

@Suite(.timeLimit(.minutes(1)))
struct RealtimePortTests {
    @Test func `an address of its own serves the same trees`() async throws {
        let folder = TemporaryFolder()
        defer { folder.remove() }
        var configuration = EmulatorConfiguration(
            firestore: [.unix(path: "\(folder.path)/firestore.sock")])
        configuration.realtime = [.unix(path: "\(folder.path)/realtime.sock")]
        let emulator = try Emulator(
            configuration: configuration,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        try await emulator.run { addresses in
            #expect(addresses.count == 2)
            let clients = addresses.map { RealtimeClient(address: $0.description) }
            let written = try? await clients.last?.text("PUT", "/a", [], "1")
            #expect(written == "1")
            let read = try? await clients.first?.text("GET", "/a")
            #expect(read == "1")
            emulator.shutdown()
        }
    }
}
