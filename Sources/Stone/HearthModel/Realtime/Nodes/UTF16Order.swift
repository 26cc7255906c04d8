/// The order of strings by their units of UTF-16, as the Realtime Database sorts.
///
/// UTF-8 sorts by scalars. The two orders differ only where a scalar from U+E000 on meets one that
/// UTF-16 writes as a pair of surrogates: the pair comes first, since it starts with a unit below
/// U+E000. In UTF-8 those are lead bytes from 0xEE on, and pairs have lead bytes from 0xF0 on.
package enum UTF16Order {
    /// Orders two strings: negative, zero or positive.
    ///
    /// - Complexity: O(n), without leaving UTF-8.
    package static func compare(_ lhs: String, _ rhs: String) -> Int {
        withUTF8(lhs, rhs) { compare($0, $1) }
    }

    /// Orders two strings by their bytes of UTF-8.
    static func compare(
        _ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>
    ) -> Int {
        let index = firstDifference(left, right)
        guard index < left.count, index < right.count else { return left.count - right.count }
        let (l, r) = (left[index], right[index])
        let isPairOfOne = (l >= 0xF0) != (r >= 0xF0)
        if isPairOfOne, l >= 0xEE, r >= 0xEE { return l >= 0xF0 ? -1 : 1 }
        return l < r ? -1 : 1
    }

    /// Whether `lhs` sorts before `rhs`.
    package static func precedes(_ lhs: String, _ rhs: String) -> Bool {
        compare(lhs, rhs) < 0
    }
}
