/// How often the store has changed: raised by each commit that changes anything.
///
/// A reader returns the version with the result, so that the engine knows which later commits the
/// reader has missed.
package struct StoreVersion: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The number, 0 in an empty store.
    package let rawValue: Int64

    /// No store ever changes so often; this number and every larger one are damage, and so is a
    /// negative one.
    package static let max: Int64 = 1 << 60

    /// Wraps a number.
    package init(_ rawValue: Int64) {
        self.rawValue = rawValue
    }

    /// The version that the next commit leads to.
    package var next: StoreVersion { StoreVersion(rawValue + 1) }

    package static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }
    package var description: String { "\(rawValue)" }
}
