/// The way to a field as it is typed: names joined by dots, in backticks where a name holds dots or
/// spaces. A backslash takes the next character as it is.
///
/// Read by scalars: a mark behind a dot hides the dot from nobody.
struct FieldPathText: Hashable, CustomStringConvertible {
    /// The names, none empty.
    let names: [String]

    /// Takes names as they are.
    init(names: [String]) {
        self.names = names
    }

    /// Reads a path that fills the text.
    init(_ text: String) throws(ValueSyntaxError) {
        var rest = Substring(text)
        try self.init(readingFrom: &rest, in: text)
        guard rest.isEmpty else {
            throw Self.error("a field's name ends here", rest, in: text)
        }
    }

    /// Reads a path up to the first space or sign after the path, and removes the path from `rest`.
    init(readingFrom rest: inout Substring, in text: String) throws(ValueSyntaxError) {
        var names: [String] = []
        repeat {
            if !names.isEmpty { rest.unicodeScalars.removeFirst() }
            names.append(try Self.readName(&rest, in: text))
        } while rest.unicodeScalars.first == "."
        self.names = names
    }

    private static func readName(
        _ rest: inout Substring, in text: String
    ) throws(ValueSyntaxError) -> String {
        let start = rest
        var name = ""
        var isQuoted = false
        scan: while let scalar = rest.unicodeScalars.first {
            switch scalar {
            case "`":
                isQuoted.toggle()
                rest.unicodeScalars.removeFirst()
            case "\\":
                rest.unicodeScalars.removeFirst()
                guard let escaped = rest.unicodeScalars.popFirst() else { break scan }
                name.unicodeScalars.append(escaped)
            case _ where isQuoted:
                name.unicodeScalars.append(rest.unicodeScalars.removeFirst())
            case ".", "=", "<", ">", "!", ":", " ", "\t":
                break scan
            case "~", "*", "/", "[", "]":
                throw error("\"\(scalar)\" in a field's name needs backticks", rest, in: text)
            default:
                name.unicodeScalars.append(rest.unicodeScalars.removeFirst())
            }
        }
        if isQuoted { throw error("a backtick has no end", start, in: text) }
        if name.isEmpty { throw error("a field's name is missing", start, in: text) }
        return name
    }

    private static func error(
        _ reason: String, _ rest: Substring, in text: String
    ) -> ValueSyntaxError {
        ValueSyntaxError(reason, at: text.utf8.count - rest.utf8.count, in: Array(text.utf8))
    }

    /// The path in the form in which it is read.
    var description: String {
        names.map { name in
            let isWord = name.utf8.enumerated().allSatisfy { index, byte in
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
                    || byte == UInt8(ascii: "_")
                    || index > 0 && (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            }
            if isWord { return name }
            var escaped = ""
            for scalar in name.unicodeScalars {
                if scalar == "`" || scalar == "\\" { escaped.append("\\") }
                escaped.unicodeScalars.append(scalar)
            }
            return "`\(escaped)`"
        }.joined(separator: ".")
    }
}
