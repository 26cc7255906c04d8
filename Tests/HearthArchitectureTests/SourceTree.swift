import FoundationEssentials

/// The package's files, found from this one.
enum SourceTree {
    /// The folder of `Package.swift`, with a slash at its end.
    static let root: String = {
        // Tests/HearthArchitectureTests/SourceTree.swift lies three names below it.
        let names = #filePath.split(separator: "/", omittingEmptySubsequences: false)
        return names.dropLast(3).joined(separator: "/") + "/"
    }()

    /// Names at the root, or in it, that are made by tools and never committed.
    private static let skipped: Set<String> = [
        ".git", ".build", ".swiftpm", "Package.resolved", "__pycache__",
    ]

    /// Every file that may be committed, by its path below the root.
    static func paths() throws -> [String] {
        try paths(below: "").sorted()
    }

    /// The Swift files below a folder, such as `Sources/Flame/Hearth/`.
    static func swiftFiles(below folder: String) throws -> [SourceFile] {
        try allSwiftFiles.get().filter { $0.path.hasPrefix(folder) }
    }

    /// The Swift files of a target, in whichever folder of `Sources` it lies, or in `Tests`.
    static func swiftFiles(of target: String) throws -> [SourceFile] {
        try allSwiftFiles.get().filter { file in
            let names = file.path.split(separator: "/")
            return names.dropFirst(names.first == "Tests" ? 1 : 2).first.map(String.init) == target
        }
    }

    /// Read once, since every test asks for them.
    private static let allSwiftFiles = Result {
        try paths().filter {
            ($0.hasPrefix("Sources/") || $0.hasPrefix("Tests/")) && $0.hasSuffix(".swift")
        }.map(file)
    }

    /// The file at a path below the root.
    static func file(_ path: String) throws -> SourceFile {
        guard let data = FileManager.default.contents(atPath: root + path) else {
            throw MissingFile(path: path)
        }
        return SourceFile(path: path, text: String(decoding: data, as: UTF8.self))
    }

    private static func paths(below folder: String) throws -> [String] {
        let names = try FileManager.default.contentsOfDirectory(atPath: root + folder)
        return try names.filter { !skipped.contains($0) && !$0.hasPrefix(".build-") }
            .flatMap { name -> [String] in
                let path = folder + name
                var isFolder = false
                guard FileManager.default.fileExists(atPath: root + path, isDirectory: &isFolder)
                else { return [] }
                return isFolder ? try paths(below: path + "/") : [path]
            }
    }

    /// A file that was listed and is not there.
    struct MissingFile: Error {
        let path: String
    }
}

/// One file of the package.
struct SourceFile {
    /// Its path below the root.
    let path: String
    /// Its lines as they are.
    let lines: [Substring]
    /// Its lines with their numbers, without comments and the contents of strings. Empty for what a
    /// tool wrote, and for what is no Swift.
    let code: [(number: Int, text: String)]

    /// Whether a tool wrote it.
    var isGenerated: Bool { Self.isGenerated(path) }

    /// Splits a text into lines.
    init(path: String, text: String) {
        self.path = path
        lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        var scanner = CodeScanner()
        code =
            Self.isGenerated(path) || !path.hasSuffix(".swift")
            ? [] : lines.enumerated().map { ($0 + 1, scanner.code(of: $1)) }
    }

    private static func isGenerated(_ path: String) -> Bool {
        path.hasSuffix(".pb.swift") || path.hasSuffix(".grpc.swift")
            || path == "Tests/HearthModelTests/Vectors/EmulatorFacts.swift"
            || path == "Tests/HearthRulesTests/Vectors/EmulatorDecisions.swift"
    }

    /// The modules that it imports, with the numbers of the lines.
    var imports: [(number: Int, module: String)] {
        let numbered = isGenerated ? lines.enumerated().map { ($0 + 1, String($1)) } : code
        return numbered.compactMap { number, line in
            guard line.contains("import ") else { return nil }
            let words = line.split { $0 == " " || $0 == "\t" }
            guard let index = words.firstIndex(of: "import"), index + 1 < words.count,
                words[..<index].allSatisfy(Self.standsBeforeImport)
            else { return nil }
            let kinds: Set<Substring> = [
                "struct", "class", "enum", "protocol", "typealias", "func", "let", "var",
            ]
            let name = kinds.contains(words[index + 1]) ? words[index + 2] : words[index + 1]
            return (number, String(name.prefix { $0 != "." }))
        }
    }

    private static func standsBeforeImport(_ word: Substring) -> Bool {
        word.hasPrefix("@")
            || ["public", "package", "internal", "fileprivate", "private"].contains(word)
    }
}
