import GRPCNIOTransportHTTP2Posix
import HearthEmulator
import HearthGateway
import HearthModel
import HearthTestSupport
import Logging
import NIOCore
import NIOPosix

@testable import HearthDaemon
@testable import HearthServer

/// A daemon's server with its gateway before an emulator, all in the test's process.
struct GatewayBench: Sendable {
    static let database = DatabaseID(project: "demo")

    let server: HearthServer
    let emulator: Emulator
    /// The gateway's socket that answers as production does.
    let path: String
    /// The emulator's own socket, for what the gateway must not change.
    let emulatorPath: String
    private let folder: TemporaryFolder

    /// Runs a server with a gateway while `body` works with it.
    ///
    /// - Parameters:
    ///   - isOnline: Whether the daemon may connect with the emulator.
    ///   - change: Changes the configuration.
    static func run<Result: Sendable>(
        isOnline: Bool = true, _ change: (inout ServerConfiguration) -> Void = { _ in },
        _ body: @Sendable (GatewayBench) async throws -> Result
    ) async throws -> Result {
        let folder = TemporaryFolder()
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let emulatorPath = folder.path + "/emulator.sock"
        let emulator = try Emulator(
            configuration: EmulatorConfiguration(firestore: [.unix(path: emulatorPath)]),
            logger: logger)
        var configuration = configuration(in: folder, emulatorPath)
        configuration.isUpstreamEnabled = isOnline
        change(&configuration)
        let upstream = Upstream(configuration, logger: logger)
        let server = HearthServer(
            configuration: configuration, logger: logger,
            makers: Daemon.makers(configuration, upstream), gateway: { Gateway($0) })
        let bench = GatewayBench(
            server: server, emulator: emulator, path: folder.path + "/firestore.sock",
            emulatorPath: emulatorPath, folder: folder)
        return try await bench.run(upstream, body)
    }

    private static func configuration(
        in folder: TemporaryFolder, _ emulatorPath: String
    ) -> ServerConfiguration {
        let layer = ConfigurationLayer(flags: [
            "sockets.client": folder.path + "/hearth.sock",
            "upstream.emulator": "unix:\(emulatorPath)",
        ])
        var configuration = ServerConfiguration.join(
            [layer], in: Surroundings(environment: [:], isRoot: false)
        ).configuration
        configuration.database = database
        return configuration
    }

    private func run<Result: Sendable>(
        _ upstream: Upstream, _ body: @Sendable (GatewayBench) async throws -> Result
    ) async throws -> Result {
        let (ready, tell) = AsyncStream.makeStream(of: Void.self)
        let emulating = Task { [emulator] in
            try await emulator.run { _ in tell.yield() }
        }
        for await _ in ready { break }
        upstream.start(server)
        await server.start()
        do {
            let result = try await body(self)
            await server.stop()
            emulator.shutdown()
            try await emulating.value
            return result
        } catch {
            await server.stop()
            emulator.shutdown()
            try? await emulating.value
            throw error
        }
    }

    /// Has a gateway serve a peer of the test's choice at a socket more.
    ///
    /// - Parameter gateway: The gateway; `nil` for one of the socket's own.
    /// - Returns: The socket's path, and the listener, to be closed by the caller.
    func listen(
        as peer: Peer, by gateway: Gateway? = nil
    ) async throws -> (path: String, listener: any Channel) {
        let gateway = gateway ?? Gateway(server.parts)
        let path = folder.path + "/peer-\(peer.uid).sock"
        let listener = try await ServerBootstrap(group: server.group)
            .childChannelInitializer { child in
                child.eventLoop.makeCompletedFuture {
                    try gateway.admit(child, peer, by: .standard)
                }
            }
            .bind(unixDomainSocketPath: path).get()
        return (path, listener)
    }

    /// Works with a client of the gateway's socket.
    func withClient<Result: Sendable>(
        _ body: @Sendable (GatewayClient) async throws -> Result
    ) async throws -> Result {
        try await GatewayClient.run(at: .unixDomainSocket(path: path), body)
    }

    /// Works with a client that the kernel would call `peer`.
    func withClient<Result: Sendable>(
        as peer: Peer, by gateway: Gateway? = nil,
        _ body: @Sendable (GatewayClient) async throws -> Result
    ) async throws -> Result {
        let (path, listener) = try await listen(as: peer, by: gateway)
        do {
            let result = try await GatewayClient.run(at: .unixDomainSocket(path: path), body)
            try await listener.close()
            return result
        } catch {
            try? await listener.close()
            throw error
        }
    }

    /// Works with a client of the emulator itself, as another machine's programs would.
    func withDirectClient<Result: Sendable>(
        _ body: @Sendable (GatewayClient) async throws -> Result
    ) async throws -> Result {
        try await GatewayClient.run(at: .unixDomainSocket(path: emulatorPath), body)
    }
}
