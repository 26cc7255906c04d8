package import HearthModel
import HearthRPC
import Logging
import NIOCore
import NIOPosix

/// Serves the console's page on a port of the loopback.
package final class ConsoleServer: Sendable {
    /// The port that the console listens on.
    package let port: Int
    private let router: ConsoleRouter
    private let listener: any Channel
    private let group: MultiThreadedEventLoopGroup
    private let registry: ConnectionRegistry

    private init(
        port: Int, router: ConsoleRouter, listener: any Channel,
        group: MultiThreadedEventLoopGroup, registry: ConnectionRegistry
    ) {
        self.port = port
        self.router = router
        self.listener = listener
        self.group = group
        self.registry = registry
    }

    /// Where browsers find the console.
    package var address: String { "http://127.0.0.1:\(port)" }

    /// Begins to listen.
    ///
    /// - Parameters:
    ///   - port: The port; 0 lets the kernel choose one.
    ///   - service: What answers the requests of the page.
    /// - Throws: `HearthError` `unavailable` if the port is taken.
    package static func start(
        port: Int, service: ConsoleService
    ) async throws(HearthError) -> ConsoleServer {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let registry = ConnectionRegistry()
        let peers = ConsolePeers(ConsoleDoor(owner: UserNames.own))
        let router = ConsoleRouter(service, peers)
        let bootstrap = ServerBootstrap(group: group)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let uid = try peers.take(channel)
                    try serve(channel, of: uid, router, registry)
                }
            }
        do {
            let listener = try await bootstrap.bind(host: "127.0.0.1", port: port).get()
            return ConsoleServer(
                port: listener.localAddress?.port ?? port, router: router, listener: listener,
                group: group, registry: registry)
        } catch {
            try? await group.shutdownGracefully()
            throw HearthError(
                code: .unavailable,
                message:
                    "Cannot listen at port \(port) of 127.0.0.1: \(error). Choose another port.")
        }
    }

    /// Serves a connection whose peer is known.
    private static func serve(
        _ channel: any Channel, of uid: UInt32, _ router: ConsoleRouter,
        _ registry: ConnectionRegistry
    ) throws {
        try channel.pipeline.syncOperations.addHandler(
            SilenceHandler(timeMax: ConsoleLimits.silenceTimeMax))
        let connections = ServedConnections(
            service: NoCalls(), router: PeerRouter(router: router, uid: uid), registry: registry,
            logger: Logger(label: "hearth.console") { _ in SwiftLogNoOpLogHandler() })
        try connections.serve(channel)
    }

    /// Lets in the browser that brings the secret.
    ///
    /// - Parameter entered: Called once, when the secret was used.
    package func open(
        with secret: ConsoleSecret, entered: @escaping @Sendable () -> Void
    ) {
        var random = SystemRandomNumberGenerator()
        router.open(
            ConsoleGuard(port: port, secret: secret, session: ConsoleSecret(using: &random)),
            entered: entered)
    }

    /// Accepts no more connections, and ends the open ones.
    package func stop() async {
        try? await listener.close()
        await withCheckedContinuation { continuation in
            registry.stopAll { continuation.resume() }
        }
        try? await group.shutdownGracefully()
    }
}
