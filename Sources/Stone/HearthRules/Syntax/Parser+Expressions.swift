import HearthModel

/// Conditions, by precedence: `? :`, `||`, `&&`, `in`, other relations, sums, products, signs, members.
extension Parser {
    /// Reads an expression.
    mutating func readExpression() throws(RulesError) -> Expression {
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

    private mutating func readDisjunction() throws(RulesError) -> Expression {
        let start = token.offset
        var operands = [try readConjunction()]
        while try take(.or) { operands.append(try readConjunction()) }
        return operands.count == 1 ? operands[0] : try make(.any(operands), at: start)
    }

    private mutating func readConjunction() throws(RulesError) -> Expression {
        let start = token.offset
        var operands = [try readMembership()]
        while try take(.and) { operands.append(try readMembership()) }
        return operands.count == 1 ? operands[0] : try make(.all(operands), at: start)
    }

    private mutating func readMembership() throws(RulesError) -> Expression {
        let start = token.offset
        var left = try readRelation()
        while try takeWord("in") {
            left = try make(.binary(.isIn, left, try readRelation()), at: start)
        }
        return left
    }

    private mutating func readRelation() throws(RulesError) -> Expression {
        let start = token.offset
        var left = try readSum()
        while true {
            if try takeWord("is") {
                left = try make(.isType(left, try readTypeName()), at: start)
            } else if let op = relation {
                try advance()
                left = try make(.binary(op, left, try readSum()), at: start)
            } else {
                return left
            }
        }
    }

    private var relation: Expression.Operator? {
        switch token.kind {
        case .sign(.equal): .equal
        case .sign(.notEqual): .notEqual
        case .sign(.less): .less
        case .sign(.lessOrEqual): .lessOrEqual
        case .sign(.greater): .greater
        case .sign(.greaterOrEqual): .greaterOrEqual
        case .name, .integer, .float, .string, .bytes, .sign, .end: nil
        }
    }

    /// The types that `is` knows.
    private static let typeNames = [
        "bool", "bytes", "constraint", "duration", "float", "int", "latlng", "list", "map",
        "map_diff", "number", "path", "set", "string", "timestamp", "vector",
    ]

    private mutating func readTypeName() throws(RulesError) -> String {
        guard case .name(let name) = token.kind, Self.typeNames.contains(name) else {
            throw error(
                "expected a type, one of \(Self.typeNames.joined(separator: ", ")), found "
                    + token.text)
        }
        try advance()
        return name
    }

    private mutating func readSum() throws(RulesError) -> Expression {
        let start = token.offset
        var left = try readProduct()
        while true {
            let op: Expression.Operator
            switch token.kind {
            case .sign(.plus): op = .add
            case .sign(.minus): op = .subtract
            default: return left
            }
            try advance()
            left = try make(.binary(op, left, try readProduct()), at: start)
        }
    }

    private mutating func readProduct() throws(RulesError) -> Expression {
        let start = token.offset
        var left = try readSigned()
        while true {
            let op: Expression.Operator
            switch token.kind {
            case .sign(.times): op = .multiply
            case .sign(.slash): op = .divide
            case .sign(.percent): op = .remainder
            default: return left
            }
            try advance()
            left = try make(.binary(op, left, try readSigned()), at: start)
        }
    }

    private mutating func readSigned() throws(RulesError) -> Expression {
        let start = token.offset
        var signs: [Token.Sign] = []
        while token.kind == .sign(.not) || token.kind == .sign(.minus) {
            if case .sign(let sign) = token.kind { signs.append(sign) }
            guard signs.count <= RulesLimits.nestingMax else { throw error("too many signs") }
            try advance()
        }
        var operand = try readMembers()
        for sign in signs.reversed() {
            operand = try make(sign == .not ? .not(operand) : .negate(operand), at: start)
        }
        return operand
    }

    private mutating func readMembers() throws(RulesError) -> Expression {
        let start = token.offset
        var base = try readPrimary()
        while true {
            if try take(.dot) {
                let name = try readName()
                if try take(.openParenthesis) {
                    let arguments = try readList(until: .closeParenthesis)
                    try checkPattern(name, arguments)
                    base = try make(.method(base, name, arguments), at: start)
                } else {
                    base = try make(.member(base, name), at: start)
                }
            } else if try take(.openBracket) {
                base = try make(try readIndex(of: base), at: start)
            } else {
                return base
            }
        }
    }

    /// A pattern that is written down is checked before anybody asks.
    private func checkPattern(_ name: String, _ arguments: [Expression]) throws(RulesError) {
        guard ["matches", "split", "replace"].contains(name), let first = arguments.first,
            case .literal(.string(let text)) = first.kind
        else { return }
        do {
            _ = try Pattern(text)
        } catch {
            throw RulesError("\(error)", at: first.position)
        }
    }

    private mutating func readIndex(of base: Expression) throws(RulesError) -> Expression.Kind {
        if try take(.colon) {
            let end = token.kind == .sign(.closeBracket) ? nil : try readExpression()
            try expect(.closeBracket)
            return .range(base, nil, end)
        }
        let start = try readExpression()
        guard try take(.colon) else {
            try expect(.closeBracket)
            return .index(base, start)
        }
        let end = token.kind == .sign(.closeBracket) ? nil : try readExpression()
        try expect(.closeBracket)
        return .range(base, start, end)
    }

    private mutating func readList(until end: Token.Sign) throws(RulesError) -> [Expression] {
        var elements: [Expression] = []
        while token.kind != .sign(end) {
            elements.append(try readExpression())
            guard try take(.comma) else { break }
        }
        try expect(end)
        return elements
    }

    private mutating func readPrimary() throws(RulesError) -> Expression {
        let start = token.offset
        switch token.kind {
        case .integer(let number): return try readLiteral(.integer(number))
        case .float(let number): return try readLiteral(.float(number))
        case .string(let text): return try readLiteral(.string(text))
        case .bytes(let bytes): return try readLiteral(.bytes(bytes))
        case .name("true"): return try readLiteral(.boolean(true))
        case .name("false"): return try readLiteral(.boolean(false))
        case .name("null"): return try readLiteral(.null)
        case .name: return try readNameOrCall()
        case .sign(.slash): return try make(.path(try readPath()), at: start)
        case .sign(.openParenthesis):
            try advance()
            let inner = try readExpression()
            try expect(.closeParenthesis)
            return inner.bracketed(from: start)
        case .sign(.openBracket):
            try advance()
            return try make(.list(try readList(until: .closeBracket)), at: start)
        case .sign(.openBrace):
            try advance()
            return try make(.map(try readEntries()), at: start)
        case .sign, .end:
            throw error("expected an expression, found \(token.text)")
        }
    }

    private mutating func readLiteral(_ value: RuleValue) throws(RulesError) -> Expression {
        let start = token.offset
        try advance()
        return try make(.literal(value), at: start)
    }

    private mutating func readNameOrCall() throws(RulesError) -> Expression {
        let start = token.offset
        let name = try readName()
        guard try take(.openParenthesis) else { return try make(.name(name), at: start) }
        return try make(.call(name, try readList(until: .closeParenthesis)), at: start)
    }

    private mutating func readEntries() throws(RulesError) -> [(key: Expression, value: Expression)]
    {
        var entries: [(key: Expression, value: Expression)] = []
        while token.kind != .sign(.closeBrace) {
            let key = try readExpression()
            try expect(.colon)
            entries.append((key, try readExpression()))
            guard try take(.comma) else { break }
        }
        try expect(.closeBrace)
        return entries
    }

    /// Reads a path from the bytes of the source, since white space ends it.
    private mutating func readPath() throws(RulesError) -> [Expression.PathPart] {
        var parts: [Expression.PathPart] = []
        lexer.move(to: token.offset)
        while lexer.skip(UInt8(ascii: "/")) {
            let start = lexer.offset
            guard lexer.skip(UInt8(ascii: "$")) else {
                let text = try readSegment()
                guard !text.isEmpty else {
                    throw lexer.error("expected a name or $(a value) after \"/\"", at: start)
                }
                parts.append(.segment(text))
                continue
            }
            try advance()
            try expect(.openParenthesis)
            parts.append(.value(try readExpression()))
            guard token.kind == .sign(.closeParenthesis) else {
                throw error("expected \")\", found \(token.text)")
            }
            // The lexer stands right behind the bracket, where the path goes on.
        }
        let end = lexer.offset
        try advance()
        self.end = end
        return parts
    }

    /// Mutating, so that the caller reads all parts of the kind before `make` looks at `end`.
    private mutating func make(
        _ kind: Expression.Kind, at start: Int
    ) throws(RulesError) -> Expression {
        let position = lexer.position(of: start)
        // Of empty brackets only the first is told.
        let inner = kind.operands.lazy.map(\.range.end).max() ?? 0
        let range = SourceRange(start: start, end: max(start + 1, end, inner))
        let expression = Expression(kind, at: position, in: range)
        guard expression.height <= RulesLimits.heightMax else {
            throw RulesError(
                "more than \(RulesLimits.heightMax) expressions lie inside each other",
                at: position)
        }
        return expression
    }
}
