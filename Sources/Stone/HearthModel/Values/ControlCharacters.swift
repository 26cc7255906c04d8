/// Characters that are not text but orders to a terminal or to the layout of a line.
///
/// Firestore allows all these characters in names. Code that shows a name to people escapes the
/// characters as JSON does. Without the escape, a program could choose a name that paints over the
/// output of other programs.
package enum ControlCharacters {
    /// Whether a character moves the cursor, ends a line, or turns the direction of text.
    package static func contains(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "\0"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{200E}", "\u{200F}", "\u{2028}"..."\u{202E}",
            "\u{2066}"..."\u{2069}":
            true
        default: false
        }
    }

    /// The text with each control character as `\n`, `\r`, `\t` or `\u001b`.
    package static func escaped(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: contains) else { return text }
        var result = ""
        for scalar in text.unicodeScalars {
            if contains(scalar) {
                result += escape(scalar)
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// The escaped form of one control character.
    package static func escape(_ scalar: Unicode.Scalar) -> String {
        switch scalar {
        case "\n": return "\\n"
        case "\r": return "\\r"
        case "\t": return "\\t"
        default:
            let digits = String(scalar.value, radix: 16)
            return "\\u" + String(repeating: "0", count: max(0, 4 - digits.utf8.count)) + digits
        }
    }
}
