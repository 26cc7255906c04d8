import HearthModel

/// Reads the syntax of RE2: no look-around and no back references, so that matching takes linear
/// time.
struct PatternParser: PatternReader {
    /// Groups and repetitions inside each other.
    static let depthMax = 50
    /// Repetitions that a number may ask for, as in RE2.
    static let repetitionMax = 1_000

    private struct Flags {
        var foldsCase = false
        var dotMatchesAll = false
        var isMultiline = false
        var isUngreedy = false
    }

    let text: String
    let scalars: [Unicode.Scalar]
    var offset = 0
    private var depth = 0
    private var flags = Flags()
    /// How many groups are remembered.
    private(set) var groupCount = 0

    init(_ text: String) {
        self.text = text
        scalars = Array(text.unicodeScalars)
    }

    /// Reads the whole text.
    mutating func parse() throws(PatternError) -> PatternNode {
        let node = try readChoice()
        guard offset == scalars.count else { throw error("a \")\" has no \"(\"") }
        return node
    }

    private mutating func take(while passes: (Unicode.Scalar) -> Bool) -> String {
        var result = String.UnicodeScalarView()
        while let scalar = peek(), passes(scalar) {
            result.append(scalar)
            offset += 1
        }
        return String(result)
    }

    private mutating func readChoice() throws(PatternError) -> PatternNode {
        depth += 1
        defer { depth -= 1 }
        guard depth <= Self.depthMax else { throw error("it nests deeper than \(Self.depthMax)") }
        let outer = flags
        defer { flags = outer }
        var branches = [try readSequence()]
        while take("|") { branches.append(try readSequence()) }
        return branches.count == 1 ? branches[0] : .choice(branches)
    }

    private mutating func readSequence() throws(PatternError) -> PatternNode {
        var parts: [PatternNode] = []
        while let scalar = peek(), scalar != "|", scalar != ")" {
            guard let part = try readPart() else { continue }
            parts.append(try readRepetitions(of: part))
        }
        return parts.count == 1 ? parts[0] : (parts.isEmpty ? .empty : .sequence(parts))
    }

    private mutating func readRepetitions(
        of part: PatternNode
    ) throws(PatternError) -> PatternNode {
        var node = part
        var count = 0
        while let (least, most) = try readCount() {
            count += 1
            guard count == 1 else { throw error("a repetition is repeated") }
            var isGreedy = !flags.isUngreedy
            if take("?") { isGreedy.toggle() }
            node = .repetition(node, least: least, most: most, isGreedy: isGreedy)
        }
        return node
    }

    private mutating func readCount() throws(PatternError) -> (least: Int, most: Int?)? {
        if take("*") { return (0, nil) }
        if take("+") { return (1, nil) }
        if take("?") { return (0, 1) }
        guard peek() == "{" else { return nil }
        let start = offset
        offset += 1
        let first = take { $0.isDigit }
        var second: String? = first
        if take(",") {
            let digits = take { $0.isDigit }
            second = digits.isEmpty ? nil : digits
        }
        // A brace that begins no count is an ordinary brace.
        guard !first.isEmpty, take("}") else {
            offset = start
            return nil
        }
        let least = Int(first) ?? .max
        let most = second.map { Int($0) ?? .max }
        guard least <= Self.repetitionMax, most ?? 0 <= Self.repetitionMax, least <= most ?? least
        else { throw error("a number of repetitions is wrong or above \(Self.repetitionMax)") }
        return (least, most)
    }

    /// Reads one part; `nil` for flags, which match nothing themselves.
    private mutating func readPart() throws(PatternError) -> PatternNode? {
        guard let scalar = peek() else { return nil }
        offset += 1
        switch scalar {
        case "(": return try readGroup()
        case "[": return .characters(try readSet())
        case ".": return .characters(flags.dotMatchesAll ? .everything : .lineContent)
        case "^": return .assertion(flags.isMultiline ? .lineStart : .textStart)
        case "$": return .assertion(flags.isMultiline ? .lineEnd : .textEnd)
        case "\\": return try readEscape()
        case "*", "+", "?": throw error("\"\(scalar)\" repeats nothing")
        default: return .characters(ScalarSet(scalar, foldsCase: flags.foldsCase))
        }
    }

