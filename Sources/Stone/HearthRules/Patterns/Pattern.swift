import HearthModel

/// A pattern, compiled to a program for `PatternMatcher`.
struct Pattern: Sendable {
    /// The longest text of a pattern, in bytes.
    static let byteCountMax = 4_096
    /// The longest program. Bounds the time for each character of a text.
    static let instructionCountMax = 8_192

    /// One step of the program.
    enum Instruction: Sendable {
        /// Takes one character.
        case take(ScalarSet)
        /// Goes on at both places; the first is preferred.
        case split(Int, Int)
        case jump(Int)
        /// Remembers the place in the text.
        case save(Int)
        case check(PatternNode.Assertion)
        case finish
    }

    /// The program. Ends with `finish`.
    private(set) var instructions: [Instruction] = []
    /// How many groups are remembered, the whole match not counted.
    let groupCount: Int

    /// Compiles a pattern.
    ///
    /// - Throws: `PatternError` for a text that is no pattern, or a pattern that is too large.
    init(_ text: String) throws(PatternError) {
        try Self.checkLength(of: text)
        var parser = PatternParser(text)
        let node = try parser.parse()
        try self.init(node, groupCount: parser.groupCount, of: text)
    }

    /// Compiles a pattern in the syntax of the Realtime Database.
    ///
    /// - Throws: `PatternError` for a text that is no pattern, or a pattern that is too large.
    init(realtime text: String, foldsCase: Bool) throws(PatternError) {
        try Self.checkLength(of: text)
        let node = try RealtimePatternParser.parse(text, foldsCase: foldsCase)
        try self.init(node, groupCount: 0, of: text)
    }

    private init(_ node: PatternNode, groupCount: Int, of text: String) throws(PatternError) {
        self.groupCount = groupCount
        guard emit(.save(0)), compile(node), emit(.save(1)), emit(.finish) else {
            throw PatternError(
                pattern: text,
                reason: "its repetitions make more than \(Self.instructionCountMax) steps")
        }
    }

    private static func checkLength(of text: String) throws(PatternError) {
        guard text.utf8.count <= byteCountMax else {
            throw PatternError(
                pattern: String(text.prefix(40)), reason: "it has more than \(byteCountMax) bytes")
        }
    }

    /// Whether a match can only be where the text begins.
    var isAnchored: Bool {
        if instructions.count > 1, case .check(.textStart) = instructions[1] { return true }
        return false
    }

    private mutating func emit(_ instruction: Instruction) -> Bool {
        instructions.append(instruction)
        return instructions.count <= Self.instructionCountMax
    }

    /// Compiles a node; `false` if the program is too long.
    private mutating func compile(_ node: PatternNode) -> Bool {
        switch node {
        case .empty: return true
        case .characters(let set): return emit(.take(set))
        case .assertion(let assertion): return emit(.check(assertion))
        case .group(let inner, nil): return compile(inner)
        case .group(let inner, let number?):
            return emit(.save(number * 2)) && compile(inner) && emit(.save(number * 2 + 1))
        case .sequence(let nodes): return nodes.allSatisfy { compile($0) }
        case .choice(let nodes): return compile(choice: nodes)
        case .repetition(let inner, let least, let most, let isGreedy):
            for _ in 0..<least where !compile(inner) { return false }
            guard let most else { return compile(loop: inner, isGreedy) }
            return compile(optional: inner, count: most - least, isGreedy)
        }
    }

    private mutating func compile(choice nodes: [PatternNode]) -> Bool {
        var jumps: [Int] = []
        for (index, node) in nodes.enumerated() {
            let isLast = index == nodes.count - 1
            let split = instructions.count
            if !isLast, !emit(.split(split + 1, split + 1)) { return false }
            guard compile(node) else { return false }
            if isLast { break }
            jumps.append(instructions.count)
            guard emit(.jump(0)) else { return false }
            instructions[split] = .split(split + 1, instructions.count)
        }
        for jump in jumps { instructions[jump] = .jump(instructions.count) }
        return true
    }

    private mutating func compile(loop inner: PatternNode, _ isGreedy: Bool) -> Bool {
        let split = instructions.count
        guard emit(.split(0, 0)), compile(inner), emit(.jump(split)) else { return false }
        let end = instructions.count
        instructions[split] = isGreedy ? .split(split + 1, end) : .split(end, split + 1)
        return true
    }

    private mutating func compile(
        optional inner: PatternNode, count: Int, _ isGreedy: Bool
    ) -> Bool {
        var splits: [Int] = []
        for _ in 0..<count {
            splits.append(instructions.count)
            guard emit(.split(0, 0)), compile(inner) else { return false }
        }
        let end = instructions.count
        for split in splits {
            instructions[split] = isGreedy ? .split(split + 1, end) : .split(end, split + 1)
        }
        return true
    }
}
