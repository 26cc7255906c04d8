import HearthModel

/// Reads a source into a tree.
///
///     source   = [rules_version = STRING [;]] (function | service)*
///     service  = service cloud.firestore { (function | match)* }
///     match    = match PATH { (function | match | allow)* }
///     allow    = allow METHOD (, METHOD)* [: if EXPRESSION] [;]
///     function = function NAME (NAME, ...) { (let NAME = EXPRESSION ;)* return EXPRESSION [;] }
///
/// Every call that goes down a level counts `depth`, so no source can exhaust the stack.
struct Parser: TokenReader, Sendable {
    var lexer: Lexer
    var token: Token
    var depth = 0
    /// Behind the last token that was passed and is no bracket.
    var end = 0
    private var tree = RuleTree()

    /// Reads a source.
    ///
    /// - Throws: `RulesError` at the first thing that is wrong.
    static func parse(_ source: String) throws(RulesError) -> RuleTree {
        var parser = try Parser(source)
        try parser.readSource()
        return parser.tree
    }

    private init(_ source: String) throws(RulesError) {
        lexer = try Lexer(source)
        token = try lexer.next()
    }

    private mutating func readSource() throws(RulesError) {
        let root = addBlock(parent: nil, pattern: [], at: position)
        if try takeWord("rules_version") { try readVersion() }
        var hasService = false
        while token.kind != .end {
            if isWord("function") {
                try readFunction(in: root)
            } else if isWord("service") {
                if hasService { throw error("a source has one service") }
                hasService = true
                try readService(in: root)
            } else {
                throw error("expected \"service\" or \"function\", found \(token.text)")
            }
        }
        guard hasService else {
            throw error("the source must have a \"service cloud.firestore { ... }\"")
        }
    }

    private mutating func readVersion() throws(RulesError) {
        try expect(.assign)
        guard case .string(let version) = token.kind else {
            throw error("expected the version as a string, found \(token.text)")
        }
        switch version {
        case "1": tree.version = 1
        case "2": tree.version = 2
        default: throw error("the version must be '1' or '2'")
        }
        try advance()
        _ = try take(.semicolon)
    }

    private mutating func readService(in root: RuleTree.BlockID) throws(RulesError) {
        try advance()
        let start = position
        let product = try readName()
        try expect(.dot)
        let name = try readName()
        guard utf8Equals(product, "cloud"), utf8Equals(name, "firestore") else {
            throw RulesError(
                "only the service cloud.firestore has rules here, not \(product).\(name)",
                at: start)
        }
        let service = addBlock(parent: root, pattern: [], at: start)
        tree.blocks[root].children.append(service)
        try readBody(of: service, holdsAllows: false)
    }

    private mutating func readBody(
        of block: RuleTree.BlockID, holdsAllows: Bool
    ) throws(RulesError) {
        try expect(.openBrace)
        let start = position
        var count = 0
        while !(try take(.closeBrace)) {
            count += 1
            if isWord("function") {
                try readFunction(in: block)
            } else if isWord("match") {
                try readMatch(in: block)
            } else if holdsAllows, isWord("allow") {
                try readAllow(in: block)
            } else {
                let words = holdsAllows ? "\"allow\", \"match\"" : "\"match\""
                throw error("expected \(words), \"function\" or \"}\", found \(token.text)")
            }
        }
        guard count > 0 || !holdsAllows else {
            throw RulesError("a match must hold at least one statement", at: start)
        }
    }

    private mutating func readMatch(in parent: RuleTree.BlockID) throws(RulesError) {
        let start = position
        depth += 1
        defer { depth -= 1 }
        guard depth <= RulesLimits.matchDepthMax else {
            throw error("more than \(RulesLimits.matchDepthMax) matches lie inside each other")
        }
        // The path is read from where the word has ended, since no token holds it.
        let pattern = try readPattern()
        let block = addBlock(parent: parent, pattern: pattern, at: start)
        tree.blocks[parent].children.append(block)
        try checkPattern(of: block, at: start)
        try readBody(of: block, holdsAllows: true)
    }

    private mutating func readPattern() throws(RulesError) -> [RuleTree.PatternSegment] {
        try lexer.skipSpace()
        guard lexer.peek() == UInt8(ascii: "/") else {
            throw lexer.error("expected a path that begins with \"/\"", at: lexer.offset)
        }
        var pattern: [RuleTree.PatternSegment] = []
        while lexer.skip(UInt8(ascii: "/")) { pattern.append(try readPatternSegment()) }
        try advance()
        return pattern
    }

