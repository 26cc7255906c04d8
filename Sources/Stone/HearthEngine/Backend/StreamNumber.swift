/// A stream's number.
///
/// Each opening of a stream takes a fresh number. So the engine recognises late echoes of a closed
/// stream.
package struct StreamNumber: Hashable, Comparable, Sendable {
    /// The number, rising from 1.
    package let rawValue: UInt64

    /// Wraps a number.
    package init(_ rawValue: UInt64) {
        self.rawValue = rawValue
    }

    package static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }
}
