/// Whether two strings are the same bytes of UTF-8.
///
/// Swift's `==` also holds for canonically equivalent spellings ("é" in one or two scalars), which
/// are different names to Firestore.
package func utf8Equals(_ lhs: String, _ rhs: String) -> Bool {
    lhs.utf8.count == rhs.utf8.count && utf8Compare(lhs, rhs) == 0
}

/// Whether `lhs` sorts before `rhs` by its UTF-8 bytes.
package func utf8Precedes(_ lhs: String, _ rhs: String) -> Bool {
    utf8Compare(lhs, rhs) < 0
}

/// Orders two strings by their UTF-8 bytes: negative, zero or positive.
package func utf8Compare(_ lhs: String, _ rhs: String) -> Int {
    withUTF8(lhs, rhs) { utf8Compare($0, $1) }
}

/// Orders two strings by their UTF-8 bytes, which lie in memory.
func utf8Compare(
    _ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>
) -> Int {
    utf8Compare(UnsafeRawBufferPointer(left), UnsafeRawBufferPointer(right))
}

/// Orders two runs of unsigned bytes in memory lexicographically: negative, zero or positive.
func utf8Compare(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Int {
    let index = firstDifference(left, right)
    if index < left.count, index < right.count { return left[index] < right[index] ? -1 : 1 }
    return left.count - right.count
}

/// Whether two runs of bytes in memory are the same.
func areEqual(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
    left.count == right.count && firstDifference(left, right) == left.count
}

/// Orders two runs of unsigned bytes lexicographically: negative, zero or positive.
package func compareBytes(_ lhs: [UInt8], _ rhs: [UInt8]) -> Int {
    lhs.withUnsafeBufferPointer { left in
        rhs.withUnsafeBufferPointer { right in utf8Compare(left, right) }
    }
}

/// Passes the bytes of two strings to `body`, without a copy if each string lies in one piece.
///
/// Linux keeps strings in one piece.
func withUTF8<Result>(
    _ lhs: String, _ rhs: String,
    _ body: (UnsafeBufferPointer<UInt8>, UnsafeBufferPointer<UInt8>) -> Result
) -> Result {
    let fast = lhs.utf8.withContiguousStorageIfAvailable { left in
        rhs.utf8.withContiguousStorageIfAvailable { right in body(left, right) }
    }
    if case .some(.some(let result)) = fast { return result }
    var (lhs, rhs) = (lhs, rhs)
    return lhs.withUTF8 { left in rhs.withUTF8 { right in body(left, right) } }
}

/// The first place at which two runs of bytes differ, or the length of the shorter one.
func firstDifference(
    _ lhs: UnsafeBufferPointer<UInt8>, _ rhs: UnsafeBufferPointer<UInt8>
) -> Int {
    firstDifference(UnsafeRawBufferPointer(lhs), UnsafeRawBufferPointer(rhs))
}

/// The first place at which two runs of bytes differ, or the length of the shorter one.
func firstDifference(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Int {
    let count = min(left.count, right.count)
    var index = 0
    while index + 8 <= count {
        let difference =
            left.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            ^ right.loadUnaligned(fromByteOffset: index, as: UInt64.self)
        if difference != 0 { return index + difference.littleEndian.trailingZeroBitCount / 8 }
        index += 8
    }
    while index < count, left[index] == right[index] { index += 1 }
    return index
}

/// A string that is equal, hashed and ordered by its UTF-8 bytes, for use as a dictionary key.
package struct UTF8Text: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The text.
    package let string: String

    /// Wraps `string` as it is.
    package init(_ string: String) {
        self.string = string
    }

    package static func == (lhs: Self, rhs: Self) -> Bool { utf8Equals(lhs.string, rhs.string) }
    package static func < (lhs: Self, rhs: Self) -> Bool { utf8Precedes(lhs.string, rhs.string) }

    package func hash(into hasher: inout Hasher) { hashUTF8(string, into: &hasher) }

    package var description: String { string }
}

/// Feeds the UTF-8 bytes of `string` to a hasher, with an end mark.
package func hashUTF8(_ string: String, into hasher: inout Hasher) {
    let fast: Void? = string.utf8.withContiguousStorageIfAvailable {
        hasher.combine(bytes: UnsafeRawBufferPointer($0))
    }
    if fast == nil {
        for byte in string.utf8 { hasher.combine(byte) }
    }
    hasher.combine(0xFF as UInt8)
}
