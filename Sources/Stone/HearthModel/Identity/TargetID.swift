/// Ours for a target: even for users' queries, odd for limbo lookups, never 0.
package struct TargetID: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The number.
    package let rawValue: Int32

    /// Wraps a positive number.
    package init(_ rawValue: Int32) {
        self.rawValue = rawValue
    }

    package static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }
    package var description: String { "\(rawValue)" }
}

/// The backend's name for one listen on one stream; each listen gets a fresh one.
package struct WireTargetID: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The number.
    package let rawValue: Int32

    /// Wraps a number as received.
    package init(_ rawValue: Int32) {
        self.rawValue = rawValue
    }

    package static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }
    package var description: String { "\(rawValue)" }
}

/// A mutation batch's number: rising over all users, never used twice.
package struct BatchID: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The number, 1 or more.
    package let rawValue: Int64

    /// Wraps a number.
    package init(_ rawValue: Int64) {
        self.rawValue = rawValue
    }

    /// Below every batch.
    package static let none = BatchID(0)

    package static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }
    package var description: String { "\(rawValue)" }
}

/// Firebase's user, to whom a queue and its overlays belong. Not a Unix uid.
package struct UserID: Hashable, Sendable, CustomStringConvertible {
    /// The id, empty for nobody.
    package let rawValue: String

    /// Wraps an id; empty means unauthenticated.
    package init(_ rawValue: String) {
        self.rawValue = rawValue
    }

    /// Nobody is signed in.
    package static let unauthenticated = UserID("")

    package var description: String { rawValue.isEmpty ? "unauthenticated" : rawValue }
}

/// A logical time of the local cache, one for each transaction, for collecting the least used.
package typealias ListenSequenceNumber = Int64

/// Where the backend should resume a target. Opaque, never empty.
package struct ResumeToken: Hashable, Sendable {
    /// The backend's bytes.
    package let bytes: [UInt8]

    /// Returns `nil` for the empty token: in the protocol, an empty token means "no news".
    package init?(_ bytes: [UInt8]) {
        guard !bytes.isEmpty else { return nil }
        self.bytes = bytes
    }
}

/// A moment of the backend's history. Zero, when nothing has been heard.
package struct SnapshotVersion: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The backend's time, with all the digits received.
    package let timestamp: Timestamp

    /// Wraps a time.
    package init(_ timestamp: Timestamp) {
        self.timestamp = timestamp
    }

    /// Before everything.
    package static let zero = SnapshotVersion(Timestamp(seconds: 0, nanoseconds: 0))

    package static func < (lhs: Self, rhs: Self) -> Bool { lhs.timestamp < rhs.timestamp }
    package var description: String { timestamp.description }
}
