import Testing

/// A file bears the name of the type that stands in the file, so that the list of files is an
/// index.
struct NamingTests {
    private static let keywords: Set<Substring> = [
        "struct", "class", "enum", "actor", "protocol", "typealias", "extension",
    ]

    /// What a file declares and extends, by the last parts of the names.
    private func subjects(of file: SourceFile) -> [(keyword: Substring, name: Substring)] {
        file.code.flatMap { _, line -> [(keyword: Substring, name: Substring)] in
            let words = line.split { $0 == " " }
            return zip(words, words.dropFirst()).compactMap { keyword, name in
                guard Self.keywords.contains(keyword) else { return nil }
                if name.hasPrefix("[") { return (keyword, "Array") }
                let path = name.prefix { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "." }
                return path.split(separator: ".").last.map { (keyword, $0) }
            }
        }
    }

    /// Whether a file declares or extends what it is named after; `A+B.swift` extends `A`.
    private func isNamedAfterContent(_ file: SourceFile) -> Bool {
        let name = file.path.split(separator: "/").last?.dropLast(".swift".count) ?? ""
        let parts = name.split(separator: "+", maxSplits: 1)
        return subjects(of: file).contains { keyword, subject in
            subject == parts.first && (parts.count == 1 || keyword == "extension")
        }
    }

    @Test func `every file declares or extends the type that it is named after`() throws {
        let files = try SourceTree.swiftFiles(below: "Sources/").filter { !$0.isGenerated }
        #expect(files.count > 500)
        for file in files {
            #expect(isNamedAfterContent(file), "\(file.path)")
        }
    }

    @Test(arguments: [
        ("A.swift", "struct A {}", true), ("A.swift", "extension A {}", true),
        ("A.swift", "package final class B.A: C {}", true), ("A.swift", "func a() {}", false),
        ("A+B.swift", "extension A where X == Y {}", true), ("A+B.swift", "struct A {}", false),
        ("A.swift", "// struct A", false), ("A.swift", "struct AB {}", false),
    ])
    func `a name is found where it is declared or extended`(
        path: String, code: String, isFound: Bool
    ) {
        #expect(isNamedAfterContent(SourceFile(path: path, text: code)) == isFound, "\(code)")
    }
}
