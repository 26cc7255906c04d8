/// Reads the part of TOML that a configuration of plain values needs.
///
/// The reader takes tables, dotted and quoted keys, texts on one line, lists of texts on one line, whole
/// numbers, true and false, and comments. The reader skips a value of another kind and keeps the name of the kind, so
/// that the complaint can name the key. A library would bring all of Foundation with it.
///
/// - Source: toml.io, version 1.0.0.
package struct TOMLReader {
    /// Why a file cannot be read.
    package struct Failure: Error, Hashable, CustomStringConvertible, Sendable {
        /// The line, from 1.
        package let line: Int
        /// What is wrong.
        package let message: String

        /// Says what is wrong in a line.
        package init(line: Int, message: String) {
            self.line = line
            self.message = message
        }

        package var description: String { "line \(line): \(message)" }
    }

    private var line: Substring.UnicodeScalarView = "".unicodeScalars[...]
    private var lineNumber = 0
    private var table: [String] = []
    private var values: [String: ConfigurationLayer.Value] = [:]
    private var lines: [String: Int] = [:]

    private init(reading text: String) throws(Failure) {
        for line in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
            lineNumber += 1
            self.line = Substring(line).unicodeScalars
            if lineNumber == 1, self.line.first == "\u{FEFF}" { self.line.removeFirst() }
            try readLine()
        }
    }

    /// Reads a whole file.
    ///
    /// - Returns: The values by their keys, tables and keys joined by dots.
    /// - Throws: The first line that cannot be read.
    package static func read(_ text: String) throws(Failure) -> [String: ConfigurationLayer.Value] {
        try TOMLReader(reading: text).values
    }

    /// Reads a whole file as a layer that knows its lines.
    ///
    /// - Throws: The first line that cannot be read.
    package static func layer(_ text: String, from origin: String) throws(Failure)
        -> ConfigurationLayer
    {
        let reader = try TOMLReader(reading: text)
        return ConfigurationLayer(origin: origin, values: reader.values, lines: reader.lines)
    }

    private mutating func readLine() throws(Failure) {
        skipSpaces()
        guard let first = line.first, first != "#" else { return }
        if first == "[" {
            line.removeFirst()
            guard line.first != "[" else { throw failure("lists of tables have no meaning here") }
            table = try readKey()
            try expect("]")
        } else {
            let key = (table + (try readKey())).joined(separator: ".")
            try expect("=")
            skipSpaces()
            guard values.updateValue(try readValue(), forKey: key) == nil else {
                throw failure("\(key) is set twice")
            }
            lines[key] = lineNumber
        }
        skipSpaces()
        guard line.isEmpty || line.first == "#" else {
            throw failure("nothing may follow but a comment, not \"\(String(line))\"")
        }
    }

    // MARK: Keys

    private mutating func readKey() throws(Failure) -> [String] {
        var parts: [String] = []
        while true {
            skipSpaces()
            switch line.first {
            case "\"": parts.append(try readBasicText())
            case "'": parts.append(try readLiteralText())
            default:
                let part = take { $0.isBare }
                guard !part.isEmpty else { throw failure("a key is missing") }
                parts.append(part)
            }
            skipSpaces()
            guard line.first == "." else { return parts }
            line.removeFirst()
        }
    }

    // MARK: Values

    private mutating func readValue() throws(Failure) -> ConfigurationLayer.Value {
        switch line.first {
        case "\"": return .text(try readBasicText())
        case "'": return .text(try readLiteralText())
        case "[": return try readList()
        case "{":
            line = "".unicodeScalars[...]
            return .other("a table")
        default: break
        }
        let word = take { $0 != "#" && $0 != " " && $0 != "\t" }
        switch word {
        case "true": return .flag(true)
        case "false": return .flag(false)
        case "": throw failure("a value is missing")
        default: return try number(word)
        }
    }

    /// A list of texts; a list of anything else is skipped with the rest of the line.
    private mutating func readList() throws(Failure) -> ConfigurationLayer.Value {
        line.removeFirst()
        var texts: [String] = []
        while true {
            skipSpaces()
            switch line.first {
            case "]":
                line.removeFirst()
                return .texts(texts)
            case "\"": texts.append(try readBasicText())
            case "'": texts.append(try readLiteralText())
            default:
                line = "".unicodeScalars[...]
                return .other("a list")
            }
            skipSpaces()
            if line.first == "," {
                line.removeFirst()
            } else if line.first != "]" {
                throw failure("a list does not end on its line")
            }
        }
    }

    private func number(_ word: String) throws(Failure) -> ConfigurationLayer.Value {
        let digits = word.replacing("_", with: "")
        for (prefix, radix) in [("0x", 16), ("0o", 8), ("0b", 2)] where digits.hasPrefix(prefix) {
            if let number = Int(digits.dropFirst(2), radix: radix) { return .number(number) }
        }
        if let number = Int(digits) { return .number(number) }
        if Double(digits) != nil {
            let isWhole = digits.utf8.allSatisfy { !".eEnN".utf8.contains($0) }
            return .other(isWhole ? "\(digits), which is beyond 64 bits" : "a fraction")
        }
        if word.first?.isNumber == true { return .other("a date") }
        throw failure("\"\(word)\" is no value; texts need quotation marks")
    }

    private mutating func readLiteralText() throws(Failure) -> String {
        line.removeFirst()
        let text = take { $0 != "'" }
        guard line.popFirst() != nil else { throw failure("a text does not end") }
        return text
    }

    private mutating func readBasicText() throws(Failure) -> String {
        line.removeFirst()
        var text = String.UnicodeScalarView()
        while let scalar = line.popFirst() {
            switch scalar {
            case "\"": return String(text)
            case "\\": text.append(try readEscape())
            default: text.append(scalar)
            }
        }
        throw failure("a text does not end")
    }

    private mutating func readEscape() throws(Failure) -> Unicode.Scalar {
        switch line.popFirst() {
        case "b": return "\u{8}"
        case "t": return "\t"
        case "n": return "\n"
        case "f": return "\u{C}"
        case "r": return "\r"
        case "\"": return "\""
        case "\\": return "\\"
        case "u": return try readScalar(digitCount: 4)
        case "U": return try readScalar(digitCount: 8)
        case let other: throw failure("\"\\\(other.map(String.init) ?? "")\" means nothing")
        }
    }

    private mutating func readScalar(digitCount: Int) throws(Failure) -> Unicode.Scalar {
        let digits = String(String.UnicodeScalarView(line.prefix(digitCount)))
        guard digits.unicodeScalars.count == digitCount, let number = UInt32(digits, radix: 16),
            let scalar = Unicode.Scalar(number)
        else { throw failure("\"\\u\(digits)\" is no character") }
        line = line.dropFirst(digitCount)
        return scalar
    }

    // MARK: Characters

    private mutating func skipSpaces() {
        line = line.drop { $0 == " " || $0 == "\t" }
    }

    private mutating func take(while isWanted: (Unicode.Scalar) -> Bool) -> String {
        let taken = line.prefix(while: isWanted)
        line = line.dropFirst(taken.count)
        return String(String.UnicodeScalarView(taken))
    }

    private mutating func expect(_ scalar: Unicode.Scalar) throws(Failure) {
        skipSpaces()
        guard line.first == scalar else { throw failure("\"\(scalar)\" is missing") }
        line.removeFirst()
    }

    private func failure(_ message: String) -> Failure {
        Failure(line: lineNumber, message: message)
    }
}

extension Unicode.Scalar {
    /// Whether a key without quotation marks may contain it.
    fileprivate var isBare: Bool {
        switch self {
        case "A"..."Z", "a"..."z", "0"..."9", "-", "_": true
        default: false
        }
    }
}
