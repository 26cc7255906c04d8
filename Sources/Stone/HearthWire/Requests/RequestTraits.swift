/// The needs and the contents of one request.
///
/// Access rules, quotas, limits, and clients that have lost the connection all read the traits.
package struct RequestTraits: Hashable, Sendable {
    /// The permission that a request needs. The access rules must allow every part.
    package enum Permission: Hashable, Sendable {
        /// No right: every process that connects may ask.
        case open
        /// The right to read all documents that the request names, and to write all documents that
        /// the request changes.
        case contents
        /// The right to any document at all, for a request that concerns no document.
        case anything(AccessRight)
        /// The right to the whole database.
        case everything(AccessRight)
        /// The right to read the whole database, or to administer it: a user that may steer the
        /// queue may see the queue.
        case overview
        /// The rights of `contents`, or the rights of `overview`. A user with the rights of
        /// `contents` alone gets an answer about the documents that the user may read, and nothing
        /// more.
        case contentsOrOverview
    }

    /// The quota that the request counts for until it ends.
    package enum Room: Hashable, Sendable {
        /// None.
        case none
        /// The requests without an answer.
        case answer
        /// The listeners.
        case listener
    }

    /// The kind of number that the request comes under.
    package enum Numbering: Hashable, Sendable {
        /// A number that is not in use.
        case fresh
        /// The number of an operation that has begun.
        case begun
        /// Either kind. The request counts for the quota only if the number is fresh.
        case freshOrBegun
    }

    /// The permission that the request needs.
    package let permission: Permission
    /// The quota that the request counts for.
    package let room: Room
    /// The kind of number that the request comes under.
    package let numbering: Numbering
    /// The request's contents.
    package let contents: RequestContents
    /// Whether a client that has lost the connection may send the request again.
    package let isRepeatable: Bool

    /// Takes the parts: one line of a family's table.
    ///
    /// - Parameters:
    ///   - permission: The permission that the request needs.
    ///   - room: The quota that the request counts for.
    ///   - number: The kind of number that the request comes under.
    ///   - contents: The request's contents.
    ///   - isRepeatable: Whether a client that has lost the connection may send the request again.
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
