import HearthModel
import HearthRPC
import Logging
import NIOCore
import NIOPosix

/// Listens on addresses and serves gRPC and REST on each.
///
/// The first bytes of a connection tell gRPC and REST apart.
final class EmulatorServer: Sendable {
    private let connections: ServedConnections
    private let group: MultiThreadedEventLoopGroup
    private let registry = ConnectionRegistry()

    /// Threads that serve. Two keep a slow query of one program from holding up all others.
    private static let threadCount = 2

    /// A server that does not listen yet.
    init(
        service: FirestoreService, realtime: (host: RealtimeHost, times: RealtimeTimes),
        helpers: HelperEndpoints, webGuard: WebGuard, bodies: BodyQueue, logger: Logger
    ) {
        let channels = WebChannels(
            service: service, faults: helpers.faults, registry: registry)
        connections = ServedConnections(
            service: service, faults: helpers.faults,
            router: EmulatorRouter(
                firestore: RESTService(
                    service: service, helpers: helpers, channels: channels, webGuard: webGuard,
                    bodies: bodies),
                realtime: RealtimeService(
                    host: realtime.host, webGuard: webGuard, registry: registry,
                    faults: helpers.faults, times: realtime.times, bodies: bodies)),
            registry: registry, logger: logger)
        group = MultiThreadedEventLoopGroup(numberOfThreads: Self.threadCount)
    }

    /// Listens at one address.
    ///
    /// - Returns: The listener, and the real address, with the port that the system chose.
    /// - Throws: `HearthError` `unavailable`.
    func listen(
        at address: EmulatorAddress
    ) async throws(HearthError) -> (any Channel, EmulatorAddress) {
        let target = try address.socketAddress()
        address.removeStaleSocketFile()
        let bootstrap = ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: 1_024)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            // A client that will send no more may still want answers.
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

    /// Accepts no more connections, and ends the open connections well.
    func stop(_ listeners: [any Channel]) async {
        for listener in listeners { try? await listener.close() }
        await withCheckedContinuation { continuation in
            registry.stopAll { continuation.resume() }
        }
        try? await group.shutdownGracefully()
    }
}
