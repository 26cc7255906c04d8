import GRPCCore
import GRPCNIOTransportHTTP2Posix
import Glibc
import HearthEmulator
import HearthModel
import HearthTestSupport
import Logging

/// Runs an emulator on a Unix socket in a folder of its own while `body` works with it.
func withEmulator<Result: Sendable>(
    dataFolder: String? = nil,
    _ body: @Sendable (Emulator, RawClient, String) async throws -> Result
) async throws -> Result {
    let folder = TemporaryFolder()
    defer { folder.remove() }
    let path = "\(folder.path)/firestore.sock"
    let emulator = try Emulator(
        configuration: EmulatorConfiguration(
            firestore: [.unix(path: path)], dataFolder: dataFolder),
        logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    let ready = AsyncStream.makeStream(of: Void.self)
    return try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask {
            defer { ready.continuation.finish() }
            try await emulator.run { _ in ready.continuation.yield() }
        }
        for await _ in ready.stream { break }
        let client = GRPCClient(
            transport: try HTTP2ClientTransport.Posix(
                target: .unixDomainSocket(path: path), transportSecurity: .plaintext))
        group.addTask { try await client.runConnections() }
        defer {
            client.beginGracefulShutdown()
            emulator.shutdown()
        }
        return try await body(emulator, RawClient(client: client), "unix:\(path)")
    }
}
