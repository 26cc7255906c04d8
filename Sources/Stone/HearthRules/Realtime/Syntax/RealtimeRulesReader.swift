import HearthModel

/// Reads a file of rules: JSON with comments, whose strings are rules.
///
///     file  = { "rules": block }
///     block = { (".read" | ".write" | ".validate": STRING | true | false
///                | ".indexOn": STRING | [STRING, ...] | NAME: block | "$" NAME: block), ... }
///
/// A string may go on over several lines, as Firebase's tools let it.
struct RealtimeRulesReader {
    private var lexer: Lexer
    private var depth = 0
    private var tree = RealtimeRuleTree()

    /// - Throws: `RulesError` at the first thing that is wrong.
    static func read(_ source: String) throws(RulesError) -> RealtimeRuleTree {
        var reader = RealtimeRulesReader(try Lexer(source, dialect: .realtime))
        try reader.readFile()
        return reader.tree
    }

    private init(_ lexer: Lexer) {
        self.lexer = lexer
    }

    private mutating func readFile() throws(RulesError) {
        let shape = "a file of rules is {\"rules\": {...}}"
        guard try take("{") else { throw lexer.error(shape, at: lexer.offset) }
        try lexer.skipSpace()
        let start = lexer.offset
        let name = lexer.peek() == UInt8(ascii: "\"") ? try readText().text : ""
        guard utf8Equals(name, "rules") else { throw lexer.error(shape, at: start) }
        try expect(":")
        _ = try readBlock(wildcards: [])
        guard try take("}") else {
            throw lexer.error("\(shape) and nothing besides", at: lexer.offset)
        }
        try lexer.skipSpace()
        guard lexer.peek() == nil else {
            throw lexer.error("something follows the rules", at: lexer.offset)
        }
    }

    // MARK: Blocks

    private mutating func readBlock(
        wildcards: [String]
    ) throws(RulesError) -> RealtimeRuleTree.BlockID {
        depth += 1
        defer { depth -= 1 }
        guard depth <= RulesLimits.ruleDepthMax else {
            throw lexer.error(
                "the rules nest deeper than \(RulesLimits.ruleDepthMax)", at: lexer.offset)
        }
        let id = tree.blocks.count
        tree.blocks.append(RealtimeRuleTree.Block(wildcards: wildcards))
        guard try take("{") else {
            throw lexer.error("expected the rules of a place: {...}", at: lexer.offset)
        }
        if try take("}") { return id }
        var names: Set<UTF8Text> = []
        repeat {
            try lexer.skipSpace()
            let start = lexer.offset
            let name = try readText().text
            guard names.insert(UTF8Text(name)).inserted else {
                throw lexer.error("\"\(name)\" is there twice", at: start)
            }
            try expect(":")
            try readMember(name, of: id, at: start)
        } while try take(",")
        try expect("}")
        tree.blocks[id].validatesBelow = tree.blocks[id].inner.contains {
            tree.blocks[$0].validate != nil || tree.blocks[$0].validatesBelow
        }
        return id
    }

    private mutating func readMember(
        _ name: String, of id: RealtimeRuleTree.BlockID, at start: Int
    ) throws(RulesError) {
        switch name {
        case ".read": tree.blocks[id].read = try readRule(of: id, hasNewData: false)
        case ".write": tree.blocks[id].write = try readRule(of: id, hasNewData: true)
        case ".validate": tree.blocks[id].validate = try readRule(of: id, hasNewData: true)
        case ".indexOn": tree.blocks[id].indexes = try readIndexes()
        case _ where name.hasPrefix("."):
            throw lexer.error(
                "there is no \"\(name)\"; write .read, .write, .validate or .indexOn", at: start)
        case _ where name.hasPrefix("$"): try readWildcard(name, of: id, at: start)
        default:
            if let fault = ChildKey.fault(of: name) {
                throw lexer.error("\"\(name)\" is no name of a place: \(fault)", at: start)
            }
            let key = ChildKey(unchecked: name)
            let block = try readBlock(wildcards: tree.blocks[id].wildcards)
            tree.blocks[id].names.append(key)
            tree.blocks[id].children[key] = block
        }
    }

    private mutating func readWildcard(
        _ name: String, of id: RealtimeRuleTree.BlockID, at start: Int
    ) throws(RulesError) {
        let outer = tree.blocks[id].wildcards
        if let fault = ChildKey.fault(of: String(name.dropFirst())) {
            throw lexer.error("\"\(name)\" is no name of a wildcard: \(fault)", at: start)
        }
        guard tree.blocks[id].wildcard == nil else {
            throw lexer.error("a place has one wildcard, and \"\(name)\" is another", at: start)
        }
        guard !outer.contains(where: { utf8Equals($0, name) }) else {
            throw lexer.error("\"\(name)\" is already a wildcard of this path", at: start)
        }
        tree.blocks[id].wildcard = try readBlock(wildcards: outer + [name])
    }

