import ArgumentParser
import Testing

@testable import HearthCLI

struct DocumentTableTests {
    private func document(
        _ name: String, _ fields: [(String, ValueLiteral)]?, isPending: Bool = false
    ) -> DocumentText {
        DocumentText(
            path: "rooms/\(name)",
            fields: fields.map { .map($0.map { .init(name: $0.0, value: $0.1) }) },
            hasPendingWrites: isPending, isFromCache: false)
    }

    private func lines(_ documents: [DocumentText]) -> [String] {
        ListFormat.table.lines(of: documents, in: DocumentTable.columns(of: documents))
    }

    @Test func `every field has a column, and numbers stand at the right`() {
        #expect(
            lines([
                document("hall", [("name", .string("Hall")), ("seats", .integer(40))]),
                document("attic", [("seats", .double(6.5)), ("tags", .array([]))]),
            ]) == [
                "DOCUMENT     name    seats  tags",
                "rooms/hall   \"Hall\"     40  -",
                "rooms/attic  -         6.5  []",
            ])
    }

    @Test func `a pending document and a missing one are told`() {
        #expect(
            lines([document("hall", [], isPending: true), document("attic", nil)]) == [
                "DOCUMENT     STATE", "rooms/hall   pending", "rooms/attic  does not exist",
            ])
    }

    @Test func `what has no room for a column of its own shares the last`() {
        let fields = (0..<DocumentTable.fieldCountMax + 2).map {
            ("f\($0)", ValueLiteral.integer(Int64($0)))
        }
        let table = lines([document("hall", fields), document("attic", [])])
        #expect(table[0].hasSuffix("f11  MORE"))
        #expect(table[1].hasSuffix(#"11  {"f12": 12, "f13": 13}"#))
        #expect(table[2].hasSuffix("-  -"))
    }

    @Test func `names that others chose give no orders, and are cut`() {
        let name = "a\u{1B}[31m" + String(repeating: "b", count: 100)
        let table = lines([document("hall\n", [(name, .string("\u{202E}"))])])
        for line in table {
            #expect(!line.unicodeScalars.contains(where: TerminalText.isOrder))
            #expect(line.count < 70)
        }
    }

    @Test func `two names that are equal to Unicode alone are two fields`() {
        let table = lines([
            document("hall", [("\u{E9}", .integer(1)), ("e\u{301}", .integer(2))])
        ])
        #expect(table[1] == "rooms/hall    1    2")
    }

    @Test(arguments: [
        ["get", "rooms/hall"], ["query", "rooms"], ["listen", "rooms"], ["describe", "rooms/hall"],
        ["aggregate", "rooms"], ["rtdb", "get", "rooms"], ["rtdb", "listen", "rooms"],
    ])
    func `the form is an option of every command that prints documents or values`(
        command: [String]
    ) throws {
        for format in ListFormat.allCases {
            _ = try HearthCommand.parseAsRoot(command + ["--format", format.rawValue])
        }
        #expect(throws: (any Error).self) {
            try HearthCommand.parseAsRoot(command + ["--format", "xml"])
        }
    }

    @Test func `a value that is a map has a row for each field, and another value one`() {
        let map = ValueLiteral.map([.init(name: "a", value: .integer(1))])
        #expect(
            ListFormat.table.lines(of: ValueRow.rows(of: map, named: "x")) == [
                "NAME  VALUE", "a     1",
            ])
        #expect(
            ListFormat.table.lines(of: ValueRow.rows(of: .string("s"), named: "x"))
                == ["NAME  VALUE", "x     \"s\""])
    }
}
