import Hearth

/// Reads values: JSON, with tagged forms for what JSON lacks.
///
///     value   null true false 12 -1.5e3 NaN Infinity -Infinity "text" [value, ...] {"name": value}
///             timestamp(2026-01-02T03:04:05.123456Z)  bytes(BASE64)  ref(rooms/hall)
///             geo(52.5, 13.4)  vector(1, 2, 3)
///     order   delete()  serverTimestamp()  increment(5)  maximum(5)  minimum(5)
///             arrayUnion(value, ...)  arrayRemove(value, ...)
///
/// A map with a single name that starts with `$` is JSON's spelling of a tagged form; see
/// `ValueTag`. Field names may go without quotes where they are plain words.
struct ValueReader {
    /// How deep maps and arrays may nest. Firestore stores 20 levels; a tag takes one more each.
    static let depthMax = 64

    /// What becomes of an integer that needs more than 64 bits.
    enum WideIntegers {
        /// Firestore's integers have 64 bits, so the integer is told, not rounded.
        case refused
        /// The Realtime Database has JSON's numbers: the nearest double.
        case double
    }

    private let bytes: [UInt8]
    private let wideIntegers: WideIntegers
    private var offset = 0
    private var depth = 0

    init(_ bytes: [UInt8], wideIntegers: WideIntegers = .refused) {
        self.bytes = bytes
        self.wideIntegers = wideIntegers
    }

    /// Reads one value that fills the text.
    static func read(_ text: String) throws(ValueSyntaxError) -> ValueLiteral {
        try read(Array(text.utf8))
    }

    /// Reads one value that fills the bytes.
    static func read(
        _ bytes: [UInt8], wideIntegers: WideIntegers = .refused
    ) throws(ValueSyntaxError) -> ValueLiteral {
        var reader = ValueReader(bytes, wideIntegers: wideIntegers)
        let value = try reader.readValue()
        guard try reader.isAtEnd() else { throw reader.error("something follows the value") }
        return value
    }

    /// Whether only white space is left.
    mutating func isAtEnd() throws(ValueSyntaxError) -> Bool {
        skipSpace()
        return offset == bytes.count
    }

    /// Reads one value and stays behind it.
    mutating func readValue() throws(ValueSyntaxError) -> ValueLiteral {
        skipSpace()
        guard let byte = next else { throw error("the text ends where a value should be") }
        switch byte {
        case UInt8(ascii: "{"): return try readMap()
        case UInt8(ascii: "["): return try readArray()
        case UInt8(ascii: "\""): return .string(try readString())
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try readNumber()
        case let letter where Self.isWordStart(letter): return try readWordOrForm()
        default: throw error("no value starts like this; text needs quotes here")
        }
    }
}

// MARK: - Bytes

extension ValueReader {
    private var next: UInt8? { offset < bytes.count ? bytes[offset] : nil }

    private func error(_ reason: String, at place: Int? = nil) -> ValueSyntaxError {
        ValueSyntaxError(reason, at: place ?? offset, in: bytes)
    }

