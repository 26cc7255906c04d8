import CLinux
import Glibc
package import HearthEngine
import NIOCore

/// Who is at the other end of a socket, as the kernel says.
package struct Peer: Hashable, Sendable {
    /// The Unix user.
    package var uid: UInt32
    /// The Unix user who pays for what the peer takes: the owner of a subordinate user, else the user.
    ///
    /// Limits of a user count what is taken by the payer. Rights never ask for the payer.
    package var payer: UInt32
    /// The Unix group.
    package var gid: UInt32
    /// The process that connected.
    package var pid: Int32
    /// The unit of systemd's system manager in which the process connected.
    package var unit: String?
    /// The unit of a user's own manager in which the process connected; `nil` outside such units.
    package var userUnit: UserUnit?
    /// Whether the two units are known.
    ///
    /// The units of a process that ended before the daemon looked are unknown.
    package var isUnitKnown = true
    /// The supplementary groups of the process when the process connected.
    package var groups: [UInt32]

    /// Describes a peer.
    ///
    /// - Parameter payer: Who pays; `nil` for the user.
    package init(
        uid: UInt32, payer: UInt32? = nil, gid: UInt32, pid: Int32, unit: String? = nil,
        groups: [UInt32] = []
    ) {
        self.uid = uid
        self.payer = payer ?? uid
        self.gid = gid
        self.pid = pid
        self.unit = unit
        self.groups = groups
    }

    /// The unit for people; below a user's manager with that user's own.
    package var unitText: String? {
        guard let unit else { return nil }
        return userUnit.map { "\(unit)/\($0.name)" } ?? unit
    }

    /// Who writes and reads, as the engines know the peer.
    ///
    /// - Parameter program: What the program calls itself.
    package func writer(_ program: String?) -> Writer {
        Writer(uid: uid, gid: gid, pid: pid, unit: unitText, program: program)
    }

    /// Whether the peer may change what concerns others: root, and the daemon's own user.
    package var isAdministrator: Bool { uid == 0 || uid == geteuid() }
}

/// A unit of a user's own manager.
///
/// Every process of the user can make a unit of any name.
package struct UserUnit: Hashable, Sendable {
    /// The unit's name, such as `app.service`.
    package let name: String
    /// The user whose manager runs the unit.
    package let uid: UInt32

    /// Names a unit of a user's manager.
    package init(name: String, uid: UInt32) {
        self.name = name
        self.uid = uid
    }
}

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
