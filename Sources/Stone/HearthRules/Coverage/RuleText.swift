/// A source of rules with its lines, from which verdicts tell expressions.
struct RuleText: Sendable {
    /// The source.
    let source: String
    private let lines: SourceLines

    /// Finds the lines. O(n) in the source.
    init(_ source: String) {
        self.source = source
        lines = SourceLines(Array(source.utf8))
    }

    /// What a statement or a rule came to.
    ///
    /// - Parameters:
    ///   - statement: Where it begins.
    ///   - outcome: "true", "false", or why the condition has no value.
    ///   - decider: The expression that decided the outcome; `nil` for a statement without a
    ///     condition.
    func ground(
        at statement: SourcePosition, _ outcome: String, _ decider: SourceRange?
    ) -> RuleVerdict.Ground {
        guard let decider else {
            return RuleVerdict.Ground(
                statement: statement, position: statement,
                text: text(from: lines.offset(of: statement)), outcome: outcome)
        }
        return RuleVerdict.Ground(
            statement: statement, position: lines.position(of: decider.start),
            text: text(of: decider), outcome: outcome)
    }

    private func text(of range: SourceRange) -> String {
        let bytes = source.utf8.dropFirst(range.start).prefix(range.end - range.start)
        // An expression's range leaves out the brackets behind the last word.
        let openCount = bytes.count { $0 == UInt8(ascii: "(") }
        let closedCount = bytes.count { $0 == UInt8(ascii: ")") }
        let missing = String(repeating: ")", count: max(0, openCount - closedCount))
        return Self.cut(Substring(String(Substring(bytes)) + missing).utf8)
    }

    /// A statement up to its end, or to the end of its line.
    private func text(from start: Int) -> String {
        let ends = [UInt8(ascii: ";"), UInt8(ascii: "\n")]
        return Self.cut(source.utf8.dropFirst(start).prefix { !ends.contains($0) })
    }

    /// The bytes as text, no longer than a verdict tells.
    private static func cut(_ bytes: Substring.UTF8View) -> String {
        let countMax = RulesLimits.groundByteCountMax
        guard bytes.count > countMax else { return String(Substring(bytes)) }
        // A character that is cut in two becomes a replacement character.
        return String(decoding: bytes.prefix(countMax - 3), as: UTF8.self) + "…"
    }
}
