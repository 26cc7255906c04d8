import HearthModel
import Testing

@testable import Hearth

/// Names that Swift takes for one and that both databases tell apart.
struct SpelledMapTests {
    private static let (short, long) = ("\u{E9}", "e\u{301}")
    private let firestore = Firestore(settings: FirestoreSettings(socketPath: "/nowhere"))
    private let map = SpelledMap([.init(short, 1), .init(long, 2)])
    private let fields = MapValue(entries: [
        .init(key: short, value: .integer(1)), .init(key: long, value: .integer(2)),
    ])

    private func names(_ value: any Sendable) -> [[UInt8]]? {
        (value as? SpelledMap)?.fields.map { Array($0.name.utf8) }
            .sorted { $0.lexicographicallyPrecedes($1) }
    }

    private var both: [[UInt8]] { [Array(Self.long.utf8), Array(Self.short.utf8)] }

    @Test func `a map is a dictionary where Swift tells its names apart`() {
        #expect(SpelledMap([.init("a", 1), .init("b", 2)]).simplest is [String: any Sendable])
        #expect(names(map.simplest) == both)
        #expect(map.dictionary.count == 1)
    }

    @Test func `a map in a document keeps both names`() throws {
        let mutation = try UserData.set(
            ["m": map, "list": [map]], at: DocumentKey(parsing: "rooms/hall"))
        #expect(mutation.kind == .set(["m": .map(fields), "list": .array([.map(fields)])]))
    }

    @Test func `a document is read with both names`() {
        var decoder = ValueDecoder(firestore: firestore, behavior: .none)
        #expect((decoder.decode(.map(fields)) as? [String: any Sendable])?.count == 1)
        decoder.keepsSpellings = true
        #expect(names(decoder.decode(.map(fields))) == both)
        #expect(names(decoder.spelled(fields)) == both)
    }

    @Test func `a write of the queue tells both names`() throws {
        let mutation = Mutation(
            key: try DocumentKey(parsing: "rooms/hall"), kind: .set(["m": .map(fields)]))
        let write = PendingWrite(mutation, in: firestore)
        #expect(names(try #require(write.spelledFields?.fields.first).value) == both)
    }

    @Test func `a node keeps both keys, there and back`() throws {
        let node = try UserNode.read(map, at: .root)
        #expect(node.template.childCount == 2)
        #expect(names(try #require(node.template.exportValue(keepsSpellings: true))) == both)
        let prioritized = SpelledMap(map.fields + [.init(".priority", 3)])
        #expect(try UserNode.read(prioritized, at: .root).template.priority == 3)
    }

    @Test func `a reference to another database bears its full name, and is read by it`() throws {
        let name = "projects/other/databases/xx/documents/a/b"
        let foreign = try firestore.validatedReference(name)
        #expect(foreign.foreignName == name)
        #expect(foreign.name.description == name)
        #expect(try firestore.validatedReference("a/b").foreignName == nil)
        #expect(throws: FirestoreError.self) { try firestore.validatedReference("a") }
    }
}
