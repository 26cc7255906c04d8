import GRPCCore
import GRPCNIOTransportHTTP2Posix
import Glibc
import HearthEmulator
import HearthModel
import HearthTestSupport
import Logging

/// Runs an emulator on a Unix socket in a folder of its own while `body` works with it.
///
/// - Parameter configure: Changes the emulator's configuration.
func withEmulator<Result: Sendable>(
    dataFolder: String? = nil,
    configure: (inout EmulatorConfiguration) -> Void = { _ in },
    _ body: @Sendable (Emulator, String) async throws -> Result
) async throws -> Result {
    let folder = TemporaryFolder()
    defer { folder.remove() }
    let path = "\(folder.path)/firestore.sock"
    var configuration = EmulatorConfiguration(
        firestore: [.unix(path: path)], dataFolder: dataFolder)
    configure(&configuration)
    let emulator = try Emulator(
        configuration: configuration,
        logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    let ready = AsyncStream.makeStream(of: Void.self)
    return try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask {
            defer { ready.continuation.finish() }
            try await emulator.run { _ in ready.continuation.yield() }
        }
        for await _ in ready.stream { break }
        defer { emulator.shutdown() }
        return try await body(emulator, "unix:\(path)")
    }
}

/// The same with a client of gRPC.
func withEmulator<Result: Sendable>(
    dataFolder: String? = nil, configure: (inout EmulatorConfiguration) -> Void = { _ in },
    _ body: @Sendable (Emulator, RawClient, String) async throws -> Result
) async throws -> Result {
    try await withEmulator(dataFolder: dataFolder, configure: configure) { emulator, address in
        let path = String(address.dropFirst("unix:".count))
        let client = GRPCClient(
            transport: try HTTP2ClientTransport.Posix(
                target: .unixDomainSocket(path: path), transportSecurity: .plaintext))
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await client.runConnections() }
            defer { client.beginGracefulShutdown() }
            return try await body(emulator, RawClient(client: client), address)
        }
    }
}