    private mutating func readGroup() throws(PatternError) -> PatternNode? {
        var number: Int?
        if take("?") {
            if peek() == "P" || peek() == "<" {
                _ = take("P")
                guard take("<") else { throw error("(?P must be followed by a name in <>") }
                let name = take { $0.isWord }
                guard !name.isEmpty, take(">") else { throw error("a group's name is wrong") }
                groupCount += 1
                number = groupCount
            } else {
                let outer = flags
                try readFlags()
                if take(")") { return nil }
                guard take(":") else { throw error("(? must be followed by flags, : or P<name>") }
                let inner = try readChoice()
                flags = outer
                guard take(")") else { throw error("a \"(\" has no \")\"") }
                return .group(inner, number: nil)
            }
        } else {
            groupCount += 1
            number = groupCount
        }
        let inner = try readChoice()
        guard take(")") else { throw error("a \"(\" has no \")\"") }
        return .group(inner, number: number)
    }

    private mutating func readFlags() throws(PatternError) {
        var isOn = true
        while let scalar = peek(), scalar != ")", scalar != ":" {
            offset += 1
            switch scalar {
            case "-": isOn = false
            case "i": flags.foldsCase = isOn
            case "s": flags.dotMatchesAll = isOn
            case "m": flags.isMultiline = isOn
            case "U": flags.isUngreedy = isOn
            default: throw error("(?\(scalar) is not supported")
            }
        }
    }

    private mutating func readEscape() throws(PatternError) -> PatternNode {
        guard let scalar = peek() else { throw error("it ends with a backslash") }
        switch scalar {
        case "A": return assertion(.textStart)
        case "z": return assertion(.textEnd)
        case "b": return assertion(.wordEdge)
        case "B": return assertion(.noWordEdge)
        case "Q":
            offset += 1
            return readQuotation()
        default:
            let set = try readEscapedSet()
            return .characters(flags.foldsCase ? set.folded : set)
        }
    }

    private mutating func assertion(_ assertion: PatternNode.Assertion) -> PatternNode {
        offset += 1
        return .assertion(assertion)
    }

    private mutating func readQuotation() -> PatternNode {
        var parts: [PatternNode] = []
        while let scalar = peek() {
            offset += 1
            if scalar == "\\", peek() == "E" {
                offset += 1
                break
            }
            parts.append(.characters(ScalarSet(scalar, foldsCase: flags.foldsCase)))
        }
        return .group(.sequence(parts), number: nil)
    }

    /// Reads what follows a backslash where characters are meant, in a set or outside.
    private mutating func readEscapedSet() throws(PatternError) -> ScalarSet {
        guard let scalar = peek() else { throw error("it ends with a backslash") }
        offset += 1
        if let set = ScalarSet.escape(scalar) { return set }
        switch scalar {
        case "p", "P": return try readCategory(isNegated: scalar == "P")
        case "n": return ScalarSet(0x0A...0x0A)
        case "r": return ScalarSet(0x0D...0x0D)
        case "t": return ScalarSet(0x09...0x09)
        case "f": return ScalarSet(0x0C...0x0C)
        case "v": return ScalarSet(0x0B...0x0B)
        case "a": return ScalarSet(0x07...0x07)
        case "x": return try readHexadecimal()
        case "0"..."7": return try readOctal(scalar)
        default:
            // Every other character but a letter or a digit stands for itself.
            guard scalar == "_" || !scalar.isWord else {
                throw error("\\\(scalar) is not supported")
            }
            return ScalarSet(scalar.value...scalar.value)
        }
    }

