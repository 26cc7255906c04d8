import HearthConsole
import HearthModel
import Testing

/// What a page is told of a query's documents, event by event.
struct ToldDocumentsTests {
    private func document(_ path: String, _ number: Int64) throws -> Document {
        .found(
            try DocumentKey(parsing: path),
            at: SnapshotVersion(Timestamp(seconds: number, nanoseconds: 0)),
            ["n": .integer(number)])
    }

    private func paths(_ event: JSONValue?, _ name: String) -> [String?] {
        event?[name]?.elements?.map { $0.string ?? $0["path"]?.string } ?? []
    }

    @Test func `the first event tells all, and the next only what changed`() throws {
        var told = ToldDocuments()
        let (a, b) = (try document("c/a", 1), try document("c/b", 1))
        let first = told.event(for: [a, b])
        #expect(first?["isWhole"] == .boolean(true))
        #expect(paths(first, "documents") == ["c/a", "c/b"])
        #expect(told.event(for: [a, b]) == nil)
        let changed = told.event(for: [a, try document("c/b", 2)])
        #expect(changed?["isWhole"] == .boolean(false))
        #expect(paths(changed, "documents") == ["c/b"])
        #expect(changed?["order"] == .null)
    }

    @Test func `a document that comes, goes or moves changes the order`() throws {
        var told = ToldDocuments()
        let (a, b, c) = (try document("c/a", 1), try document("c/b", 1), try document("c/c", 1))
        _ = told.event(for: [a, b])
        let come = told.event(for: [c, a, b])
        #expect(paths(come, "documents") == ["c/c"])
        #expect(paths(come, "order") == ["c/c", "c/a", "c/b"])
        let gone = told.event(for: [c, b])
        #expect(paths(gone, "removed") == ["c/a"])
        #expect(paths(gone, "documents").isEmpty)
        let moved = told.event(for: [b, c])
        #expect(paths(moved, "order") == ["c/b", "c/c"])
    }

    @Test func `an empty result is told once`() {
        var told = ToldDocuments()
        #expect(told.event(for: [])?["isWhole"] == .boolean(true))
        #expect(told.event(for: []) == nil)
    }
}
