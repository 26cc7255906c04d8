import HearthModel

/// Cuts a source into words and signs, one at a time: what a slash means, only the parser knows.
struct Lexer: Sendable {
    /// Whose language the source is in.
    enum Dialect: Sendable {
        /// Firestore's: much of CEL.
        case firestore
        /// The Realtime Database's: much of JavaScript.
        case realtime
    }

    let dialect: Dialect
    let bytes: [UInt8]
    private let lines: SourceLines
    /// Where each byte stands in the whole source, if this is a text within one.
    private let places: [Int]?
    /// Where the next token is looked for.
    private(set) var offset = 0

    /// Begins at the start.
    ///
    /// - Throws: `RulesError` if the source is too long.
    init(_ source: String, dialect: Dialect = .firestore) throws(RulesError) {
        let bytes = Array(source.utf8)
        self.bytes = bytes
        self.dialect = dialect
        places = nil
        lines = SourceLines(bytes)
        guard bytes.count <= RulesLimits.sourceByteCountMax else {
            throw RulesError(
                "the source has \(bytes.count) bytes, more than "
                    + "\(RulesLimits.sourceByteCountMax)", at: SourcePosition(line: 1, column: 1))
        }
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { offset = 3 }
    }

    /// Begins at the start of a text that stands in a source, whose lines and columns errors name.
    init(_ text: QuotedText, in outer: Lexer) {
        dialect = outer.dialect
        bytes = text.bytes
        places = text.places
        lines = outer.lines
    }

    /// Where an offset is in the whole source.
    func place(of offset: Int) -> Int { places.map { $0[offset] } ?? offset }

    /// The line and column of an offset. O(log n).
    func position(of offset: Int) -> SourcePosition { lines.position(of: place(of: offset)) }

    /// The line and column of a place in the whole source. O(log n).
    func position(ofPlace place: Int) -> SourcePosition { lines.position(of: place) }

