package import HearthModel

/// The number of a tracked query.
package struct TrackedQueryID: Hashable, Comparable, Sendable {
    /// The number, rising from 1.
    package let rawValue: Int64

    /// Wraps a number.
    package init(_ rawValue: Int64) {
        self.rawValue = rawValue
    }

    package static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }
}

/// What the disk remembers of a query that somebody listened to.
package struct TrackedQuery: Hashable, Sendable {
    /// Its number.
    package let id: TrackedQueryID
    /// What was listened to.
    package let target: ListenTarget
    /// When somebody last listened, or began to.
    package var lastUse: Timestamp
    /// Whether the cache has the whole result, as of the last connection.
    package var isComplete: Bool
    /// Whether somebody listens now.
    package var isActive: Bool
    /// The V1 hash of the server's result as the cache has it; `nil` if it is to be computed.
    package var hash: String?

    /// Tracks a query.
    package init(
        id: TrackedQueryID, target: ListenTarget, lastUse: Timestamp, isComplete: Bool = false,
        isActive: Bool = false, hash: String? = nil
    ) {
        self.id = id
        self.target = target
        self.lastUse = lastUse
        self.isComplete = isComplete
        self.isActive = isActive
        self.hash = hash
    }
}
