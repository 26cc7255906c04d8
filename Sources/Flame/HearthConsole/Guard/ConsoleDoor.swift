/// Decides whose connections a console takes, by the Unix user whom the kernel names.
///
/// A browser sends the cookie of 127.0.0.1 to every port of 127.0.0.1, so a user who listens at another
/// port can learn the cookie. Therefore the cookie alone lets nobody in:
///
///     waiting for the secret --a user brought it--> open to that user, as long as the process lives
///
/// Root is always answered: root can read the console's memory anyway.
package struct ConsoleDoor: Sendable {
    private static let root: UInt32 = 0

    /// The user who runs the console.
    private let owner: UInt32
    /// The user who brought the secret.
    private var user: UInt32?
    /// The open connections of each user who has some.
    private var counts: [UInt32: Int] = [:]

    /// A door that waits for the secret.
    ///
    /// - Parameter owner: The user who runs the console.
    package init(owner: UInt32) {
        self.owner = owner
    }

    /// Whether a user is answered. Before the secret came, a console of root answers every user, because
    /// root lets a browser in that is not root's.
    package func answers(_ uid: UInt32) -> Bool {
        if uid == Self.root { return true }
        return user.map { $0 == uid } ?? (owner == uid || owner == Self.root)
    }

    /// Opens the door to the user who brought the secret, and to nobody after.
    package mutating func open(to uid: UInt32) {
        guard user == nil, answers(uid) else { return }
        user = uid
    }

    /// Counts a connection that has come; a connection of a user who is not answered takes no place.
    ///
    /// - Returns: Whether the connection has a place, which `leave` gives back.
    package mutating func come(_ uid: UInt32) -> Bool {
        guard answers(uid), counts.values.reduce(0, +) < ConsoleLimits.connectionCountMax else {
            return false
        }
        let count = counts[uid, default: 0]
        if isGuest(uid), count >= ConsoleLimits.guestConnectionCountMax { return false }
        counts[uid] = count + 1
        return true
    }

    /// Gives the place of a connection back.
    package mutating func leave(_ uid: UInt32) {
        guard let count = counts[uid] else { return }
        counts[uid] = count > 1 ? count - 1 : nil
    }

    /// Whether a user is answered only because the secret has not come yet.
    private func isGuest(_ uid: UInt32) -> Bool {
        uid != Self.root && uid != owner && uid != user
    }
}
