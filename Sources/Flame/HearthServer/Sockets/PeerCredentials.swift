import CLinux
import Glibc
import HearthEngine
import NIOCore

/// Asks the kernel who is at the other end of a channel.
package enum PeerCredentials {
    /// Lets the peer of a connected Unix socket in, when it may come in.
    ///
    /// The unit is read as soon as that, while the process most likely still lives.
    ///
    /// - Parameter admit: Called on the channel's event loop.
    static func letIn(
        _ channel: any Channel, at doorstep: Doorstep,
        then admit: @escaping @Sendable (Peer) throws -> Void
    ) -> EventLoopFuture<Void> {
        guard let socket = channel as? any SocketOptionProvider else {
            return channel.eventLoop.makeFailedFuture(ChannelError.operationUnsupported)
        }
        let credentials: EventLoopFuture<clinux_ucred> = socket.unsafeGetSocketOption(
            level: .init(rawValue: CInt(SOL_SOCKET)), name: .init(rawValue: CInt(SO_PEERCRED)))
        return credentials.flatMap { credentials in
            let payer = SubordinateUsers.ofMachine.owner(of: credentials.uid)
            return doorstep.wait(payer, on: channel.eventLoop).flatMapThrowing {
                try doorstep.letIn(payer, channel) {
                    try admit(peer(of: channel, with: credentials, paidBy: payer))
                }
            }
        }
    }

    private static func peer(
        of channel: any Channel, with credentials: clinux_ucred, paidBy payer: UInt32
    ) -> Peer {
        var peer = Peer(
            uid: credentials.uid, payer: payer, gid: credentials.gid, pid: credentials.pid)
        peer.isUnitKnown = false
        let found = try? channel.pipeline.syncOperations.withUnsafeTransportIfAvailable(
            of: NIOBSDSocket.Handle.self
        ) { (socket: NIOBSDSocket.Handle) -> Peer in complete(peer, on: socket) }
        return found ?? peer
    }

    /// Completes the peer of a socket with the groups and the units that can be known.
    package static func complete(_ peer: Peer, on socket: Int32) -> Peer {
        var peer = peer
        peer.groups = groups(of: socket)
        let place = PeerProcess(socket, pid: peer.pid)?.place
        peer.isUnitKnown = place != nil
        peer.unit = place?.unit
        peer.userUnit = place?.userUnit
        return peer
    }

    /// The groups of the peer of a connected Unix socket.
    package static func groups(of socket: Int32) -> [UInt32] {
        for countMax in [256, groupCountMax] {
            var groups = [UInt32](repeating: 0, count: countMax)
            let count = clinux_peer_groups(socket, &groups, Int32(countMax))
            if count >= 0 { return Array(groups.prefix(Int(count))) }
            if errno != ERANGE { return [] }
        }
        return []
    }

    /// The kernel's own limit.
    private static let groupCountMax = 65_536
}
