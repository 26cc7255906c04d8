/// A span of time with nanoseconds, within ten thousand years either way.
package struct RuleDuration: Hashable, Comparable, Sendable {
    /// The span. Always within `range`.
    package let nanoseconds: Int128

    /// The longest spans.
    static let range: ClosedRange<Int128> =
        -315_576_000_000_000_000_000...315_576_000_000_000_000_000

    /// Returns `nil` for a span that is too long.
    package init?(nanoseconds: Int128) {
        guard Self.range.contains(nanoseconds) else { return nil }
        self.nanoseconds = nanoseconds
    }

    /// Whole seconds, rounded toward zero.
    var seconds: Int64 { Int64(nanoseconds / 1_000_000_000) }

    /// What is left of a second, with the sign of the span.
    var nanosecondsOfSecond: Int64 { Int64(nanoseconds % 1_000_000_000) }

    package static func < (lhs: Self, rhs: Self) -> Bool { lhs.nanoseconds < rhs.nanoseconds }

    /// Nanoseconds of a unit of `duration.value`; `nil` for any other text.
    static func unit(_ name: String) -> Int128? {
        switch name {
        case "w": 604_800_000_000_000
        case "d": 86_400_000_000_000
        case "h": 3_600_000_000_000
        case "m": 60_000_000_000
        case "s": 1_000_000_000
        case "ms": 1_000_000
        case "ns": 1
        default: nil
        }
    }
}
