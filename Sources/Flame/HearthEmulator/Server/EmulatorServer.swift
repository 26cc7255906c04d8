import HearthModel
import HearthRPC
import Logging
import NIOCore
import NIOPosix

/// Listens on some addresses and serves gRPC and REST on each, told apart by a connection's first
/// bytes.
final class EmulatorServer: Sendable {
    private let connections: ServedConnections
    private let group: MultiThreadedEventLoopGroup
    private let registry = ConnectionRegistry()

    /// Threads that serve. Two keep a slow query of one program from holding up the others.
    private static let threadCount = 2

    /// A server that does not listen yet.
    init(
        service: FirestoreService, realtime: RealtimeHost, helpers: HelperEndpoints,
        webGuard: WebGuard, logger: Logger
    ) {
        let channels = WebChannels(
            service: service, faults: helpers.faults, registry: registry)
        connections = ServedConnections(
            service: service, faults: helpers.faults,
            router: EmulatorRouter(
                firestore: RESTService(
                    service: service, helpers: helpers, channels: channels, webGuard: webGuard),
                realtime: RealtimeService(
                    host: realtime, webGuard: webGuard, registry: registry)),
            registry: registry, logger: logger)
        group = MultiThreadedEventLoopGroup(numberOfThreads: Self.threadCount)
    }

    /// Listens at one address.
    ///
    /// - Returns: The listener, and the address as it became.
    /// - Throws: `HearthError` `unavailable`.
    func listen(
        at address: EmulatorAddress
    ) async throws(HearthError) -> (any Channel, EmulatorAddress) {
        let target = try address.socketAddress()
        address.removeStaleSocketFile()
        let bootstrap = ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: 1_024)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            // Who says that no more will come may still want the answers.
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelInitializer { [connections] channel in
                channel.eventLoop.makeCompletedFuture { try connections.serve(channel) }
            }
        do {
            let listener = try await bootstrap.bind(to: target).get()
            return (listener, address.with(port: listener.localAddress?.port))
        } catch {
            throw HearthError(code: .unavailable, message: "Cannot serve at \(address): \(error)")
        }
    }

    /// Takes no more connections, and ends those that are open well.
    func stop(_ listeners: [any Channel]) async {
        for listener in listeners { try? await listener.close() }
        await withCheckedContinuation { continuation in
            registry.stopAll { continuation.resume() }
        }
        try? await group.shutdownGracefully()
    }
}
