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