    // MARK: Rules and indexes

    private mutating func readRule(
        of id: RealtimeRuleTree.BlockID, hasNewData: Bool
    ) throws(RulesError) -> RealtimeRuleTree.Rule {
        try lexer.skipSpace()
        let start = lexer.offset
        let position = lexer.position(of: start)
        guard lexer.peek() == UInt8(ascii: "\"") else {
            let word = lexer.take(while: Lexer.beginsName)
            guard word == "true" || word == "false" else {
                throw lexer.error("a rule is a string, true or false", at: start)
            }
            let condition = RealtimeExpression(
                kind: .literal(.boolean(word == "true")), type: .boolean,
                range: SourceRange(start: start, end: lexer.offset))
            return RealtimeRuleTree.Rule(condition: condition, position: position)
        }
        let syntax = try RealtimeParser.parse(try readText().quoted, in: lexer)
        let scope = RealtimeScope(
            hasNewData: hasNewData, wildcards: tree.blocks[id].wildcards)
        let condition = try RealtimeTypeChecker.check(syntax, in: scope, of: lexer)
        return RealtimeRuleTree.Rule(condition: condition, position: position)
    }

    private mutating func readIndexes() throws(RulesError) -> [RealtimeRuleIndex] {
        guard try take("[") else { return [try readIndex()] }
        if try take("]") { return [] }
        var indexes: [RealtimeRuleIndex] = []
        repeat { indexes.append(try readIndex()) } while try take(",")
        try expect("]")
        return indexes
    }

    private mutating func readIndex() throws(RulesError) -> RealtimeRuleIndex {
        try lexer.skipSpace()
        let start = lexer.offset
        guard lexer.peek() == UInt8(ascii: "\"") else {
            throw lexer.error(".indexOn is a string or a list of strings", at: start)
        }
        let text = try readText().text
        if utf8Equals(text, ".value") { return .value }
        guard let path = RealtimePath(text), !path.isRoot else {
            throw lexer.error("\"\(text)\" is neither .value nor the path of a child", at: start)
        }
        return .child(path)
    }

    // MARK: JSON

    private mutating func take(_ sign: Unicode.Scalar) throws(RulesError) -> Bool {
        try lexer.skipSpace()
        return lexer.skip(UInt8(ascii: sign))
    }

    private mutating func expect(_ sign: Unicode.Scalar) throws(RulesError) {
        guard try take(sign) else { throw lexer.error("expected \"\(sign)\"", at: lexer.offset) }
    }

    private mutating func readText() throws(RulesError) -> (text: String, quoted: QuotedText) {
        try lexer.skipSpace()
        let start = lexer.offset
        let quoted = try lexer.quotedText()
        guard let text = quoted.string else {
            throw lexer.error("this string is not UTF-8", at: start)
        }
        return (text, quoted)
    }
}

extension Lexer {
    /// Reads a string of JSON, which may hold ends of lines.
    fileprivate mutating func quotedText() throws(RulesError) -> QuotedText {
        let start = offset
        guard skip(UInt8(ascii: "\"")) else {
            throw error("expected a string in double quotes", at: start)
        }
        var text = QuotedText()
        while let byte = peek() {
            let place = offset
            move(to: offset + 1)
            switch byte {
            case UInt8(ascii: "\""):
                text.end(at: place)
                return text
            case UInt8(ascii: "\\"): text.append(try escaped(at: place), from: place)
            default: text.append(CollectionOfOne(byte), from: place)
            }
        }
        throw error("this string has no end", at: start)
    }

    private mutating func escaped(at start: Int) throws(RulesError) -> [UInt8] {
        guard let byte = peek() else { throw error("this string has no end", at: start) }
        move(to: offset + 1)
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return [byte]
        case UInt8(ascii: "b"): return [0x08]
        case UInt8(ascii: "f"): return [0x0C]
        case UInt8(ascii: "n"): return [0x0A]
        case UInt8(ascii: "r"): return [0x0D]
        case UInt8(ascii: "t"): return [0x09]
        case UInt8(ascii: "u"):
            var result: [UInt8] = []
            Self.append(try utf16(at: start), to: &result)
            return result
        default:
            throw error("JSON knows no such escape; for a backslash write \"\\\\\\\\\"", at: start)
        }
    }
}
