import Testing

/// Each table of an API names a test for each row, which must be there.
struct APITableTests {
    /// One row: the feature's name elsewhere, its name here, its state, and the test that shows it.
    private struct Row {
        let name: String
        let state: String
        let proof: String
    }

    private static let states: Set<String> = ["same", "differs", "none"]

    /// The pages with a table.
    private static let pages = ["APITable", "RealtimeAPITable"]

    private func page(_ name: String) throws -> SourceFile {
        try SourceTree.file("Sources/Flame/Hearth/Hearth.docc/\(name).md")
    }

    private func rows(_ name: String) throws -> [Row] {
        try page(name).lines.filter { $0.hasPrefix("| ") }.dropFirst().map { line in
            let cells = line.split(separator: "|").map { cell in
                String(cell.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
            }
            try #require(cells.count == 4, "\(line)")
            return Row(name: cells[0], state: cells[2], proof: cells[3])
        }
    }

    /// The names of all tests that are sentences.
    private func tests() throws -> Set<String> {
        var names: Set<String> = []
        for file in try SourceTree.swiftFiles(below: "Tests/") {
            for line in file.lines {
                let parts = line.split(separator: "`", omittingEmptySubsequences: false)
                if parts.count > 2, parts[0].hasSuffix("func ") { names.insert(String(parts[1])) }
            }
        }
        return names
    }

    @Test(arguments: pages)
    func `every row of the API is shown by a test that exists, or says why it is not there`(
        name: String
    ) throws {
        let (rows, tests) = (try rows(name), try tests())
        #expect(rows.count > 50)
        for row in rows {
            let state = row.state.split(separator: " ").first.map(String.init) ?? ""
            #expect(Self.states.contains(state), "\(row.name): \(row.state)")
            #expect(tests.contains(row.proof) != (state == "none"), "\(row.name): \(row.proof)")
        }
    }

    @Test(arguments: pages)
    func `every difference has its note, and every note its row`(name: String) throws {
        let used = Set(
            try rows(name).compactMap { row in
                row.state.hasPrefix("differs ")
                    ? String(row.state.dropFirst("differs ".count)) : nil
            })
        let notes = try page(name).lines.compactMap { line -> String? in
            guard let dot = line.firstIndex(of: "."), line[..<dot].allSatisfy(\.isNumber),
                dot != line.startIndex
            else { return nil }
            return String(line[..<dot])
        }
        #expect(used == Set(notes))
        #expect(notes.count == Set(notes).count)
    }
}