    static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
    }

    private static func isWordStart(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) || byte == UInt8(ascii: "_")
    }

    static func isWordPart(_ byte: UInt8) -> Bool {
        isWordStart(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    private mutating func skipSpace() {
        while let byte = next, Self.isSpace(byte) { offset += 1 }
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        skipSpace()
        guard next == UInt8(ascii: character) else { return false }
        offset += 1
        return true
    }

    private mutating func readWord() -> String {
        let start = offset
        while let byte = next, Self.isWordPart(byte) { offset += 1 }
        return String(decoding: bytes[start..<offset], as: UTF8.self)
    }

    /// Passes a comma, or the end.
    private mutating func goesOn(until end: Unicode.Scalar) throws(ValueSyntaxError) -> Bool {
        if take(",") { return true }
        if take(end) { return false }
        throw error("a comma or \"\(end)\" is missing")
    }

    private mutating func enter() throws(ValueSyntaxError) {
        depth += 1
        guard depth <= Self.depthMax else { throw error("it nests deeper than \(Self.depthMax)") }
        offset += 1
    }
}

// MARK: - Arrays and maps

extension ValueReader {
    private mutating func readArray() throws(ValueSyntaxError) -> ValueLiteral {
        try enter()
        let elements = try readElements(until: "]")
        depth -= 1
        return .array(elements)
    }

    private mutating func readElements(
        until end: Unicode.Scalar
    ) throws(ValueSyntaxError) -> [ValueLiteral] {
        var elements: [ValueLiteral] = []
        if take(end) { return [] }
        repeat {
            skipSpace()
            let start = offset
            let element = try readValue()
            if case .order = element { throw error("an order cannot stand in an array", at: start) }
            elements.append(element)
        } while try goesOn(until: end)
        return elements
    }

    private mutating func readMap() throws(ValueSyntaxError) -> ValueLiteral {
        let start = offset
        var fields = try readFields(isLiteral: false)
        do throws(ValueTag.Problem) {
            if fields.count > 1, let index = fields.firstIndex(where: { $0.name == "$map" }) {
                // Beside other names, `$map` is no tag, so the map inside may be a tag.
                let inner = try ValueTag.resolve(fields[index].value)
                fields[index] = ValueLiteral.Field(name: "$map", value: inner)
            }
            return try ValueTag.resolve(.map(fields))
        } catch {
            throw self.error(error.reason, at: start)
        }
    }

    /// Reads the fields of a map without resolving the map, and resolves the values inside.
    ///
    /// - Parameter isLiteral: Whether the map is the map in a `$map`. If not, the map in a `$map`
    ///   field is read without resolving that map.
    private mutating func readFields(
        isLiteral: Bool
    ) throws(ValueSyntaxError) -> [ValueLiteral.Field] {
        try enter()
        var fields: [ValueLiteral.Field] = []
        var names: Set<[UInt8]> = []
        if !take("}") {
            repeat {
                skipSpace()
                let place = offset
                let name = try readName()
                guard names.insert(Array(name.utf8)).inserted else {
                    throw error("the name \"\(name)\" is there twice", at: place)
                }
                guard take(":") else { throw error("a colon is missing after the name") }
                skipSpace()
                let opensLiteral = !isLiteral && name == "$map" && next == UInt8(ascii: "{")
                let value =
                    opensLiteral
                    ? ValueLiteral.map(try readFields(isLiteral: true)) : try readValue()
                fields.append(ValueLiteral.Field(name: name, value: value))
            } while try goesOn(until: "}")
        }
        depth -= 1
        return fields
    }

    private mutating func readName() throws(ValueSyntaxError) -> String {
        guard let byte = next else { throw error("the text ends in a map; \"}\" is missing") }
        if byte == UInt8(ascii: "\"") { return try readString() }
        guard Self.isWordStart(byte) else { throw error("a field's name is missing") }
        return readWord()
    }
}

// MARK: - Strings

extension ValueReader {
    private mutating func readString() throws(ValueSyntaxError) -> String {
        let start = offset
        offset += 1
        var text: [UInt8] = []
        while let byte = next {
            switch byte {
            case UInt8(ascii: "\""):
                offset += 1
                guard let string = String(validating: text, as: UTF8.self) else {
                    throw error("the string is not UTF-8", at: start)
                }
                return string
            case UInt8(ascii: "\\"):
                offset += 1
                try readEscape(into: &text)
            case 0..<0x20:
                throw error("a control character must be written as an escape such as \\n")
            default:
                offset += 1
                text.append(byte)
            }
        }
        throw error("the string has no closing quote", at: start)
    }

    private mutating func readEscape(into text: inout [UInt8]) throws(ValueSyntaxError) {
        guard let byte = next else { throw error("the text ends in an escape") }
        offset += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0C)
        case UInt8(ascii: "n"): text.append(0x0A)
        case UInt8(ascii: "r"): text.append(0x0D)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "u"): text.append(contentsOf: String(try readScalar()).utf8)
        default:
            throw error("\"\\\(Character(Unicode.Scalar(byte)))\" is no escape", at: offset - 2)
        }
    }

    /// Reads what follows `\u`: one unit of UTF-16, or a pair.
    private mutating func readScalar() throws(ValueSyntaxError) -> Unicode.Scalar {
        let start = offset - 2
        let first = try readHex()
        if let scalar = Unicode.Scalar(UInt32(first)) { return scalar }
        guard first < 0xDC00, next == UInt8(ascii: "\\"), offset + 1 < bytes.count,
            bytes[offset + 1] == UInt8(ascii: "u")
        else { throw error("half of a surrogate pair is missing", at: start) }
        offset += 2
        let second = try readHex()
        guard (0xDC00..<0xE000).contains(second) else {
            throw error("half of a surrogate pair is missing", at: start)
        }
        let value = 0x10000 + (UInt32(first) - 0xD800) << 10 + (UInt32(second) - 0xDC00)
        guard let scalar = Unicode.Scalar(value) else {
            throw error("no such character", at: start)
        }
        return scalar
    }

    private mutating func readHex() throws(ValueSyntaxError) -> UInt16 {
        let end = min(offset + 4, bytes.count)
        let digits = String(decoding: bytes[offset..<end], as: UTF8.self)
        guard digits.utf8.count == 4, digits.utf8.allSatisfy(Self.isHexDigit),
            let value = UInt16(digits, radix: 16)
        else { throw error("\\u needs four hexadecimal digits") }
        offset = end
        return value
    }

    private static func isHexDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte | 0x20)
    }
}

