import HearthFirestore
import HearthModel
import HearthProtocol
import Testing

@testable import HearthStore

struct DocumentContentTests {
    private let reader = DocumentReader(database: StoreBench.database)

    private func read(_ content: [UInt8]) throws -> Document {
        try content.withUnsafeBytes { bytes throws(StoreError) in
            try reader.document(key("a/b"), content: bytes)
        }
    }

    @Test func `every kind of value comes back from a document's bytes`() throws {
        let document = found("a/b", everyValue, at: 1_234_567)
        let read = try read(try reader.content(of: document))
        #expect(read == document)
        #expect(read.createdAt == document.createdAt)
    }

    @Test func `only the selected fields are read`() throws {
        let content = try reader.content(of: found("a/b", everyValue))
        let selection = FieldSelection([
            FieldPath(["map", "inner"]), FieldPath(["int"]), FieldPath(["e\u{301}"]),
            FieldPath(["absent"]), FieldPath(["map"]),
        ])
        let fields = try content.withUnsafeBytes { bytes throws(StoreError) in
            try reader.fields(selection, of: bytes)
        }
        #expect(
            fields
                == ["e\u{301}": .integer(2), "int": .integer(.min), "map": everyValue["map"] ?? .null]
        )
    }

    @Test func `cut or disturbed bytes are damage or another document, never a crash`() throws {
        let content = try reader.content(of: found("a/b", everyValue))
        for count in content.indices { _ = try? read(Array(content[..<count])) }
        var random = SeededChance(seed: 7)
        for _ in 0..<5_000 {
            var disturbed = content
            for _ in 0..<3 {
                let index = Int.random(in: disturbed.indices, using: &random)
                disturbed[index] = UInt8.random(in: 0...255, using: &random)
            }
            _ = try? read(disturbed)
        }
    }
}
