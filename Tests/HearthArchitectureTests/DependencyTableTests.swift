import Testing

/// The table of targets in ARCHITECTURE.md, held against the one that the layering tests hold.
struct DependencyTableTests {
    /// One row of the page: a target, its folder of `Sources` (or `Tests`), its imports of our own
    /// targets.
    private struct Row: Hashable {
        let target: String
        let folder: String
        let imports: Set<String>
    }

    @Test func `ARCHITECTURE tells what each target imports`() throws {
        let told = try rows(of: SourceTree.file("ARCHITECTURE.md"))
        let held = try Set(Layering.allowed.map { try row(target: $0.key, modules: $0.value) })
        #expect(Set(told).subtracting(held).isEmpty, "told, and not so")
        #expect(held.subtracting(told).isEmpty, "so, and not told")
        #expect(Set(told).count == told.count, "a row stands twice")
    }

    @Test func `every page of decisions is in the index, and the other way round`() throws {
        let pages = try SourceTree.paths().filter { $0.hasPrefix("docs/decisions/") }
        let index = try SourceTree.file("ARCHITECTURE.md").lines
        for page in pages {
            #expect(index.contains { $0.contains("](\(page))") }, "\(page)")
        }
        #expect(index.count { $0.contains("](docs/decisions/") } == pages.count)
        #expect(index.count <= 300)
    }

    private func rows(of page: SourceFile) -> [Row] {
        page.lines.compactMap { line in
            let cells = line.split(separator: "|").map(names)
            guard line.hasPrefix("| `"), cells.count == 3, let target = cells[0].first,
                let folder = line.split(separator: "|").map(trimmed).dropFirst().first,
                ["Stone", "Flame", "Programs", "Tests"].contains(folder)
            else { return nil }
            return Row(target: target, folder: folder, imports: Set(cells[2]))
        }
    }

    private func row(target: String, modules: Set<String>) throws -> Row {
        let file = try #require(try SourceTree.swiftFiles(of: target).first, "\(target)")
        let names = file.path.split(separator: "/").map(String.init)
        let isOurs: (String) -> Bool = { module in
            module.hasPrefix("Hearth") || Self.system.contains(module)
        }
        return Row(
            target: target, folder: names[0] == "Tests" ? "Tests" : names[1],
            imports: modules.filter(isOurs))
    }

    /// The folders of `Sources/System`, which hold no Swift.
    private static let system: Set<String> = ["CLinux", "CPage", "CSQLite", "CSystemd", "CZlib"]

    /// The names between backquotes.
    private func names(in cell: Substring) -> [String] {
        cell.split(separator: "`", omittingEmptySubsequences: false).enumerated()
            .filter { $0.offset % 2 == 1 }.map { String($0.element) }
    }

    private func trimmed(_ cell: Substring) -> String {
        cell.split(separator: " ").joined(separator: " ")
    }
}
