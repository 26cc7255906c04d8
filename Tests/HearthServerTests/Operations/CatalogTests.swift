import Glibc
import HearthServer
import Testing

@Suite struct CatalogTests {
    private func catalog() throws -> String {
        let root = #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
        let file = try #require(fopen("/\(root)/systemd/catalog/hearth.catalog", "re"))
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = fread(&bytes, 1, bytes.count, file)
        return String(decoding: bytes[..<count], as: UTF8.self)
    }

    @Test(arguments: JournalEvent.allCases)
    func `every event has an entry that says whether data is at risk`(event: JournalEvent) throws {
        let entries = try catalog().components(between: "\n-- ")
        let entry = try #require(entries.first { $0.hasPrefix(event.rawValue) })
        #expect(entry.contains("\nSubject: "))
        #expect(entry.contains("\nDefined-By: Hearth\n"))
        #expect(entry.contains("\nDocumentation: man:"))
    }

    @Test func `a subject or a text names no field that messages do not have`() throws {
        let fields = Set(JournalField.allCases.map { JournalField.journalName(of: $0.rawValue) })
        let named = try catalog().split(separator: "@").filter { $0.hasPrefix("HEARTH_") }
        #expect(named.count > 10)
        for field in named { #expect(fields.contains(String(field)), "\(field)") }
    }

    @Test func `the catalog names no event that there is not`() throws {
        let ids = try catalog().components(between: "\n-- ").dropFirst().map {
            String($0.prefix(32))
        }
        #expect(Set(ids) == Set(JournalEvent.allCases.map(\.rawValue)))
        #expect(ids.count == JournalEvent.allCases.count)
    }
}

extension String {
    /// The pieces between the occurrences of a separator.
    fileprivate func components(between separator: String) -> [String] {
        var pieces: [String] = []
        var rest = self[...]
        while let range = rest.firstRange(of: separator) {
            pieces.append(String(rest[..<range.lowerBound]))
            rest = rest[range.upperBound...]
        }
        return pieces + [String(rest)]
    }
}
