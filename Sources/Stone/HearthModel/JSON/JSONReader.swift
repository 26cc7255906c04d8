/// Reads RFC 8259 from bytes: strict, without recursion deeper than a limit.
package struct JSONReader {
    /// How deep arrays and objects may nest. Three levels a Firestore map, twenty maps, and room.
    package static let depthMax = 256

    private let bytes: [UInt8]
    private var offset = 0
    private var depth = 0

    private init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Reads one value that fills all of `bytes`, but for white space around it.
    ///
    /// - Complexity: O(n).
    package static func read(_ bytes: [UInt8]) throws(JSONError) -> JSONValue {
        var reader = JSONReader(bytes)
        let value = try reader.readValue()
        reader.skipSpace()
        guard reader.offset == bytes.count else {
            throw reader.error("something follows the value")
        }
        return value
    }

    private func error(_ reason: String) -> JSONError { JSONError(offset: offset, reason: reason) }

    private var next: UInt8? { offset < bytes.count ? bytes[offset] : nil }

    private mutating func skipSpace() {
        while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 {
            offset += 1
        }
    }

    private mutating func readValue() throws(JSONError) -> JSONValue {
        skipSpace()
        guard let byte = next else { throw error("it ends where a value should be") }
        switch byte {
        case UInt8(ascii: "{"): return try readObject()
        case UInt8(ascii: "["): return try readArray()
        case UInt8(ascii: "\""): return .string(try readString())
        case UInt8(ascii: "t"): return try readWord("true", .boolean(true))
        case UInt8(ascii: "f"): return try readWord("false", .boolean(false))
        case UInt8(ascii: "n"): return try readWord("null", .null)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try readNumber()
        default: throw error("no value starts like this")
        }
    }

    private mutating func readWord(_ word: StaticString, _ value: JSONValue) throws(JSONError)
        -> JSONValue
    {
        let end = offset + word.utf8CodeUnitCount
        let matches = word.withUTF8Buffer {
            end <= bytes.count && bytes[offset..<end].elementsEqual($0)
        }
        guard matches else { throw error("no value starts like this") }
        offset = end
        return value
    }

    private mutating func enter() throws(JSONError) {
        depth += 1
        guard depth <= Self.depthMax else { throw error("it nests deeper than \(Self.depthMax)") }
        offset += 1
        skipSpace()
    }

    private mutating func readArray() throws(JSONError) -> JSONValue {
        try enter()
        var elements: [JSONValue] = []
        if next == UInt8(ascii: "]") {
            offset += 1
        } else {
            repeat { elements.append(try readValue()) } while try goesOn(until: UInt8(ascii: "]"))
        }
        depth -= 1
        return .array(elements)
    }

    private mutating func readObject() throws(JSONError) -> JSONValue {
        try enter()
        var members: [JSONValue.Member] = []
        var names: Set<UTF8Text> = []
        if next == UInt8(ascii: "}") {
            offset += 1
        } else {
            repeat {
                let member = try readMember()
                guard names.insert(UTF8Text(member.name)).inserted else {
                    throw error("the member \"\(member.name)\" is there twice")
                }
                members.append(member)
            } while try goesOn(until: UInt8(ascii: "}"))
        }
        depth -= 1
        return .object(members)
    }

    private mutating func readMember() throws(JSONError) -> JSONValue.Member {
        skipSpace()
        guard next == UInt8(ascii: "\"") else { throw error("a member's name is missing") }
        let name = try readString()
        skipSpace()
        guard next == UInt8(ascii: ":") else { throw error("a colon is missing") }
        offset += 1
        return .init(name: name, value: try readValue())
    }

    /// Passes a comma, or the end.
    private mutating func goesOn(until end: UInt8) throws(JSONError) -> Bool {
        skipSpace()
        guard let byte = next, byte == end || byte == UInt8(ascii: ",") else {
            throw error("a comma or the end is missing")
        }
        offset += 1
        return byte != end
    }

    private mutating func readString() throws(JSONError) -> String {
        offset += 1
        var text: [UInt8] = []
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

    private mutating func readNumber() throws(JSONError) -> JSONValue {
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

    private mutating func readDigits() throws(JSONError) {
        let start = offset
        while let byte = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) {
            offset += 1
        }
        guard offset > start else { throw error("a digit is missing") }
    }
}
