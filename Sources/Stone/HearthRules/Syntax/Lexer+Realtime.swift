import HearthModel

/// Numbers, strings and patterns as JavaScript writes them.
extension Lexer {
    /// Digits, with a fraction and an exponent if there are some, or `0x` and digits.
    mutating func realtimeNumber() throws(RulesError) -> Token.Kind {
        let start = offset
        if peek() == UInt8(ascii: "0"), (peek(1) ?? 0) | 0x20 == UInt8(ascii: "x") {
            return try hexadecimal()
        }
        var text = take(while: Self.isDigit)
        if text.utf8.count > 1, text.hasPrefix("0") {
            throw error("a number may not begin with 0 and another digit", at: start)
        }
        var isWhole = true
        if skip(UInt8(ascii: ".")) {
            isWhole = false
            text = (text.isEmpty ? "0" : text) + "." + take(while: Self.isDigit)
            if text.hasSuffix(".") { text += "0" }
        }
        if let exponent = try exponent() {
            isWhole = false
            text += exponent
        }
        try expectEndOfNumber()
        if isWhole, let number = Int64(text) { return .integer(number) }
        guard let number = Double(text), number.isFinite else {
            throw error("this number is too large", at: start)
        }
        return .float(number)
    }

    private mutating func hexadecimal() throws(RulesError) -> Token.Kind {
        let start = offset
        move(to: offset + 2)
        let digits = take { Character(Unicode.Scalar($0)).isHexDigit }
        try expectEndOfNumber()
        guard let number = Int64(digits, radix: 16) else {
            throw error("this is no hexadecimal number of 63 bits", at: start)
        }
        return .integer(number)
    }

    private mutating func exponent() throws(RulesError) -> String? {
        guard let byte = peek(), byte | 0x20 == UInt8(ascii: "e") else { return nil }
        let start = offset
        move(to: offset + 1)
        let isNegative = skip(UInt8(ascii: "-"))
        if !isNegative { _ = skip(UInt8(ascii: "+")) }
        let digits = take(while: Self.isDigit)
        guard !digits.isEmpty else { throw error("an exponent needs digits", at: start) }
        return (isNegative ? "e-" : "e") + digits
    }

    private func expectEndOfNumber() throws(RulesError) {
        guard let byte = peek(), Self.beginsName(byte) || byte == UInt8(ascii: "$") else { return }
        throw error("a number may not be followed by a letter", at: offset)
    }

    /// What follows a backslash in a string. A letter that means nothing special stands for itself.
    mutating func realtimeEscape(into result: inout [UInt8]) throws(RulesError) {
        let start = offset - 1
        guard let byte = peek() else { return }
        move(to: offset + 1)
        switch byte {
        case UInt8(ascii: "n"): result.append(0x0A)
        case UInt8(ascii: "r"): result.append(0x0D)
        case UInt8(ascii: "t"): result.append(0x09)
        case UInt8(ascii: "b"): result.append(0x08)
        case UInt8(ascii: "f"): result.append(0x0C)
        case UInt8(ascii: "v"): result.append(0x0B)
        case UInt8(ascii: "0"): result.append(0x00)
        case UInt8(ascii: "x"): Self.append(try code(2, radix: 16, at: start), to: &result)
        case UInt8(ascii: "u"): Self.append(try utf16(at: start), to: &result)
        case UInt8(ascii: "\n"): throw error("this string has no end on its line", at: start)
        default: result.append(byte)
        }
    }

    /// Reads what follows `\u`: one unit of UTF-16, or a pair. A lone half becomes U+FFFD.
    mutating func utf16(at start: Int) throws(RulesError) -> UInt32 {
        let first = try code(4, radix: 16, at: start)
        guard (0xD800..<0xDC00).contains(first), peek() == UInt8(ascii: "\\"),
            peek(1) == UInt8(ascii: "u")
        else { return first }
        let middle = offset
        move(to: offset + 2)
        let second = try code(4, radix: 16, at: middle)
        guard (0xDC00..<0xE000).contains(second) else {
            move(to: middle)
            return first
        }
        return 0x10000 + (first - 0xD800) << 10 + (second - 0xDC00)
    }

    /// Adds a character; what is none becomes U+FFFD.
    static func append(_ code: UInt32, to result: inout [UInt8]) {
        result += Array(String(Character(Unicode.Scalar(code) ?? "\u{FFFD}")).utf8)
    }

    /// Reads `/pattern/flags` from where a slash stands. A slash in a set does not end it.
    mutating func pattern(at start: Int) throws(RulesError) -> (text: String, flags: String) {
        move(to: start + 1)
        var isInSet = false
        while let byte = peek() {
            switch byte {
            case UInt8(ascii: "\n"): throw error("this pattern has no end on its line", at: start)
            case UInt8(ascii: "\\"): move(to: offset + 1)
            case UInt8(ascii: "["): isInSet = true
            case UInt8(ascii: "]"): isInSet = false
            case UInt8(ascii: "/") where !isInSet:
                let text = String(decoding: bytes[(start + 1)..<offset], as: UTF8.self)
                move(to: offset + 1)
                return (text, take { Self.beginsName($0) || Self.isDigit($0) })
            default: break
            }
            move(to: min(offset + 1, bytes.count))
        }
        throw error("this pattern has no end", at: start)
    }
}
