/// Reads a pattern of the Realtime Database's rules.
///
/// The syntax is JavaScript's, without parts that look around or back. `^` may only come first and
/// `$` only last. No branch of a choice may be empty. A backslash takes the meaning from every
/// character but the letters of a set of characters (`\d \D \s \S \w \W`).
///
/// - Source: Firebase's reference "Regular expressions in Realtime Database Security Rules".
struct RealtimePatternParser: PatternReader {
    let text: String
    let scalars: [Unicode.Scalar]
    var offset = 0
    private let foldsCase: Bool
    private var depth = 0

    /// Reads the whole text.
    static func parse(_ text: String, foldsCase: Bool) throws(PatternError) -> PatternNode {
        var parser = RealtimePatternParser(text, foldsCase: foldsCase)
        let node = try parser.readChoice()
        guard parser.offset == parser.scalars.count else {
            throw parser.error("a \")\" has no \"(\"")
        }
        return node
    }

    private init(_ text: String, foldsCase: Bool) {
        self.text = text
        self.foldsCase = foldsCase
        scalars = Array(text.unicodeScalars)
    }

    private mutating func readChoice() throws(PatternError) -> PatternNode {
        depth += 1
        defer { depth -= 1 }
        guard depth <= PatternParser.depthMax else {
            throw error("it nests deeper than \(PatternParser.depthMax)")
        }
        var branches = [try readSequence()]
        while take("|") { branches.append(try readSequence()) }
        return branches.count == 1 ? branches[0] : .choice(branches)
    }

    private mutating func readSequence() throws(PatternError) -> PatternNode {
        var parts: [PatternNode] = []
        var takesText = false
        while let scalar = peek(), scalar != "|", scalar != ")" {
            let part = try readPart()
            if case .assertion = part {
                parts.append(part)
            } else {
                takesText = true
                parts.append(try readRepetition(of: part))
            }
        }
        guard takesText else { throw error("a pattern, a group or a branch of it is empty") }
        return .sequence(parts)
    }

    private mutating func readPart() throws(PatternError) -> PatternNode {
        guard let scalar = peek() else { throw error("it ends too early") }
        offset += 1
        switch scalar {
        case "(": return try readGroup()
        case "[": return .characters(try readSet())
        case ".": return .characters(.everything)
        case "^":
            guard offset == 1 else { throw error("\"^\" may only be its first character") }
            return .assertion(.textStart)
        case "$":
            guard offset == scalars.count else {
                throw error("\"$\" may only be its last character")
            }
            return .assertion(.textEnd)
        case "\\":
            let set = try readEscape()
            return .characters(foldsCase ? set.folded : set)
        case "*", "+", "?", "{":
            throw error("\"\(scalar)\" repeats nothing; for the character write \"\\\(scalar)\"")
        default: return .characters(ScalarSet(scalar, foldsCase: foldsCase))
        }
    }

    private mutating func readGroup() throws(PatternError) -> PatternNode {
        if peek() == "?" { throw error("\"(?\" is not supported") }
        let inner = try readChoice()
        guard take(")") else { throw error("a \"(\" has no \")\"") }
        return .group(inner, number: nil)
    }

    private mutating func readRepetition(
        of part: PatternNode
    ) throws(PatternError) -> PatternNode {
        guard let (least, most) = try readCount() else { return part }
        // Whether it takes as little as it can makes no difference to whether there is a match.
        _ = take("?")
        if let next = peek(), next == "*" || next == "+" || next == "?" || next == "{" {
            throw error("a repetition is repeated; put it in brackets")
        }
        return .repetition(part, least: least, most: most, isGreedy: true)
    }

    private mutating func readCount() throws(PatternError) -> (least: Int, most: Int?)? {
        if take("*") { return (0, nil) }
        if take("+") { return (1, nil) }
        if take("?") { return (0, 1) }
        guard take("{") else { return nil }
        let least = readNumber()
        var most = least
        if take(",") { most = peek() == "}" ? nil : readNumber() ?? -1 }
        guard let least, take("}"), most ?? least >= least,
            max(least, most ?? 0) <= PatternParser.repetitionMax
        else {
            throw error(
                "a repetition is {n}, {n,} or {n,m} with numbers up to "
                    + "\(PatternParser.repetitionMax); for the character write \"\\{\"")
        }
        return (least, most)
    }

    private mutating func readNumber() -> Int? {
        var digits = ""
        while let scalar = peek(), ("0"..."9").contains(scalar) {
            digits.unicodeScalars.append(scalar)
            offset += 1
        }
        return digits.isEmpty ? nil : Int(digits) ?? .max
    }

    private mutating func readEscape() throws(PatternError) -> ScalarSet {
        guard let scalar = peek() else { throw error("it ends with a backslash") }
        offset += 1
        return ScalarSet.escape(scalar) ?? ScalarSet(scalar.value...scalar.value)
    }

    private mutating func readSet() throws(PatternError) -> ScalarSet {
        var set = ScalarSet()
        let isNegated = take("^")
        guard peek() != "]" else { throw error("a set is empty") }
        while !take("]") {
            let first = try readElement()
            // A hyphen at either end, or behind a set of characters, is a hyphen.
            guard let start = first.single, peek() == "-", let next = peek(1), next != "]" else {
                set.insert(first)
                continue
            }
            offset += 1
            guard let end = try readElement().single else {
                throw error("a range must end with a character")
            }
            guard start <= end else { throw error("a range runs backwards") }
            set.insert(start...end)
        }
        if foldsCase { set = set.folded }
        return isNegated ? set.inverted : set
    }

    private mutating func readElement() throws(PatternError) -> ScalarSet {
        guard let scalar = peek() else { throw error("a \"[\" has no \"]\"") }
        offset += 1
        return scalar == "\\" ? try readEscape() : ScalarSet(scalar.value...scalar.value)
    }
}
