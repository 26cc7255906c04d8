import Testing

/// The page and the protocol file from which strangers write clients.
struct WireProtocolTests {
    private let lines: [Substring]

    init() throws {
        lines = try SourceTree.file("Sources/Stone/HearthWire/Protos/hearth.proto").lines
    }

    /// Whether a line declares a field or a value of an enumeration.
    private func declares(_ line: Substring) -> Bool {
        guard line.hasPrefix("  "), line.contains(" = "), let end = line.firstIndex(of: ";") else {
            return false
        }
        return line[..<end].last?.isNumber ?? false
    }

    @Test func `every field, message and value of the protocol says what it means`() {
        for (index, line) in lines.enumerated().dropFirst() {
            let isNamed = line.contains("message ") || line.contains("enum ")
            let isBlock = isNamed && line.hasSuffix("{") && !line.contains("//")
            guard isBlock || declares(line) && !line.contains("//") else { continue }
            let above = lines[index - 1].drop { $0 == " " }
            #expect(above.hasPrefix("//"), "line \(index + 1): \(line)")
        }
    }

    @Test func `the page names only messages, fields and kinds that there are`() throws {
        let known = Set(
            lines.flatMap { line in
                line.split { !($0.isLetter || $0.isNumber || $0 == "_") }.map(String.init)
            })
        let page = try SourceTree.file("Sources/Stone/HearthWire/PROTOCOL.md")
        var isCode = false
        var count = 0
        for line in page.lines {
            if line.hasPrefix("```") { isCode.toggle() }
            if isCode { continue }
            for (index, word) in line.split(separator: "`", omittingEmptySubsequences: false)
                .enumerated() where index % 2 == 1
            {
                let isKind = word.count > 3 && word.allSatisfy { $0.isUppercase || $0 == "_" }
                guard isKind, !Self.statuses.contains(String(word)) else { continue }
                count += 1
                #expect(known.contains(String(word)), "\(word)")
            }
        }
        #expect(count > 30)
    }

    /// The list of the children of a place stands for all questions of operators. Beside the files that are
    /// counted here, only the reading of Firestore's stores and the rows of the tree know the question. One of the
    /// files is there because this question may go to the backend.
    @Test func `a question that changes nothing is known to nine files and two more`() throws {
        let words = ["ChildPage", "ChildList", "ListChildren", "LIST_CHILDREN", "childPage("]
        let files = try SourceTree.paths().filter { $0.hasPrefix("Sources/") }
            .map(SourceTree.file)
            .filter { file in
                file.lines.contains { line in words.contains { line.contains($0) } }
            }
        #expect(files.count == 9, "\(files.map(\.path))")
    }

    /// gRPC's own words.
    private static let statuses: Set<String> = [
        "INVALID_ARGUMENT", "NOT_FOUND", "PERMISSION_DENIED", "RESOURCE_EXHAUSTED",
        "FAILED_PRECONDITION", "UNAVAILABLE", "UNIMPLEMENTED", "ABORTED", "ALREADY_EXISTS",
    ]
}
