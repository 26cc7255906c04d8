import HearthModel

/// A reader of tokens, one after another.
protocol TokenReader {
    var lexer: Lexer { get set }
    /// The next token.
    var token: Token { get set }
    /// Behind the last token that was passed; in Firestore's dialect brackets do not count.
    var end: Int { get set }
}

extension TokenReader {
    /// Where the next token begins.
    var position: SourcePosition { lexer.position(of: token.offset) }

    /// A complaint about the next token.
    func error(_ reason: String) -> RulesError { RulesError(reason, at: position) }

    /// Passes the next token.
    mutating func advance() throws(RulesError) {
        if lexer.dialect == .realtime || !token.isBracket { end = lexer.offset }
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
}
