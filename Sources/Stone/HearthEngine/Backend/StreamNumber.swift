/// A stream's number: each opening gets a fresh one, so that a late echo of a closed stream is
/// known.
package struct StreamNumber: Hashable, Comparable, Sendable {
    /// The number, rising from 1.
    package let rawValue: UInt64

    /// Wraps a number.
    package init(_ rawValue: UInt64) {
        self.rawValue = rawValue
    }

    package static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }
}
