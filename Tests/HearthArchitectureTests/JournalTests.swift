import Testing

/// What the journal can tell: nothing is declared that no message has.
struct JournalTests {
    private static let folder = "Sources/Flame/HearthServer/Operations/"

    /// The names of the cases that a file declares.
    private func cases(of name: String) throws -> [String] {
        try SourceTree.file("\(Self.folder)\(name).swift").code.compactMap { _, line in
            let words = line.split { $0 == " " || $0 == "=" }
            guard words.first == "case", words.count > 1, words[1].allSatisfy(\.isLetter) else {
                return nil
            }
            return String(words[1])
        }
    }

    /// The code of every file but the two enumerations, from where it records something.
    private func code() throws -> [SourceFile] {
        let declared = ["JournalEvent", "JournalField"].map { "\(Self.folder)\($0).swift" }
        return try SourceTree.swiftFiles(below: "Sources/").filter { file in
            !declared.contains(file.path)
                && file.code.contains {
                    $0.text.contains(".record(") || $0.text.contains("JournalField")
                }
        }
    }

    @Test func `every event is recorded somewhere`() throws {
        let events = try cases(of: "JournalEvent")
        #expect(events.count > 15)
        let calls = try code().flatMap { file in
            file.code.indices.filter { file.code[$0].text.contains(".record(") }.map { index in
                // The event is the first argument, which may stand on the next line.
                file.code[index...].prefix(2).map(\.text).joined()
            }
        }
        for event in events {
            #expect(calls.contains { names($0, ".\(event)") }, "nothing records \(event)")
        }
    }

    @Test func `every field is a particular of some message`() throws {
        let fields = try cases(of: "JournalField")
        #expect(fields.count > 10)
        let lines = try code().flatMap { $0.code.map(\.text) }.filter { line in
            !line.drop { $0 == " " }.hasPrefix("case ")
        }
        for field in fields {
            let isUsed = lines.contains {
                names($0, ".\(field):") || names($0, "JournalField.\(field)")
            }
            #expect(isUsed, "no message has \(field)")
        }
    }

    /// Whether a line has a name that does not go on behind it.
    private func names(_ line: String, _ name: String) -> Bool {
        line.ranges(of: name).contains { range in
            line[range.upperBound...].first.map { !$0.isLetter && !$0.isNumber } ?? true
        }
    }
}
