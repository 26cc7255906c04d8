import HearthModel

/// One token after the other.
extension Parser {
    /// Where the next token begins.
    var position: SourcePosition { lexer.position(of: token.offset) }

    /// A complaint about the next token.
    func error(_ reason: String) -> RulesError { RulesError(reason, at: position) }

    /// Passes the next token.
    mutating func advance() throws(RulesError) {
        if !token.isBracket { end = lexer.offset }
        token = try lexer.next()
    }

    /// Passes a sign, if it comes next.
    mutating func take(_ sign: Token.Sign) throws(RulesError) -> Bool {
        guard token.kind == .sign(sign) else { return false }
        try advance()
        return true
    }

    /// Passes a sign that must come next.
    mutating func expect(_ sign: Token.Sign) throws(RulesError) {
        guard try take(sign) else {
            throw error("expected \"\(sign.rawValue)\", found \(token.text)")
        }
    }

    /// Whether a word comes next.
    func isWord(_ word: String) -> Bool {
        if case .name(let name) = token.kind { return utf8Equals(name, word) }
        return false
    }

    /// Passes a word, if it comes next.
    mutating func takeWord(_ word: String) throws(RulesError) -> Bool {
        guard isWord(word) else { return false }
        try advance()
        return true
    }

    /// Words that cannot name anything.
    private static var reserved: Set<String> {
        [
            "allow", "false", "function", "if", "in", "is", "let", "match", "null", "return",
            "service", "true",
        ]
    }

    /// Reads a name that the source chooses.
    mutating func readName() throws(RulesError) -> String {
        guard case .name(let name) = token.kind, !Self.reserved.contains(name) else {
            throw error("expected a name, found \(token.text)")
        }
        try advance()
        return name
    }

    /// Reads the bytes of one segment of a path, which may be none.
    ///
    /// A segment may stand in brackets, as `(default)` does.
    mutating func readSegment() throws(RulesError) -> String {
        let start = lexer.offset
        if lexer.skip(UInt8(ascii: "(")) {
            let name = lexer.take(while: Self.isSegmentByte)
            guard lexer.skip(UInt8(ascii: ")")) else {
                throw lexer.error("expected \")\" after this name", at: start)
            }
            return "(\(name))"
        }
        return lexer.take(while: Self.isSegmentByte)
    }

    private static func isSegmentByte(_ byte: UInt8) -> Bool {
        Lexer.beginsName(byte) || Lexer.isDigit(byte) || byte >= 0x80
            || "-.%~@".utf8.contains(byte)
    }
}
