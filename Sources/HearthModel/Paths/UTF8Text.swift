/// Whether two strings are the same bytes of UTF-8.
///
/// Swift's `==` also holds for canonically equivalent spellings ("é" in one or two scalars), which
/// are different names to Firestore.
package func utf8Equals(_ lhs: String, _ rhs: String) -> Bool {
    utf8Compare(lhs, rhs) == 0
}

/// Whether `lhs` sorts before `rhs` by its UTF-8 bytes.
package func utf8Precedes(_ lhs: String, _ rhs: String) -> Bool {
    utf8Compare(lhs, rhs) < 0
}

/// Orders two strings by their UTF-8 bytes: negative, zero or positive.
package func utf8Compare(_ lhs: String, _ rhs: String) -> Int {
    let fast = lhs.utf8.withContiguousStorageIfAvailable { left in
        rhs.utf8.withContiguousStorageIfAvailable { right in compareBytes(left, right) }
    }
    if case .some(.some(let order)) = fast { return order }
    return compareBytes(Array(lhs.utf8), Array(rhs.utf8))
}

/// Orders two runs of unsigned bytes lexicographically: negative, zero or positive.
package func compareBytes(_ lhs: some Collection<UInt8>, _ rhs: some Collection<UInt8>) -> Int {
    var right = rhs.makeIterator()
    for byte in lhs {
        guard let other = right.next() else { return 1 }
        if byte != other { return byte < other ? -1 : 1 }
    }
    return right.next() == nil ? 0 : -1
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
