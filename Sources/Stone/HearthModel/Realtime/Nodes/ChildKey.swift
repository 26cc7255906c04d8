/// The name of a child in the Realtime Database's tree. Never empty, without `. $ # [ ] /` and control
/// characters, at most 768 bytes.
///
/// Two keys are equal if their bytes are: "é" in one scalar and in two are different keys.
package struct ChildKey: Hashable, Sendable, CustomStringConvertible {
    /// How long a key may be, in bytes of UTF-8. The hosted service documents so many.
    package static let byteCountMax = 768

    /// The key.
    package let text: String

    /// Reads a key from outside; `nil` if it is none.
    package init?(_ text: String) {
        guard Self.fault(of: text) == nil else { return nil }
        self.text = text
    }

    /// Takes a text that was checked already, or stands outside of the tree, as `.info` does.
    package init(unchecked text: String) {
        self.text = text
    }

    package static func == (lhs: Self, rhs: Self) -> Bool { utf8Equals(lhs.text, rhs.text) }

    package func hash(into hasher: inout Hasher) { hashUTF8(text, into: &hasher) }

    package var description: String { text }

    /// Why a text is no key; `nil` if it is one.
    package static func fault(of text: String) -> String? {
        if text.isEmpty { return "it is empty" }
        let byteCount = text.utf8.count
        if byteCount > byteCountMax {
            return "it has \(byteCount) bytes, and a key may have \(byteCountMax)"
        }
        let isRefused = text.utf8.contains(where: isForbidden)
        return isRefused ? "it holds one of . $ # [ ] / or a control character" : nil
    }

    /// Whether bytes of UTF-8 are a key.
    static func isKey(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        1...byteCountMax ~= bytes.count && !bytes.contains(where: isForbidden)
    }

    /// Whether a byte may not stand in a key.
    ///
    /// - Source: the reference of the Realtime Database, "Structure data".
    static func isForbidden(_ byte: UInt8) -> Bool {
        switch byte {
        case 0..<0x20, 0x7F, UInt8(ascii: "."), UInt8(ascii: "$"), UInt8(ascii: "#"),
            UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "/"):
            true
        default: false
        }
    }
}

/// Keys that stand in our own source. What comes from outside is no literal and is read.
extension ChildKey: ExpressibleByStringLiteral {
    /// Takes a literal, which must be a key.
    package init(stringLiteral text: String) {
        precondition(Self.fault(of: text) == nil, "\"\(text)\" in the source is no key")
        self.text = text
    }
}

/// The order of children: whole numbers of 32 bits first, by value; then all others, by UTF-16.
///
/// - Source: firebase-js-sdk `core/util/util.ts`, name-compare and try-parse-int.
extension ChildKey: Comparable {
    /// The number that the key sorts by; `nil` if it sorts as a text.
    ///
    /// A minus and any number of zeros may precede up to ten digits, so "007" is 7 and "-0" is 0.
    package var integer: Int32? {
        text.utf8.withContiguousStorageIfAvailable(Self.integer)
            ?? Array(text.utf8)
            .withUnsafeBufferPointer(Self.integer)
    }

    /// Orders two keys: negative, zero or positive; zero only for the same bytes.
    ///
    /// Numbers of one value sort by length, and then by their bytes: SDKs hold "-0" and "00" equal, which
    /// would lose one of two children.
    package static func compare(_ lhs: Self, _ rhs: Self) -> Int {
        withUTF8(lhs.text, rhs.text) { compare($0, $1) }
    }

    /// Orders two keys by their bytes.
    static func compare(
        _ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>
    ) -> Int {
        guard let leftNumber = integer(of: left) else {
            return integer(of: right) == nil ? UTF16Order.compare(left, right) : 1
        }
        guard let rightNumber = integer(of: right) else { return -1 }
        if leftNumber != rightNumber { return leftNumber < rightNumber ? -1 : 1 }
        let difference = left.count - right.count
        return difference == 0 ? utf8Compare(left, right) : difference
    }

    package static func < (lhs: Self, rhs: Self) -> Bool { compare(lhs, rhs) < 0 }

    private static func integer(of bytes: UnsafeBufferPointer<UInt8>) -> Int32? {
        guard let first = bytes.first, first <= UInt8(ascii: "9") else { return nil }
        var index = first == UInt8(ascii: "-") ? 1 : 0
        guard index < bytes.count else { return nil }
        let digitsStart = index
        while index < bytes.count, bytes[index] == UInt8(ascii: "0") { index += 1 }
        guard bytes.count - index <= 10, bytes.count > digitsStart else { return nil }
        var value: Int64 = 0
        while index < bytes.count {
            let digit = bytes[index] &- UInt8(ascii: "0")
            guard digit < 10 else { return nil }
            value = value * 10 + Int64(digit)
            index += 1
        }
        return Int32(exactly: digitsStart == 1 ? -value : value)
    }
}
