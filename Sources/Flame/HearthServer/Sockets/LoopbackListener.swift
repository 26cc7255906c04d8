import HearthModel
import NIOCore
import NIOPosix

/// Accepts clients on a TCP port of the loopback interface.
///
/// Nothing is read of a client before the kernel has said whose it is; a client whose user the
/// kernel cannot tell is disconnected.
struct LoopbackListener: SocketListener {
    /// Where the listener listens, with the port that the system chose.
    let address: LoopbackAddress
    private let channel: any Channel

    /// Listens at an address.
    ///
    /// - Parameters:
    ///   - doorstep: Where clients wait who have taken too much.
    ///   - admit: Called on the client's event loop.
    static func start(
        at address: LoopbackAddress, group: any EventLoopGroup, doorstep: Doorstep,
        admit: @escaping UnixListener.Admit
    ) async throws -> LoopbackListener {
        let peers = LoopbackPeers()
        let channel = try await ServerBootstrap(group: group)
            .paced(by: doorstep)
            .serverChannelOption(.backlog, value: 1_024)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(
                .writeBufferWaterMark, value: .init(low: 64 * 1_024, high: 256 * 1_024)
            )
            .childChannelOption(.maxMessagesPerRead, value: 1)
            .childChannelInitializer { child in
                peers.peer(of: child).flatMap { peer in
                    doorstep.wait(peer.payer, on: child.eventLoop).flatMapThrowing {
                        try doorstep.letIn(peer.payer, child) { try admit(child, peer) }
                    }
                }
            }
            .bind(host: address.host, port: address.port).get()
        return LoopbackListener(
            address: address.with(port: channel.localAddress?.port), channel: channel)
    }

    func stop() async { try? await channel.close() }
}
