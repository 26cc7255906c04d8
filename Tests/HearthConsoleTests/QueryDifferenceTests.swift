import HearthConsole
import HearthModel
import Testing

/// What differs between two answers to a query.
struct QueryDifferenceTests {
    private func document(_ path: String, _ fields: MapValue, isPending: Bool = false) throws
        -> Document
    {
        let version = SnapshotVersion(Timestamp(seconds: 1, nanoseconds: 0))
        var document = Document.found(try DocumentKey(parsing: path), at: version, fields)
        if isPending { document.markLocalMutations() }
        return document
    }

    @Test func `each document that differs is named, with its fields`() throws {
        let difference = QueryDifference(
            cache: [
                try document(
                    "rooms/c", ["n": .integer(1), "m": .null, "same": .boolean(true)],
                    isPending: true),
                try document("rooms/a", ["n": .integer(1)]), try document("rooms/b", [:]),
            ],
            backend: [
                try document("rooms/b", [:]),
                try document("rooms/c", ["n": .double(1), "same": .boolean(true), "new": .null]),
                try document("rooms/d", [:]),
            ])
        #expect(difference.equalCount == 1)
        #expect(difference.entries.map(\.key.path.string) == ["rooms/a", "rooms/c", "rooms/d"])
        #expect(difference.entries.map(\.kind) == [.onlyInCache, .different, .onlyInBackend])
        #expect(difference.entries[1].fields == ["m", "n", "new"])
        #expect(difference.entries.map(\.isPending) == [false, true, false])
    }
}
