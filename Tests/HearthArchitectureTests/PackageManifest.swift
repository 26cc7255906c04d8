/// The targets that `Package.swift` declares, read from the text of `Package.swift`.
struct PackageManifest {
    /// One target.
    struct Target {
        /// What makes it: `stone`, `flame`, `tests`, or a function of the package description.
        let maker: String
        /// Its name.
        let name: String
        /// Its folder, if it is written down.
        let path: String?
        /// The targets and products that it depends on.
        let dependencies: Set<String>

        /// The layering table's name of the target: the folder below `Sources/Stone` and its like,
        /// or else the target's own name.
        var folder: String {
            let names = (path ?? "").split(separator: "/").map(String.init)
            return names.first == "Sources" && names.count > 2 ? names[2] : name
        }
    }

    private static let makers: Set<String> = [
        "stone", "flame", "tests", ".target", ".executableTarget",
    ]

    /// The targets with Swift or C in them, in the order of the file.
    let targets: [Target]

    /// Reads a manifest.
    init(_ file: SourceFile) {
        let words = Self.words(in: file)
        let lists = Self.lists(in: words)
        let start = words.lastIndex(of: "targets") ?? words.endIndex
        targets = words.indices.filter { index in
            index > start && Self.makers.contains(words[index]) && words[index + 1] == "("
        }.compactMap { index in
            Self.target(words[index], Self.arguments(words[(index + 2)...]), lists)
        }
    }

    /// Strings with their first quote, names with a leading dot if there is one, and signs.
    private static func words(in file: SourceFile) -> [String] {
        var words: [String] = []
        for line in file.lines where !line.drop(while: { $0 == " " }).hasPrefix("//") {
            var rest = line
            while let first = rest.first {
                let word: Substring
                if first == "\"" {
                    word = "\"" + rest.dropFirst().prefix { $0 != "\"" }
                    rest = rest.dropFirst(min(word.count + 1, rest.count))
                } else {
                    let isName: (Character) -> Bool = { $0.isLetter || $0.isNumber }
                    let dot = first == "." ? 1 : 0
                    let name = rest.dropFirst(dot).prefix(while: isName)
                    word = name.isEmpty ? rest.prefix(1) : rest.prefix(name.count + dot)
                    rest = rest.dropFirst(word.count)
                }
                if word != " " { words.append(String(word)) }
            }
        }
        return words
    }

    /// The products that stand behind each constant, such as `nio`.
    private static func lists(in words: [String]) -> [String: Set<String>] {
        var lists: [String: Set<String>] = [:]
        var name = ""
        for (index, word) in words.enumerated() where index + 2 < words.count {
            if word == "let" { name = words[index + 1] }
            if word == ".product", words[index + 2] == "name" {
                lists[name, default: []].insert(String(words[index + 4].dropFirst()))
            }
            if word == "targets" { break }
        }
        return lists
    }

    /// The words of each argument of a call, by its label; those before the first label have none.
    private static func arguments(_ words: ArraySlice<String>) -> [String: [String]] {
        var arguments: [String: [String]] = [:]
        var (label, depth) = ("", 1)
        for (index, word) in zip(words.indices, words) {
            if word == "(" || word == "[" { depth += 1 }
            if word == ")" || word == "]" { depth -= 1 }
            if depth == 0 { break }
            if depth == 1, word != ":", words[index + 1] == ":" {
                label = word
            } else {
                arguments[label, default: []].append(word)
            }
        }
        return arguments
    }

    private static func target(
        _ maker: String, _ arguments: [String: [String]], _ lists: [String: Set<String>]
    ) -> Target? {
        let isText: (String) -> Bool = { $0.hasPrefix("\"") }
        let plain = arguments[""] ?? []
        guard let name = (arguments["name"] ?? plain).first(where: isText) else { return nil }
        // Without labels the name comes first, and then what the target depends on.
        let words = arguments["dependencies"] ?? Array(plain.dropFirst())
        var dependencies: Set<String> = []
        for (index, word) in words.enumerated() {
            let isPackage = index > 1 && words[index - 2] == "package"
            if isText(word), !isPackage { dependencies.insert(String(word.dropFirst())) }
            dependencies.formUnion(lists[word] ?? [])
        }
        return Target(
            maker: maker, name: String(name.dropFirst()),
            path: arguments["path"]?.first(where: isText).map { String($0.dropFirst()) },
            dependencies: dependencies)
    }
}
