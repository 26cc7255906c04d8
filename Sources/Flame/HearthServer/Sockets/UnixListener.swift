import HearthModel
import HearthWire
import NIOCore
import NIOPosix

/// Accepts clients at one place.
protocol SocketListener: Sendable {
    /// Accepts nobody any more. Sessions go on.
    func stop() async
}

/// Accepts clients on one listening socket and gives each a session.
struct UnixListener: SocketListener {
    /// What each session is made of.
    struct Sessions: Sendable {
        var directory: DatabaseDirectory
        var settings: LiveSettings
        var daemonVersion: String
        var setups: DaemonSetups
        var services: SessionHandler.Services
        /// The number of the daemon's stores; 0 if there is none.
        var storeGeneration: UInt64 = 0
        /// Whether administrators always get in here.
        var isControl = false
    }

    /// Gives a client, which the kernel names, a session.
    typealias Admit = @Sendable (any Channel, Peer) throws -> Void

    private let channel: any Channel
    private let file: SocketFile?

    /// Listens on a bound socket.
    ///
    /// - Parameters:
    ///   - file: The socket's file, to be removed at the end; `nil` if it is not ours.
    ///   - doorstep: Where clients wait who have taken too much.
    ///   - admit: Called on the client's event loop.
    static func start(
        descriptor: Int32, file: SocketFile?, group: any EventLoopGroup, doorstep: Doorstep,
        admit: @escaping Admit
    ) async throws -> UnixListener {
        let channel = try await ServerBootstrap(group: group)
            .paced(by: doorstep)
            .serverChannelOption(.backlog, value: 1_024)
            .childChannelOption(
                .writeBufferWaterMark, value: .init(low: 64 * 1_024, high: 256 * 1_024)
            )
            // A client who sends much is read once in each round of the loop, like all others.
            .childChannelOption(.maxMessagesPerRead, value: 1)
            .childChannelInitializer { child in
                PeerCredentials.letIn(child, at: doorstep) { peer in try admit(child, peer) }
            }
            .withBoundSocket(descriptor).get()
        return UnixListener(channel: channel, file: file)
    }

    func stop() async {
        file?.remove()
        try? await channel.close()
    }

    /// Gives a client a session that speaks in frames.
    static func admit(_ child: any Channel, _ peer: Peer, _ sessions: Sessions) throws {
        let registry = sessions.services.registry
        let id = registry.nextID()
        let values = sessions.settings.values
        var configuration = SessionMachine.Configuration(
            session: id, peer: peer, directory: sessions.directory,
            limits: values.limits, daemonVersion: sessions.daemonVersion,
            setups: sessions.setups)
        configuration.access = values.access
        configuration.storeGeneration = sessions.storeGeneration
        let handler = SessionHandler(configuration, services: sessions.services)
        let bound = NIOLoopBound<any SessionEnd>(handler, eventLoop: child.eventLoop)
        let door = Admission(values.limits, values.access, isControl: sessions.isControl)
        let refusal = door.refusal(
            of: peer, besides: registry.total, user: registry.figures(ofUser: peer.payer))
        try child.pipeline.syncOperations.addHandler(handler)
        guard registry.add(id, bound, on: child.eventLoop, peer, isGuest: door.isGuest(peer)) else {
            return child.eventLoop.execute { bound.value.end(.shuttingDown) }
        }
        if let refusal { child.eventLoop.execute { bound.value.end(refusal) } }
    }
}
