import Glibc
package import HearthEngine

/// Who is at the other end. The server's own asks the kernel by a socket, which there is none of here.
package struct Peer: Hashable, Sendable {
    package var uid: UInt32
    package var payer: UInt32
    package var gid: UInt32
    package var pid: Int32
    package var unit: String?
    package var userUnit: UserUnit?
    package var isUnitKnown = true
    package var groups: [UInt32] = []

    var unitText: String? { unit }
    package var isAdministrator: Bool { uid == 0 }

    package func writer(_ program: String?) -> Writer {
        Writer(uid: uid, gid: gid, pid: pid, unit: unitText, program: program)
    }

    package init(uid: UInt32, gid: UInt32, pid: Int32) {
        (self.uid, self.payer, self.gid, self.pid) = (uid, uid, gid, pid)
    }
}

/// A unit of a user's own manager.
package struct UserUnit: Hashable, Sendable {
    package let name: String
    package let uid: UInt32
}

/// What the C library says of the last call that failed; the server's own stands with its sockets.
func lastError() -> String { String(cString: strerror(errno)) }