// MARK: - Numbers

extension ValueReader {
    private mutating func readNumber() throws(ValueSyntaxError) -> ValueLiteral {
        let start = offset
        var isWhole = true
        if next == UInt8(ascii: "-") { offset += 1 }
        if let byte = next, Self.isWordStart(byte) {
            guard readWord() == "Infinity" else {
                throw error("no number starts like this", at: start)
            }
            return .double(-.infinity)
        }
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
        let isInteger = isWhole && text != "-0"
        if isInteger, let number = Int64(text) { return .integer(number) }
        guard !isInteger || wideIntegers == .double else {
            throw error(
                "an integer has 64 bits at most; write \(text).0 for a double, or quotes for text",
                at: start)
        }
        guard let number = Double(text) else { throw error("no such number", at: start) }
        // A mistyped exponent must not destroy a counter for good. JSON has no word for infinity.
        guard number.isFinite else {
            let infinity = number < 0 ? "-Infinity" : "Infinity"
            let remedy =
                wideIntegers == .double
                ? "text needs quotes" : "write \(infinity) if that is meant, or quotes for text"
            throw error("no double is so large; \(remedy)", at: start)
        }
        return .double(number)
    }

    private mutating func readDigits() throws(ValueSyntaxError) {
        let start = offset
        while let byte = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) {
            offset += 1
        }
        guard offset > start else { throw error("a digit is missing") }
    }
}

// MARK: - Words and tagged forms

extension ValueReader {
    private mutating func readWordOrForm() throws(ValueSyntaxError) -> ValueLiteral {
        let start = offset
        let word = readWord()
        if next == UInt8(ascii: "(") { return try readForm(word, start: start) }
        switch word {
        case "null": return .null
        case "true": return .boolean(true)
        case "false": return .boolean(false)
        case "NaN": return .double(.nan)
        case "Infinity": return .double(.infinity)
        default: throw error("\"\(word)\" is no value; text needs quotes here", at: start)
        }
    }

    private mutating func readForm(
        _ name: String, start: Int
    ) throws(ValueSyntaxError) -> ValueLiteral {
        try enter()
        let argument: ValueLiteral
        switch name {
        case "timestamp", "bytes", "ref": argument = .string(try readRaw())
        case "delete", "serverTimestamp":
            guard take(")") else { throw error("\"\(name)\" takes nothing between ( and )") }
            argument = .boolean(true)
        case "increment", "maximum", "minimum":
            argument = try readValue()
            guard take(")") else { throw error("\")\" is missing") }
        case "geo", "vector", "arrayUnion", "arrayRemove":
            argument = .array(try readElements(until: ")"))
        default:
            throw error("there is no form \(name)(); text that looks so needs quotes", at: start)
        }
        depth -= 1
        do throws(ValueTag.Problem) {
            return try ValueTag.value(name, argument)
        } catch {
            throw self.error(error.reason, at: start)
        }
    }

    /// Reads up to the closing parenthesis: a quoted string, or text as it stands.
    private mutating func readRaw() throws(ValueSyntaxError) -> String {
        skipSpace()
        let text: String
        if next == UInt8(ascii: "\"") {
            text = try readString()
        } else {
            let raw = bytes[offset...].prefix { $0 != UInt8(ascii: ")") }
            offset = raw.endIndex
            guard let valid = String(validating: raw, as: UTF8.self) else {
                throw error("the text is not UTF-8", at: raw.startIndex)
            }
            text = String(valid.reversed().drop { $0.isWhitespace }.reversed())
        }
        guard take(")") else { throw error("\")\" is missing") }
        return text
    }
}
