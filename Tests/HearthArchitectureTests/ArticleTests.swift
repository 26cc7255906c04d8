import Testing

/// The articles about the library: every piece of their code stands in a test that runs.
struct ArticleTests {
    private static let catalogue = "Sources/Flame/Hearth/Hearth.docc/"

    /// Where the code of articles runs.
    private static let stages = [
        "Tests/HearthEndToEndTests/Articles/", "Tests/HearthEndToEndTests/Snippets/",
        "Tests/HearthTests/Realtime/",
    ]

    private func articles() throws -> [SourceFile] {
        try SourceTree.paths().filter { $0.hasPrefix(Self.catalogue) && $0.hasSuffix(".md") }
            .map(SourceTree.file)
    }

    /// The blocks of Swift in a page.
    private func blocks(in page: SourceFile) -> [String] {
        var blocks: [String] = []
        var block: [Substring]?
        for line in page.lines {
            if let lines = block {
                if line == "```" {
                    blocks.append(words(lines))
                    block = nil
                } else {
                    block = lines + [line]
                }
            } else if line == "```swift" {
                block = []
            }
        }
        return blocks
    }

    /// Lines without what only lays them out.
    private func words(_ lines: [Substring]) -> String {
        lines.flatMap { $0.split(separator: " ") }.joined(separator: " ")
    }

    @Test func `the code of every article runs in a test`() throws {
        let code = try Self.stages.flatMap { try SourceTree.swiftFiles(below: $0) }
            .map { words($0.lines) }
        var count = 0
        for article in try articles() {
            for block in blocks(in: article) {
                count += 1
                #expect(code.contains { $0.contains(block) }, "\(article.path): \(block)")
            }
        }
        #expect(count > 20)
    }

    @Test func `the first page names every article, and every article that is named is there`()
        throws
    {
        let pages = try articles()
        let names = Set(
            pages.map { $0.path.dropFirst(Self.catalogue.count).dropLast(".md".count) })
        let links = pages.flatMap { page in
            page.lines.flatMap { line in
                line.components(after: "<doc:").compactMap { $0.split(separator: ">").first }
            }
        }
        #expect(Set(links).isSubset(of: names))
        #expect(Set(links).union(["Hearth"]) == names)
    }
}

extension Substring {
    /// What follows each occurrence of a mark.
    fileprivate func components(after mark: String) -> [Substring] {
        ranges(of: mark).map { self[$0.upperBound...] }
    }
}