    /// Reads the rest of up to three digits. A single digit would refer to a group, unless it is 0.
    private mutating func readOctal(_ first: Unicode.Scalar) throws(PatternError) -> ScalarSet {
        guard first == "0" || peek().map({ $0.isOctalDigit }) ?? false else {
            throw error("\\\(first) is not supported")
        }
        var number = first.value - 0x30
        for _ in 1..<3 {
            guard let digit = peek(), digit.isOctalDigit else { break }
            number = number * 8 + digit.value - 0x30
            offset += 1
        }
        return ScalarSet(number...number)
    }

    private mutating func readHexadecimal() throws(PatternError) -> ScalarSet {
        let isBraced = take("{")
        var digits = ""
        while let scalar = peek(), scalar.properties.isASCIIHexDigit, isBraced || digits.count < 2 {
            digits.unicodeScalars.append(scalar)
            offset += 1
        }
        guard !isBraced || take("}"), isBraced || digits.count == 2,
            let number = UInt32(digits, radix: 16), Unicode.Scalar(number) != nil
        else { throw error("\\x needs two digits, or some in {}") }
        return ScalarSet(number...number)
    }

    private mutating func readCategory(isNegated: Bool) throws(PatternError) -> ScalarSet {
        var name: String
        if take("{") {
            name = take { $0.isWord || $0 == "^" }
            guard take("}") else { throw error("\\p{ has no }") }
        } else {
            name = peek().map { String(Character($0)) } ?? ""
            offset += 1
        }
        let isInverted = name.hasPrefix("^")
        if isInverted { name.removeFirst() }
        guard let category = ScalarSet.Category(name: name) else {
            throw error("\\p{\(name)} is not supported")
        }
        var set = ScalarSet()
        set.insert(category, isNegated: isNegated != isInverted)
        return set
    }

    private mutating func readSet() throws(PatternError) -> ScalarSet {
        var set = ScalarSet()
        let isNegated = take("^")
        var isFirst = true
        while isFirst || peek() != "]" {
            isFirst = false
            guard let scalar = peek() else { throw error("a \"[\" has no \"]\"") }
            if scalar == "[", peek(1) == ":" {
                set.insert(try readPOSIX())
                continue
            }
            guard let start = try readSetElement(into: &set) else { continue }
            var end = start
            if peek() == "-", let next = peek(1), next != "]" {
                offset += 1
                var unused = ScalarSet()
                guard let last = try readSetElement(into: &unused) else {
                    throw error("a range must end with a character")
                }
                end = last
            }
            guard start <= end else { throw error("a range runs backwards") }
            set.insert(start...end)
        }
        offset += 1
        if flags.foldsCase { set = set.folded }
        return isNegated ? set.inverted : set
    }

    private mutating func readPOSIX() throws(PatternError) -> ScalarSet {
        offset += 2
        let isNegated = take("^")
        let name = take { $0.isWord }
        guard take(":"), take("]"), let set = ScalarSet.posix(name) else {
            throw error("[:\(name):] is not known")
        }
        return isNegated ? set.inverted : set
    }

    /// Reads one character of a set; `nil` if it was several, which are then in the set.
    private mutating func readSetElement(
        into set: inout ScalarSet
    ) throws(PatternError) -> UInt32? {
        guard let scalar = peek() else { throw error("a \"[\" has no \"]\"") }
        offset += 1
        guard scalar == "\\" else { return scalar.value }
        let escaped = try readEscapedSet()
        if let single = escaped.single { return single }
        set.insert(escaped)
        return nil
    }
}

extension ScalarSet {
    /// The character, if the set holds one and no more.
    var single: UInt32? {
        guard let first = singleRange, first.lowerBound == first.upperBound else { return nil }
        return first.lowerBound
    }
}

extension Unicode.Scalar {
    fileprivate var isDigit: Bool { ("0"..."9").contains(self) }
    fileprivate var isOctalDigit: Bool { ("0"..."7").contains(self) }

    /// A letter, a digit or an underscore of ASCII.
    var isWord: Bool {
        isDigit || self == "_" || ("a"..."z").contains(self) || ("A"..."Z").contains(self)
    }
}
