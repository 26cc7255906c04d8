import Glibc
package import HearthEngine

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
    /// - Parameters:
    ///   - uid: The Unix user.
    ///   - payer: Who pays; `nil` for the user.
    ///   - gid: The Unix group.
    ///   - pid: The process that connected.
    ///   - unit: The unit of systemd's system manager in which the process connected; `nil` outside
    ///     units.
    ///   - groups: The supplementary groups of the process when the process connected.
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
