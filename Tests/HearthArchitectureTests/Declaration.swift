/// A line that declares something other targets can see.
struct Declaration {
    /// `package` or `public`.
    let access: String
    /// What is declared, from its keyword on.
    private let subject: Substring

    private static let keywords: Set<Substring> = [
        "func", "var", "let", "struct", "enum", "class", "actor", "protocol", "typealias", "init",
        "subscript", "macro", "associatedtype",
    ]

    /// What protocols of the standard library and of swift-log ask for, and explain themselves.
    private static let wellKnown = [
        "func == ", "func < ", "func hash(into", "var description:", "var debugDescription:",
        "func encode(to ", "init(from decoder", "init(dictionaryLiteral", "init(arrayLiteral",
        "init(stringLiteral", "init(integerLiteral", "init(floatLiteral", "init(booleanLiteral",
        "init(nilLiteral", "func makeAsyncIterator", "func makeIterator", "func next()",
        "var errorDescription:", "var unownedExecutor:", "func enqueue(_ job:", "var logLevel:",
        "var metadata:", "subscript(metadataKey", "func log(event:", "func log(level:",
    ]

    /// Returns `nil` for any other line.
    init?(_ line: String) {
        let words = line.split(separator: " ")
        let access = words.first { !$0.hasPrefix("@") }
        guard access == "package" || access == "public", let access else { return nil }
        let isKeyword: (Substring) -> Bool = { word in
            Self.keywords.contains(word.prefix { $0.isLetter })
        }
        guard let keyword = words.first(where: isKeyword), !words.contains("import"),
            !words.contains("extension")
        else { return nil }
        self.access = String(access)
        subject = line[keyword.startIndex...]
    }

    /// The kind and name, such as `func apply` or `var count`.
    var name: String { Self.name(of: subject) }

    /// The names that the protocols of a file ask for.
    static func requirements(in lines: [String]) -> Set<String> {
        var names: Set<String> = []
        var isInProtocol = false
        for line in lines {
            let trimmed = line.drop { $0 == " " }
            if line == trimmed, line.hasSuffix("{") {
                isInProtocol = line.split(separator: " ").prefix(2).contains("protocol")
            } else if line == "}" {
                isInProtocol = false
            } else if isInProtocol, let keyword = trimmed.split(separator: " ").first,
                keyword == "func" || keyword == "var"
            {
                names.insert(name(of: trimmed))
            }
        }
        return names
    }

    private static func name(of subject: Substring) -> String {
        let words = subject.split(separator: " ", maxSplits: 1)
        let name = words.last?.prefix { $0.isLetter || $0.isNumber || $0 == "_" } ?? ""
        return "\(words.first ?? "") \(name)"
    }

    /// Whether it fulfils a foreign protocol, whose own documentation explains it.
    var isWellKnown: Bool {
        Self.wellKnown.contains { subject.hasPrefix($0) }
    }
}
