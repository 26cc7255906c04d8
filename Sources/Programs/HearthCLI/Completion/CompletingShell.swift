/// A shell that asks what could be typed.
enum CompletingShell: Hashable, Sendable {
    case bash
    case zsh
    /// fish of any version.
    ///
    /// - Parameter givesPlainWords: Whether the shell hands over words without quotes and escapes, as
    ///   fish did before its fourth version.
    case fish(givesPlainWords: Bool)

    /// Takes the shell by its name and its version, as the scripts tell both; `nil` for any other.
    init?(name: String, version: String) {
        switch name {
        case "bash": self = .bash
        case "zsh": self = .zsh
        case "fish": self = .fish(givesPlainWords: (Int(version.prefix { $0.isNumber }) ?? 4) < 4)
        default: return nil
        }
    }

    // MARK: From the shell

    /// What a word of the command line says, as the shell would read it; nothing of the word is run.
    ///
    /// A quote may be open at the end, because the cursor may be inside.
    ///
    /// - Returns: `nil` if only the shell could tell, as of a variable or a command.
    func text(of word: String) -> String? {
        if self == .fish(givesPlainWords: true) { return word }
        var text = String.UnicodeScalarView()
        var rest = word.unicodeScalars[...]
        var quote: Unicode.Scalar?
        while let scalar = rest.popFirst() {
            switch scalar {
            case quote: quote = nil
            case "'" where quote == nil, "\"" where quote == nil: quote = scalar
            case "\\" where quote != "'" || isFish:
                guard let escaped = escaped(&rest, in: quote) else { return nil }
                text.append(contentsOf: escaped)
            case "$" where quote != "'", "`" where quote != "'", "(" where quote == nil,
                "{" where quote == nil:
                return nil
            default: text.append(scalar)
            }
        }
        return String(text)
    }

    /// Whether the shell puts an answer in the place of a whole word.
    ///
    /// bash parts words at quotes, and puts the answer behind the last one.
    func replaces(_ word: String) -> Bool {
        guard self == .bash else { return true }
        return word.unicodeScalars.enumerated().allSatisfy { place, scalar in
            place == 0 || (scalar != "'" && scalar != "\"") || Self.isEscaped(place, of: word)
        }
    }

    private static func isEscaped(_ place: Int, of word: String) -> Bool {
        let before = word.unicodeScalars.prefix(place)
        let count = before.reversed().prefix { $0 == "\\" }.count
        return word.unicodeScalars.first == "'" ? false : !count.isMultiple(of: 2)
    }

    private var isFish: Bool {
        switch self {
        case .bash, .zsh: false
        case .fish: true
        }
    }

    /// What a backslash and the scalar behind it stand for; `nil` if only the shell could tell.
    private func escaped(
        _ rest: inout Substring.UnicodeScalarView, in quote: Unicode.Scalar?
    ) -> [Unicode.Scalar]? {
        guard let scalar = rest.popFirst() else { return [] }  // Behind the cursor.
        switch quote {
        case nil: return isFish && scalar.properties.isAlphabetic ? nil : [scalar]
        case "'": return scalar == "'" || scalar == "\\" ? [scalar] : ["\\", scalar]
        default:
            let isEscape = scalar == "\"" || scalar == "\\" || scalar == "$"
            return isEscape || (scalar == "`" && !isFish) ? [scalar] : ["\\", scalar]
        }
    }

    // MARK: To the shell

    /// What the script of the shell is told: a line for each candidate.
    ///
    /// Candidates are names that others chose. A name with a character that a terminal takes for an
    /// order, and a name that would be read as an option, is left out. So is a name that bash would
    /// read as something else behind the open quote.
    ///
    /// - Parameter word: What is typed, with its quotes; bash puts the answer behind an open one.
    func answer(_ candidates: [String], to word: String) -> String {
        let quote = word.unicodeScalars.first.flatMap { $0 == "'" || $0 == "\"" ? $0 : nil }
        let fit = candidates.filter { Self.isFit($0) && canSay($0, in: quote) }
        let lines = fit.map { line($0, in: quote) }
        guard !lines.isEmpty else { return "" }
        // The script for zsh takes the last line away.
        return (lines + (self == .zsh ? [" "] : [])).map { $0 + "\n" }.joined()
    }

    private static func isFit(_ candidate: String) -> Bool {
        let scalars = candidate.unicodeScalars
        return !scalars.isEmpty && scalars.first != "-" && !scalars.contains(where: isLost)
    }

    /// Whether a scalar could not be typed, seen or told from another.
    private static func isLost(_ scalar: Unicode.Scalar) -> Bool {
        TerminalText.isOrder(scalar) || scalar == "\u{FFFD}"
    }

    /// Whether a name can be typed behind a quote.
    ///
    /// Between double quotes bash puts its history in the place of a "!", and keeps a backslash in
    /// front of it as a part of the word.
    private func canSay(_ candidate: String, in quote: Unicode.Scalar?) -> Bool {
        self != .bash || quote != "\"" || !candidate.unicodeScalars.contains("!")
    }

    private func line(_ candidate: String, in quote: Unicode.Scalar?) -> String {
        switch self {
        case .bash:
            switch quote {
            case nil: Self.replacing(candidate) { Self.isPlain($0) ? "\($0)" : "\\\($0)" }
            case "'": Self.replacing(candidate) { $0 == "'" ? "'\\''" : "\($0)" }
            default: Self.replacing(candidate) { "\"\\$`".contains($0) ? "\\\($0)" : "\($0)" }
            }
        case .zsh: Self.replacing(candidate) { ":\\".contains($0) ? "\\\($0)" : "\($0)" }
        case .fish: candidate
        }
    }

    /// Whether a scalar means itself to bash, and parts no words.
    private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        !scalar.isASCII || scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
            || "/._-+%,".contains(scalar)
    }

    /// Replaces scalars. To a `Character` a quote with an accent behind it is no quote, but it is to
    /// the shell.
    private static func replacing(
        _ text: String, by replacement: (Unicode.Scalar) -> String
    ) -> String {
        text.unicodeScalars.map(replacement).joined()
    }
}

extension String {
    fileprivate func contains(_ scalar: Unicode.Scalar) -> Bool { unicodeScalars.contains(scalar) }
}
