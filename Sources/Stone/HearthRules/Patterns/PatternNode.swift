/// A pattern as it is written: what the parser gives to the compiler.
indirect enum PatternNode: Sendable {
    case empty
    case characters(ScalarSet)
    case assertion(Assertion)
    /// A group; with a number if it is remembered.
    case group(PatternNode, number: Int?)
    case sequence([PatternNode])
    case choice([PatternNode])
    case repetition(PatternNode, least: Int, most: Int?, isGreedy: Bool)

    /// A condition on a place between characters.
    enum Assertion: Sendable {
        case textStart, textEnd, lineStart, lineEnd, wordEdge, noWordEdge
    }
}

/// Why a text is no pattern.
struct PatternError: Error, CustomStringConvertible {
    let pattern: String
    let reason: String

    var description: String { "the pattern \(pattern) cannot be used: \(reason)" }
}
