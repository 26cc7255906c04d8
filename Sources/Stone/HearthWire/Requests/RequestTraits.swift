/// What one request needs of the daemon and what it names, told once for all who must know: access
/// rules, quotas, limits, and clients that have lost the connection.
package struct RequestTraits: Hashable, Sendable {
    /// What the access rules must allow, all of it.
    package enum Permission: Hashable, Sendable {
        /// Nothing: everyone who connects may ask.
        case open
        /// To read whatever the request names, and to write what it writes.
        case contents
        /// The right to anything that there is, for what concerns no document.
        case anything(AccessRight)
        /// The right to the whole database.
        case everything(AccessRight)
        /// To read the whole database. Who may steer what waits may see it, too.
        case overview
    }

    /// Which quota the request counts for as long as it lasts.
    package enum Room: Hashable, Sendable {
        /// None.
        case none
        /// The requests without an answer.
        case answer
        /// The listeners.
        case listener
    }

    /// Which number the request comes under.
    package enum Numbering: Hashable, Sendable {
        /// One that is not in use.
        case fresh
        /// One that began something before.
        case begun
        /// Either; it takes room only if it begins something.
        case freshOrBegun
    }

    /// What the access rules must allow.
    package let permission: Permission
    /// Which quota the request counts for.
    package let room: Room
    /// Which number the request comes under.
    package let numbering: Numbering
    /// What the request names.
    package let contents: RequestContents
    /// Whether a client that has lost the connection may send the request again.
    package let isRepeatable: Bool

    /// One line of a table.
    package init(
        _ permission: Permission, room: Room = .answer, number: Numbering = .fresh,
        contents: RequestContents = .nothing, isRepeatable: Bool = true
    ) {
        self.permission = permission
        self.room = room
        self.numbering = number
        self.contents = contents
        self.isRepeatable = isRepeatable
    }
}
