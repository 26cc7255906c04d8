import CLinux
import Glibc
import NIOCore

/// Who is at the other end of a socket, as the kernel says.
package struct Peer: Hashable, Sendable {
    /// The Unix user.
    package var uid: UInt32
    /// The Unix group.
    package var gid: UInt32
    /// The process that connected.
    package var pid: Int32
    /// The systemd unit of its control group when it connected.
    package var unit: String?
    /// The groups that it had besides when it connected.
    package var groups: [UInt32]

    /// Describes a peer.
    package init(
        uid: UInt32, gid: UInt32, pid: Int32, unit: String? = nil, groups: [UInt32] = []
    ) {
        self.uid = uid
        self.gid = gid
        self.pid = pid
        self.unit = unit
        self.groups = groups
    }

    /// Whether the peer may change what concerns others: root, and the daemon's own user.
    package var isAdministrator: Bool { uid == 0 || uid == geteuid() }
}

/// Asks the kernel who is at the other end of a channel.
package enum PeerCredentials {
    /// The peer of a connected Unix socket.
    ///
    /// The unit is read at once, while the process most likely still lives.
    static func read(from channel: any Channel) -> EventLoopFuture<Peer> {
        guard let socket = channel as? any SocketOptionProvider else {
            return channel.eventLoop.makeFailedFuture(ChannelError.operationUnsupported)
        }
        let credentials: EventLoopFuture<clinux_ucred> = socket.unsafeGetSocketOption(
            level: .init(rawValue: CInt(SOL_SOCKET)), name: .init(rawValue: CInt(SO_PEERCRED)))
        return credentials.map {
            Peer(
                uid: $0.uid, gid: $0.gid, pid: $0.pid, unit: ControlGroup.unit(of: $0.pid),
                groups: peerGroups(on: channel))
        }
    }

    /// The groups of the peer of a channel, on whose loop this is; none if they cannot be known.
    private static func peerGroups(on channel: any Channel) -> [UInt32] {
        let found: [UInt32]? = try? channel.pipeline.syncOperations.withUnsafeTransportIfAvailable(
            of: NIOBSDSocket.Handle.self
        ) { (socket: NIOBSDSocket.Handle) -> [UInt32] in groups(of: socket) }
        return found ?? []
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

/// Reads a process's place in the tree of control groups.
package enum ControlGroup {
    /// The unit that a process belongs to; `nil` if there is none or it may not be seen.
    static func unit(of pid: Int32) -> String? {
        guard let file = fopen("/proc/\(pid)/cgroup", "re") else { return nil }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 4_096)
        let count = fread(&bytes, 1, bytes.count, file)
        return unit(inGroups: String(decoding: bytes[..<count], as: UTF8.self))
    }

    /// The innermost service, scope or the like in the text of `/proc/PID/cgroup`.
    ///
    /// Shape: lines of `number:controllers:path`; systemd's own has no controllers, or in the old
    /// hierarchy `name=systemd`.
    package static func unit(inGroups text: String) -> String? {
        for line in text.split(separator: "\n") {
            let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
            guard parts.count == 3, parts[1].isEmpty || parts[1] == "name=systemd" else { continue }
            let names = parts[2].split(separator: "/")
            let unit = names.last { $0.hasSuffix(".service") || $0.hasSuffix(".scope") }
            if let unit { return String(unit) }
        }
        return nil
    }
}