    /// The next token.
    mutating func next() throws(RulesError) -> Token {
        try skipSpace()
        let start = offset
        guard let byte = peek() else { return Token(kind: .end, offset: start) }
        if beginsName(byte) {
            if let kind = try quoted(afterPrefix: byte) { return Token(kind: kind, offset: start) }
            return Token(kind: .name(name()), offset: start)
        }
        let isNumber =
            Self.isDigit(byte)
            || byte == UInt8(ascii: ".") && (peek(1).map(Self.isDigit) ?? false)
        if isNumber { return Token(kind: try number(), offset: start) }
        if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
            return Token(kind: .string(try string()), offset: start)
        }
        for sign in dialect.signs
        where bytes[offset...].starts(with: sign.rawValue.utf8) {
            offset += sign.rawValue.utf8.count
            return Token(kind: .sign(sign), offset: start)
        }
        throw error("this character means nothing here", at: start)
    }

    /// Goes on reading at another place.
    mutating func move(to offset: Int) {
        self.offset = offset
    }

    /// The byte at a distance from the next, if there is one.
    func peek(_ distance: Int = 0) -> UInt8? {
        offset + distance < bytes.count ? bytes[offset + distance] : nil
    }

    /// Takes the bytes that pass a test.
    mutating func take(while passes: (UInt8) -> Bool) -> String {
        let start = offset
        while let byte = peek(), passes(byte) { offset += 1 }
        return String(decoding: bytes[start..<offset], as: UTF8.self)
    }

    /// Passes one byte, if it comes next.
    mutating func skip(_ byte: UInt8) -> Bool {
        guard peek() == byte else { return false }
        offset += 1
        return true
    }

    /// Passes white space and comments.
    mutating func skipSpace() throws(RulesError) {
        while let byte = peek() {
            if byte == 0x20 || (0x09...0x0D).contains(byte) {
                offset += 1
            } else if byte == UInt8(ascii: "/"), peek(1) == UInt8(ascii: "/") {
                while let byte = peek(), byte != UInt8(ascii: "\n") { offset += 1 }
            } else if byte == UInt8(ascii: "/"), peek(1) == UInt8(ascii: "*") {
                try skipComment()
            } else {
                return
            }
        }
    }

    func error(_ reason: String, at offset: Int) -> RulesError {
        RulesError(reason, at: position(of: offset))
    }

    static func beginsName(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) || byte == UInt8(ascii: "_")
    }

    static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    private mutating func skipComment() throws(RulesError) {
        let start = offset
        offset += 2
        while offset < bytes.count {
            if peek() == UInt8(ascii: "*"), peek(1) == UInt8(ascii: "/") {
                offset += 2
                return
            }
            offset += 1
        }
        throw error("this comment has no end", at: start)
    }

    /// Whether a name of the dialect begins so.
    private func beginsName(_ byte: UInt8) -> Bool {
        Self.beginsName(byte) || dialect == .realtime && byte == UInt8(ascii: "$")
    }

    private mutating func name() -> String {
        let isRealtime = dialect == .realtime
        return take {
            Self.beginsName($0) || Self.isDigit($0) || isRealtime && $0 == UInt8(ascii: "$")
        }
    }

    /// A string of bytes: `b'...'`.
    private mutating func quoted(afterPrefix byte: UInt8) throws(RulesError) -> Token.Kind? {
        guard dialect == .firestore, byte | 0x20 == UInt8(ascii: "b"), let quote = peek(1),
            quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'")
        else { return nil }
        offset += 1
        return .bytes(try content(isText: false))
    }

    private mutating func number() throws(RulesError) -> Token.Kind {
        if dialect == .realtime { return try realtimeNumber() }
        let start = offset
        var text = take(while: Self.isDigit)
        var isFloat = false
        if peek() == UInt8(ascii: "."), let digit = peek(1), Self.isDigit(digit) {
            isFloat = true
            offset += 1
            text += "." + take(while: Self.isDigit)
        }
        if let byte = peek(), Self.beginsName(byte) {
            throw error("a number may not be followed by a letter", at: offset)
        }
        if isFloat, let number = Double(text.hasPrefix(".") ? "0\(text)" : text) {
            return .float(number)
        }
        guard !isFloat, let number = Int64(text) else {
            throw error("this is no whole number of 64 bits", at: start)
        }
        return .integer(number)
    }

    private mutating func string() throws(RulesError) -> String {
        let start = offset
        guard
            let text = String(
                validating: try content(isText: true), as: UTF8.self)
        else { throw error("this string is not UTF-8", at: start) }
        return text
    }

    private mutating func content(isText: Bool) throws(RulesError) -> [UInt8] {
        let start = offset
        let quote = bytes[offset]
        offset += 1
        var result: [UInt8] = []
        while let byte = peek() {
            offset += 1
            switch byte {
            case quote: return result
            case UInt8(ascii: "\n"): throw error("this string has no end on its line", at: start)
            case UInt8(ascii: "\\") where dialect == .realtime: try realtimeEscape(into: &result)
            case UInt8(ascii: "\\"): try escape(into: &result, isText: isText)
            default: result.append(byte)
            }
        }
        throw error("this string has no end", at: start)
    }

    private mutating func escape(into result: inout [UInt8], isText: Bool) throws(RulesError) {
        let start = offset - 1
        guard let byte = peek() else { return }
        offset += 1
        switch byte {
        case UInt8(ascii: "n"): result.append(0x0A)
        case UInt8(ascii: "r"): result.append(0x0D)
        case UInt8(ascii: "t"): result.append(0x09)
        case UInt8(ascii: "a"): result.append(0x07)
        case UInt8(ascii: "b"): result.append(0x08)
        case UInt8(ascii: "f"): result.append(0x0C)
        case UInt8(ascii: "v"): result.append(0x0B)
        case UInt8(ascii: "x"):
            try append(try code(2, radix: 16, at: start), to: &result, isText, at: start)
        case UInt8(ascii: "u"):
            try append(try code(4, radix: 16, at: start), to: &result, true, at: start)
        case UInt8(ascii: "U"):
            try append(try code(8, radix: 16, at: start), to: &result, true, at: start)
        case UInt8(ascii: "0")...UInt8(ascii: "3"):
            offset -= 1
            try append(try code(3, radix: 8, at: start), to: &result, isText, at: start)
        case UInt8(ascii: "\n"): throw error("this string has no end on its line", at: start)
        default: result.append(byte)
        }
    }

    /// Reads a number of digits.
    mutating func code(
        _ count: Int, radix: Int, at start: Int
    ) throws(RulesError) -> UInt32 {
        let end = min(offset + count, bytes.count)
        let digits = String(decoding: bytes[offset..<end], as: UTF8.self)
        guard digits.utf8.count == count, !digits.hasPrefix("+"), !digits.hasPrefix("-"),
            let number = UInt32(digits, radix: radix)
        else { throw error("this escape needs \(count) digits", at: start) }
        offset = end
        return number
    }

    private func append(
        _ code: UInt32, to result: inout [UInt8], _ isScalar: Bool, at start: Int
    ) throws(RulesError) {
        guard isScalar else {
            result.append(UInt8(truncatingIfNeeded: code))
            return
        }
        guard let scalar = Unicode.Scalar(code) else {
            throw error("this escape is no character of Unicode", at: start)
        }
        result.append(contentsOf: String(Character(scalar)).utf8)
    }
}
