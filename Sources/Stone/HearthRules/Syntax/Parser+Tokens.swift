import HearthModel

/// Names and segments.
extension Parser {
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
