import HearthModel

/// Reads a rule of the Realtime Database: one expression of JavaScript, without what changes anything.
///
/// Every call that goes down a level counts `depth`, so no source can exhaust the stack.
struct RealtimeParser: TokenReader, Sendable {
    var lexer: Lexer
    var token: Token
    var end = 0
    private var depth = 0

    /// Reads the content of a string of a file.
    ///
    /// - Throws: `RulesError` at the first thing that is wrong.
    static func parse(_ text: QuotedText, in file: Lexer) throws(RulesError) -> RealtimeSyntax {
        var parser = try RealtimeParser(Lexer(text, in: file))
        let syntax = try parser.readExpression()
        if try parser.take(.semicolon), parser.token.kind != .end {
            throw parser.error("a rule is one expression, and nothing may follow it")
        }
        guard parser.token.kind == .end else { throw parser.unexpected() }
        return syntax
    }

    private init(_ lexer: Lexer) throws(RulesError) {
        self.lexer = lexer
        token = try self.lexer.next()
    }

    private func unexpected() -> RulesError {
        if token.kind == .sign(.assign) {
            return error("a rule may not assign; compare with \"==\" or \"===\"")
        }
        return error("expected an operator or the end of the rule, found \(token.text)")
    }

    private mutating func readExpression() throws(RulesError) -> RealtimeSyntax {
        depth += 1
        defer { depth -= 1 }
        guard depth <= RulesLimits.nestingMax else {
            throw error("the expression nests deeper than \(RulesLimits.nestingMax)")
        }
        let start = token.offset
        let test = try readDisjunction()
        guard try take(.question) else { return test }
        let first = try readExpression()
        try expect(.colon)
        let second = try readExpression()
        return try make(.conditional(test, first, second), at: start)
    }

    private mutating func readDisjunction() throws(RulesError) -> RealtimeSyntax {
        let start = token.offset
        var operands = [try readConjunction()]
        while try take(.or) { operands.append(try readConjunction()) }
        return operands.count == 1 ? operands[0] : try make(.any(operands), at: start)
    }

    private mutating func readConjunction() throws(RulesError) -> RealtimeSyntax {
        let start = token.offset
        var operands = [try readBinary(0)]
        while try take(.and) { operands.append(try readBinary(0)) }
        return operands.count == 1 ? operands[0] : try make(.all(operands), at: start)
    }

    /// Reads a chain of operators that bind as tightly as a level, or more.
    private mutating func readBinary(_ level: Int) throws(RulesError) -> RealtimeSyntax {
        let start = token.offset
        guard level <= RealtimeOperator.multiply.precedence else { return try readSigned() }
        var left = try readBinary(level + 1)
        while case .sign(let sign) = token.kind, let op = RealtimeOperator(sign),
            op.precedence == level
        {
            try advance(past: sign)
            left = try make(.binary(op, left, try readBinary(level + 1)), at: start)
        }
        return left
    }

    private mutating func readSigned() throws(RulesError) -> RealtimeSyntax {
        var signs: [(sign: Token.Sign, start: Int)] = []
        while case .sign(let sign) = token.kind, sign == .not || sign == .minus {
            signs.append((sign, token.offset))
            guard signs.count <= RulesLimits.nestingMax else { throw error("too many signs") }
            try advance(past: sign)
        }
        var operand = try readMembers()
        for (sign, start) in signs.reversed() {
            operand = try make(sign == .not ? .not(operand) : .negate(operand), at: start)
        }
        return operand
    }

    /// Passes a sign. Two of `-` at once would change something.
    private mutating func advance(past sign: Token.Sign) throws(RulesError) {
        let start = token.offset
        try advance()
        if sign == .minus, token.kind == .sign(.minus), token.offset == start + 1 {
            throw error("a rule may not change anything by \"--\"")
        }
    }

    private mutating func readMembers() throws(RulesError) -> RealtimeSyntax {
        let start = token.offset
        var base = try readPrimary()
        while true {
            if try take(.dot) {
                guard case .name(let name) = token.kind else {
                    throw error("expected a name after \".\", found \(token.text)")
                }
                try advance()
                base = try make(.member(base, name), at: start)
            } else if try take(.openBracket) {
                let key = try readExpression()
                try expect(.closeBracket)
                base = try make(.index(base, key), at: start)
            } else if try take(.openParenthesis) {
                let arguments = try readList(until: .closeParenthesis)
                base = try make(.call(base, arguments), at: start)
            } else {
                return base
            }
        }
    }

    private mutating func readList(until end: Token.Sign) throws(RulesError) -> [RealtimeSyntax] {
        var elements: [RealtimeSyntax] = []
        if try take(end) { return elements }
        repeat { elements.append(try readExpression()) } while try take(.comma)
        try expect(end)
        return elements
    }

    private mutating func readPrimary() throws(RulesError) -> RealtimeSyntax {
        let start = token.offset
        switch token.kind {
        case .integer(let number): return try readLiteral(.integer(number))
        case .float(let number): return try readLiteral(.double(number))
        case .string(let text): return try readLiteral(.string(text))
        case .name("true"): return try readLiteral(.boolean(true))
        case .name("false"): return try readLiteral(.boolean(false))
        case .name("null"): return try readLiteral(.null)
        case .name(let name):
            try advance()
            return try make(.name(name), at: start)
        case .sign(.slash): return try readPattern()
        case .sign(.openParenthesis):
            try advance()
            let inner = try readExpression()
            try expect(.closeParenthesis)
            return inner
        case .sign(.openBracket):
            try advance()
            return try make(.list(try readList(until: .closeBracket)), at: start)
        case .bytes, .sign, .end:
            throw error("expected an expression, found \(token.text)")
        }
    }

    private mutating func readLiteral(
        _ value: RealtimeRuleValue
    ) throws(RulesError) -> RealtimeSyntax {
        let start = token.offset
        try advance()
        return try make(.literal(value), at: start)
    }

    /// Reads a pattern from where its slash stands, since only here a slash begins one.
    private mutating func readPattern() throws(RulesError) -> RealtimeSyntax {
        let start = token.offset
        let (text, flags) = try lexer.pattern(at: start)
        guard flags.isEmpty || flags == "i" else {
            throw error("the flags \"\(flags)\" are not supported; a pattern may have \"i\" only")
        }
        let pattern: Pattern
        do throws(PatternError) {
            pattern = try Pattern(realtime: text, foldsCase: !flags.isEmpty)
        } catch {
            throw self.error("\(error)")
        }
        try advance()
        return try make(.pattern(pattern), at: start)
    }

    /// Mutating, so that the caller reads all parts of the kind before `make` looks at `end`.
    private mutating func make(
        _ kind: RealtimeSyntax.Kind, at start: Int
    ) throws(RulesError) -> RealtimeSyntax {
        let range = SourceRange(start: lexer.place(of: start), end: lexer.place(of: end))
        let syntax = RealtimeSyntax(kind, in: range)
        guard syntax.height <= RulesLimits.heightMax else {
            throw RulesError(
                "more than \(RulesLimits.heightMax) expressions lie inside each other",
                at: lexer.position(of: start))
        }
        return syntax
    }
}
