/// The number of a live view; the engine's tables know the view by the number.
///
/// Rising, so that older views come first; never used twice.
package struct ViewID: Hashable, Comparable, Sendable {
    /// From 1.
    package let rawValue: UInt64

    /// Wraps a number.
    package init(_ rawValue: UInt64) {
        self.rawValue = rawValue
    }

    package static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }
}
