/// Walks over JSON, RFC 8259, token by token: strict, and never beyond the end.
///
/// Serves readers that build their own values without a `JSONValue` between. The reader decides
/// which token is a member or an element, and which depth is too deep.
package struct JSONCursor {
    private let bytes: [UInt8]
    /// How many bytes were passed.
    package private(set) var offset: Int

    /// Stands at the start of a text, or anywhere in it.
    package init(_ bytes: [UInt8], at offset: Int = 0) {
        self.bytes = bytes
        self.offset = offset
    }

    /// What is wrong where the cursor stands.
    package func error(_ reason: String) -> JSONError { JSONError(offset: offset, reason: reason) }

    /// The byte that comes next; `nil` at the end.
    package var next: UInt8? { offset < bytes.count ? bytes[offset] : nil }

    /// Passes white space.
    package mutating func skipSpace() {
        while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 {
            offset += 1
        }
    }

    /// Passes white space up to the end, where nothing else may be.
    ///
    /// - Throws: `JSONError` if anything else follows.
    package mutating func finish() throws(JSONError) {
        skipSpace()
        guard offset == bytes.count else { throw error("something follows the value") }
    }

    /// Passes `true`, `false` or `null`.
    ///
    /// - Throws: `JSONError` if the text does not go on with `word`.
    package mutating func readWord(_ word: StaticString) throws(JSONError) {
        let end = offset + word.utf8CodeUnitCount
        let matches = word.withUTF8Buffer {
            end <= bytes.count && bytes[offset..<end].elementsEqual($0)
        }
        guard matches else { throw error("no value starts like this") }
        offset = end
    }

    /// Passes the start of an array or an object.
    ///
    /// - Returns: Whether the array or object has content. If not, the cursor has passed the end
    ///   too.
    package mutating func enter(until end: UInt8) -> Bool {
        offset += 1
        skipSpace()
        guard next == end else { return true }
        offset += 1
        return false
    }

    /// Passes a comma, or the end.
    ///
    /// - Throws: `JSONError` if the next byte is neither a comma nor `end`.
    /// - Returns: Whether it was a comma.
    package mutating func goesOn(until end: UInt8) throws(JSONError) -> Bool {
        skipSpace()
        guard let byte = next, byte == end || byte == UInt8(ascii: ",") else {
            throw error("a comma or the end is missing")
        }
        offset += 1
        return byte != end
    }

    /// Passes a member's name and the colon behind it.
    ///
    /// - Throws: `JSONError` if the name or the colon is missing.
    package mutating func readName() throws(JSONError) -> String {
        skipSpace()
        guard next == UInt8(ascii: "\"") else { throw error("a member's name is missing") }
        let name = try readString()
        skipSpace()
        guard next == UInt8(ascii: ":") else { throw error("a colon is missing") }
        offset += 1
        return name
    }

    /// Passes a value of any kind without building the value and without recursion.
    ///
    /// The method counts brackets without matching them, and does not read words. A later reader of
    /// the value must check both.
    ///
    /// - Throws: `JSONError` if no value starts here, or the text ends too early.
    package mutating func skipValue() throws(JSONError) {
        skipSpace()
        var depth = 0
        repeat {
            guard let byte = next else { throw error("it ends where a value should be") }
            switch byte {
            case UInt8(ascii: "\""): try skipString()
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                offset += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                guard depth > 0 else { throw error("no value starts like this") }
                depth -= 1
                offset += 1
            default:
                if depth == 0 { return try skipWord() }
                offset += 1
            }
        } while depth > 0
    }

    /// Passes a number, or what else has no quotes.
    private mutating func skipWord() throws(JSONError) {
        let start = offset
        while let byte = next {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "E"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."):
                offset += 1
            default:
                guard offset > start else { throw error("no value starts like this") }
                return
            }
        }
    }

    /// Passes a string without looking into it.
    private mutating func skipString() throws(JSONError) {
        offset += 1
        while let byte = next {
            offset += byte == UInt8(ascii: "\\") ? 2 : 1
            if byte == UInt8(ascii: "\"") { return }
        }
        offset = bytes.count
        throw error("a string has no end")
    }

    /// The bytes from a place up to the cursor.
    package func passed(since start: Int) -> [UInt8] { Array(bytes[start..<offset]) }

    /// Passes a string, from quote to quote.
    ///
    /// - Throws: `JSONError` for a string without an end, or with a byte or an escape that JSON
    ///   refuses.
    package mutating func readString() throws(JSONError) -> String {
        guard next == UInt8(ascii: "\"") else { throw error("a string is missing") }
        offset += 1
        let start = offset
        while let byte = next, byte >= 0x20, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\")
        {
            offset += 1
        }
        // Most have no escape.
        if next == UInt8(ascii: "\""), let string = String(validUTF8: bytes[start..<offset]) {
            offset += 1
            return string
        }
        var text = Array(bytes[start..<offset])
        while let byte = next {
            offset += 1
            switch byte {
            case UInt8(ascii: "\""):
                guard let string = String(validating: text, as: UTF8.self) else {
                    throw error("a string is not UTF-8")
                }
                return string
            case UInt8(ascii: "\\"):
                try readEscape(into: &text)
            case 0..<0x20:
                throw error("a string holds a control character")
            default:
                text.append(byte)
            }
        }
        throw error("a string has no end")
    }

    private mutating func readEscape(into text: inout [UInt8]) throws(JSONError) {
        guard let byte = next else { throw error("a string has no end") }
        offset += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0C)
        case UInt8(ascii: "n"): text.append(0x0A)
        case UInt8(ascii: "r"): text.append(0x0D)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "u"): text.append(contentsOf: String(try readScalar()).utf8)
        default: throw error("an escape is unknown")
        }
    }

    /// Reads what follows `\u`: one unit of UTF-16, or a pair. A lone half becomes U+FFFD.
    private mutating func readScalar() throws(JSONError) -> Unicode.Scalar {
        let first = try readHex()
        if let scalar = Unicode.Scalar(UInt32(first)) { return scalar }
        let isHigh = first < 0xDC00
        let isFollowed =
            offset + 1 < bytes.count && bytes[offset] == UInt8(ascii: "\\")
            && bytes[offset + 1] == UInt8(ascii: "u")
        guard isHigh, isFollowed else { return "\u{FFFD}" }
        let start = offset
        offset += 2
        let second = try readHex()
        guard (0xDC00..<0xE000).contains(second) else {
            offset = start
            return "\u{FFFD}"
        }
        let value = 0x10000 + (UInt32(first) - 0xD800) << 10 + (UInt32(second) - 0xDC00)
        return Unicode.Scalar(value) ?? "\u{FFFD}"
    }

    private mutating func readHex() throws(JSONError) -> UInt16 {
        var value: UInt16 = 0
        for _ in 0..<4 {
            guard let byte = next, let digit = Self.hexDigit(byte) else {
                throw error("\\u needs four hexadecimal digits")
            }
            value = value << 4 | digit
            offset += 1
        }
        return value
    }

    private static func hexDigit(_ byte: UInt8) -> UInt16? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt16(byte - UInt8(ascii: "0"))
        case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt16(byte - UInt8(ascii: "a") + 10)
        case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt16(byte - UInt8(ascii: "A") + 10)
        default: nil
        }
    }

    /// Passes a number.
    ///
    /// - Throws: `JSONError` if no number of JSON starts here.
    package mutating func readNumber() throws(JSONError) -> JSONNumber {
        if let number = readShortNumber() { return .integer(number) }
        let start = offset
        var isWhole = true
        if next == UInt8(ascii: "-") { offset += 1 }
        if next == UInt8(ascii: "0") { offset += 1 } else { try readDigits() }
        if next == UInt8(ascii: ".") {
            isWhole = false
            offset += 1
            try readDigits()
        }
        if let byte = next, byte | 0x20 == UInt8(ascii: "e") {
            isWhole = false
            offset += 1
            if next == UInt8(ascii: "+") || next == UInt8(ascii: "-") { offset += 1 }
            try readDigits()
        }
        let text = String(decoding: bytes[start..<offset], as: UTF8.self)
        // Minus zero is no whole number: it would lose its sign.
        if isWhole, text != "-0", let number = Int64(text) { return .integer(number) }
        // Nothing in JSON could be written for a number that is too large to be one.
        guard let number = Double(text), number.isFinite else {
            throw error("a number cannot be read")
        }
        return .double(number)
    }

    /// Passes a whole number of few digits, as most are. Passes nothing if it is something else.
    private mutating func readShortNumber() -> Int64? {
        var end = offset
        var number: Int64 = 0
        while end < bytes.count, end - offset < 18, bytes[end] &- UInt8(ascii: "0") < 10 {
            number = number * 10 + Int64(bytes[end] &- UInt8(ascii: "0"))
            end += 1
        }
        guard end > offset, end < bytes.count,
            end == offset + 1 || bytes[offset] != UInt8(ascii: "0")
        else { return nil }
        switch bytes[end] {
        case UInt8(ascii: ","), UInt8(ascii: "}"), UInt8(ascii: "]"):
            offset = end
            return number
        default: return nil
        }
    }

    private mutating func readDigits() throws(JSONError) {
        let start = offset
        while let byte = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) {
            offset += 1
        }
        guard offset > start else { throw error("a digit is missing") }
    }
}

/// A number of JSON.
package enum JSONNumber: Hashable, Sendable {
    /// Without fraction and exponent, and it fits; not minus zero.
    case integer(Int64)
    /// Any other, finite.
    case double(Double)
}
