import HearthModel

/// A stretch of an index's entries, by their bytes.
package struct IndexRange: Hashable, Sendable {
    /// The first bytes that may be in it.
    package var lower: [UInt8]
    /// The first bytes behind it; `nil` for the end of the index.
    package var upper: [UInt8]?

    /// Whether nothing can be in it.
    package var isEmpty: Bool { upper.map { compareBytes(lower, $0) >= 0 } ?? false }

    /// Everything that begins with a prefix.
    init(prefix: [UInt8]) {
        lower = prefix
        upper = Self.successor(of: prefix)
    }

    /// Leaves out what lies before or behind another range.
    mutating func formIntersection(_ other: IndexRange) {
        if compareBytes(lower, other.lower) < 0 { lower = other.lower }
        guard let end = other.upper else { return }
        upper = upper.map { compareBytes($0, end) <= 0 ? $0 : end } ?? end
    }

    /// Leaves out what begins with less than a prefix or, with `isAfter`, with that or less.
    mutating func start(_ prefix: [UInt8], isAfter: Bool) {
        guard let cut = isAfter ? Self.successor(of: prefix) : prefix else {
            upper = lower  // Nothing comes behind the last.
            return
        }
        if compareBytes(lower, cut) < 0 { lower = cut }
    }

    /// Leaves out what begins with more than a prefix or, unless `isAfter`, with that or more.
    mutating func end(_ prefix: [UInt8], isAfter: Bool) {
        guard let cut = isAfter ? Self.successor(of: prefix) : prefix else { return }
        upper = upper.map { compareBytes($0, cut) <= 0 ? $0 : cut } ?? cut
    }

    /// The first bytes that do not begin with `prefix`; `nil` if there are none.
    static func successor(of prefix: [UInt8]) -> [UInt8]? {
        var end = prefix
        while let last = end.popLast() {
            if last < 0xFF { return end + [last + 1] }
        }
        return nil
    }
}
