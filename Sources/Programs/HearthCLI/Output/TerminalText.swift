/// Makes text fit for a terminal; the text may hold names that others chose.
///
/// A name may hold characters that a terminal takes for orders. `--json` escapes these characters
/// as JSON does. Output for people gets the same escapes: an unescaped name could paint over other
/// lines.
enum TerminalText {
    /// Escapes a text to one line.
    static func line(_ text: String) -> String { escaped(text) { _ in false } }

    /// Escapes a text of several lines; line ends and tabs stay.
    static func lines(_ text: String) -> String { escaped(text) { $0 == "\n" || $0 == "\t" } }

    /// Whether a terminal, or the layout of a line, takes a character for an order.
    static func isOrder(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "\0"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{200E}", "\u{200F}", "\u{2028}"..."\u{202E}",
            "\u{2066}"..."\u{2069}":
            true
        default: false
        }
    }

    /// How such a character is written.
    static func escape(_ scalar: Unicode.Scalar) -> String {
        switch scalar {
        case "\n": return "\\n"
        case "\r": return "\\r"
        case "\t": return "\\t"
        default:
            let digits = String(scalar.value, radix: 16)
            return "\\u" + String(repeating: "0", count: max(0, 4 - digits.utf8.count)) + digits
        }
    }

    private static func escaped(
        _ text: String, but isMeant: (Unicode.Scalar) -> Bool
    ) -> String {
        guard text.unicodeScalars.contains(where: { isOrder($0) && !isMeant($0) }) else {
            return text
        }
        var result = ""
        for scalar in text.unicodeScalars {
            if isOrder(scalar), !isMeant(scalar) {
                result += escape(scalar)
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