    private mutating func readPatternSegment() throws(RulesError) -> RuleTree.PatternSegment {
        let start = lexer.offset
        guard lexer.skip(UInt8(ascii: "{")) else {
            let text = try readSegment()
            guard !text.isEmpty else {
                throw lexer.error("expected a name or {a variable} after \"/\"", at: start)
            }
            return .literal(UTF8Text(text))
        }
        let name = lexer.take { Lexer.beginsName($0) || Lexer.isDigit($0) }
        guard let first = name.utf8.first, Lexer.beginsName(first) else {
            throw lexer.error("expected the name of a variable after \"{\"", at: lexer.offset)
        }
        var stars = 0
        if lexer.skip(UInt8(ascii: "=")) {
            while stars < 2, lexer.skip(UInt8(ascii: "*")) { stars += 1 }
            if stars == 0 { throw lexer.error("expected \"*\" or \"**\"", at: lexer.offset) }
        }
        guard lexer.skip(UInt8(ascii: "}")) else {
            throw lexer.error("expected \"}\" after the variable", at: lexer.offset)
        }
        return stars == 2 ? .many(name) : .one(name)
    }

    private mutating func checkPattern(
        of block: RuleTree.BlockID, at start: SourcePosition
    ) throws(RulesError) {
        let pattern = tree.blocks[block].pattern
        var segments: [RuleTree.PatternSegment] = []
        var next: RuleTree.BlockID? = block
        while let id = next {
            segments = tree.blocks[id].pattern + segments
            next = tree.blocks[id].parent
        }
        guard segments.count <= RulesLimits.pathSegmentCountMax else {
            throw RulesError(
                "the path has more than \(RulesLimits.pathSegmentCountMax) segments", at: start)
        }
        guard segments.count(where: \.isCapture) <= RulesLimits.captureCountMax else {
            throw RulesError(
                "the path binds more than \(RulesLimits.captureCountMax) variables", at: start)
        }
        guard pattern.count(where: \.isMany) <= 1 else {
            throw RulesError("a path may hold one {x=**} only", at: start)
        }
        if tree.version == 1, pattern.dropLast().contains(where: \.isMany) {
            throw RulesError(
                "{x=**} must come last in version '1'; rules_version = '2' allows it anywhere",
                at: start)
        }
    }

    private mutating func readAllow(in block: RuleTree.BlockID) throws(RulesError) {
        let start = position
        try advance()
        var methods: Set<RuleMethod> = []
        repeat {
            let place = position
            let word = try readName()
            guard let named = RuleMethod.named(word) else {
                throw RulesError(
                    "\"\(word)\" is no method; write read, write, get, list, create, update or "
                        + "delete", at: place)
            }
            methods.formUnion(named)
        } while try take(.comma)
        var condition: Expression?
        if try take(.colon) {
            guard try takeWord("if") else {
                throw error("expected \"if\" before the condition, found \(token.text)")
            }
            condition = try readExpression()
        }
        _ = try take(.semicolon)
        tree.blocks[block].allows.append(
            RuleTree.Allow(methods: methods, condition: condition, position: start))
    }

    private mutating func readFunction(in block: RuleTree.BlockID) throws(RulesError) {
        let start = position
        try advance()
        let name = try readName()
        guard tree.blocks[block].functions[UTF8Text(name)] == nil else {
            throw RulesError("the function \(name) is declared twice", at: start)
        }
        let parameters = try readParameters()
        try expect(.openBrace)
        var bound = Set(parameters.map { UTF8Text($0) })
        var bindings: [RuleTree.Binding] = []
        while isWord("let") {
            let start = token.offset
            try advance()
            let place = position
            guard tree.version > 1 else {
                throw error("variables of functions need rules_version = '2'")
            }
            let name = try readName()
            guard bound.insert(UTF8Text(name)).inserted else {
                throw RulesError("\(name) is already a variable of this function", at: place)
            }
            guard bindings.count < RulesLimits.bindingCountMax else {
                throw RulesError(
                    "a function binds at most \(RulesLimits.bindingCountMax) variables", at: place)
            }
            try expect(.assign)
            bindings.append(RuleTree.Binding(name: name, value: try readExpression(), start: start))
            try expect(.semicolon)
        }
        guard try takeWord("return") else {
            throw error("expected \"let\" or \"return\", found \(token.text)")
        }
        let result = try readExpression()
        _ = try take(.semicolon)
        try expect(.closeBrace)
        tree.blocks[block].functions[UTF8Text(name)] = RuleTree.Function(
            name: name, parameters: parameters, bindings: bindings, result: result,
            position: start)
    }

    private mutating func readParameters() throws(RulesError) -> [String] {
        try expect(.openParenthesis)
        var names: [String] = []
        var seen: Set<UTF8Text> = []
        while token.kind != .sign(.closeParenthesis) {
            let place = position
            let name = try readName()
            guard seen.insert(UTF8Text(name)).inserted else {
                throw RulesError("two parameters are named \(name)", at: place)
            }
            guard names.count < RulesLimits.parameterCountMax else {
                throw RulesError(
                    "a function has at most \(RulesLimits.parameterCountMax) parameters",
                    at: place)
            }
            names.append(name)
            guard try take(.comma) else { break }
        }
        try expect(.closeParenthesis)
        return names
    }

    private mutating func addBlock(
        parent: RuleTree.BlockID?, pattern: [RuleTree.PatternSegment], at place: SourcePosition
    ) -> RuleTree.BlockID {
        tree.blocks.append(RuleTree.Block(parent: parent, pattern: pattern, position: place))
        return tree.blocks.count - 1
    }
}
