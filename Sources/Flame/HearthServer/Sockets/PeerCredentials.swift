import CLinux
import Glibc

/// Asks the kernel who is at the other end of a connection.
package enum PeerCredentials {
    /// The peer of a connected Unix socket.
    ///
    /// The units are read when the client comes in, while the process most likely still lives.
    ///
    /// - Parameters:
    ///   - socket: The descriptor of the connection.
    ///   - credentials: What the kernel noted when the client connected.
    ///   - payer: The Unix user who pays for the client.
    static func peer(
        at socket: Int32, with credentials: clinux_ucred, paidBy payer: UInt32
    ) -> Peer {
        complete(
            Peer(uid: credentials.uid, payer: payer, gid: credentials.gid, pid: credentials.pid),
            on: socket)
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
