/// What reads a pattern, character by character.
protocol PatternReader {
    /// The pattern, for what is said of its mistakes.
    var text: String { get }
    /// The characters of the pattern.
    var scalars: [Unicode.Scalar] { get }
    /// Where the next character stands.
    var offset: Int { get set }
}

extension PatternReader {
    /// A mistake in the pattern.
    func error(_ reason: String) -> PatternError {
        PatternError(pattern: text, reason: reason)
    }

    /// The character at a distance from the next one; `nil` behind the end.
    func peek(_ distance: Int = 0) -> Unicode.Scalar? {
        offset + distance < scalars.count ? scalars[offset + distance] : nil
    }

    /// Passes the next character if the character is `scalar`.
    mutating func take(_ scalar: Unicode.Scalar) -> Bool {
        guard peek() == scalar else { return false }
        offset += 1
        return true
    }
}
