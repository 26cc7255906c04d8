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
