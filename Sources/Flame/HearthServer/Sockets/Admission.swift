package import HearthModel
import HearthWire

/// Decides which clients may connect, by the limits of all clients and of each Unix user.
///
/// Root and administrators always get in. By the control socket they get in no matter how many
/// clients are connected, and the client socket reserves some room for them. A client without any
/// right may ask for the daemon's state by either socket, but such clients can fill neither socket.
package struct Admission: Sendable {
    private let limits: SessionLimits
    private let access: AccessPolicy
    private let isControl: Bool

    /// The door of the client socket, or of the control socket.
    ///
    /// - Parameters:
    ///   - limits: How many clients may be connected.
    ///   - access: Who may do what.
    ///   - isControl: Whether the door is the control socket's.
    package init(_ limits: SessionLimits, _ access: AccessPolicy, isControl: Bool) {
        self.limits = limits
        self.access = access
        self.isControl = isControl
    }

    /// Whether the rules allow a peer nothing.
    package func isGuest(_ peer: Peer) -> Bool {
        access.isGuest(peer)
    }

    /// Why one more client of a peer may not come in; `nil` if it may.
    ///
    /// - Parameters:
    ///   - all: The figures of all connected clients.
    ///   - user: The figures of the connected clients of the Unix user who pays for the peer.
    package func refusal(
        of peer: Peer, besides all: SessionRegistry.Figures, user: SessionRegistry.Figures
    ) -> HearthError? {
        let administers = access.allows(.administer, to: peer)
        if isControl, administers { return nil }
        let (countMax, reserved) = (limits.clientCountMax, limits.reservedClientCount)
        if all.clientCount >= (administers ? countMax : max(countMax - reserved, 1)) {
            let reserve = " limits.reservedClientCount = \(reserved) of them are administrators'."
            return .tooMany(
                "\(all.clientCount) clients are connected", "limits.clientCountMax", countMax,
                administers ? "" : reserve)
        }
        if user.clientCount >= limits.uidClientCountMax {
            return .tooMany(
                "uid \(peer.payer) has \(user.clientCount) clients connected",
                "limits.uidClientCountMax", limits.uidClientCountMax)
        }
        return isGuest(peer) ? refusalOfGuest(peer, all, user) : nil
    }

    private func refusalOfGuest(
        _ peer: Peer, _ all: SessionRegistry.Figures, _ user: SessionRegistry.Figures
    ) -> HearthError? {
        if user.guestCount >= limits.uidGuestClientCountMax {
            return .tooMany(
                "uid \(peer.payer), whom no access rule allows anything, has \(user.guestCount) "
                    + "clients connected", "limits.uidGuestClientCountMax",
                limits.uidGuestClientCountMax)
        }
        if all.guestCount >= limits.guestClientCountMax {
            return .tooMany(
                "\(all.guestCount) clients are connected whom no access rule allows anything",
                "limits.guestClientCountMax", limits.guestClientCountMax)
        }
        return nil
    }
}

extension HearthError {
    fileprivate static func tooMany(
        _ what: String, _ limit: String, _ countMax: Int, _ more: String = ""
    ) -> HearthError {
        HearthError(
            code: .resourceExhausted,
            message: "\(what), and the limit is \(limit) = \(countMax) clients.\(more)")
    }
}
