import HearthEngine
import HearthFirestore
import HearthModel
import HearthProtocol
import HearthTestSupport
import Testing

@testable import HearthSQLite
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

    @Test func `documents of every shape and size come back`() throws {
        var random = SeededRandom(seed: 11)
        for round in 0..<100 {
            let document = found("a/b", randomFields(&random, depth: 0), at: Int64(round))
            #expect(try read(try reader.content(of: document)) == document)
        }
    }

    @Test func `what no document can hold is refused`() {
        let pending = PendingServerTimestamp(
            localWriteTime: Timestamp(seconds: 1, nanoseconds: 0), previousValue: nil)
        #expect(throws: StoreError.self) {
            try reader.content(of: found("a/b", ["t": .serverTimestamp(pending)]))
        }
        var deep = Value.array([])
        for _ in 0..<100 { deep = .map(["d": deep]) }
        #expect(throws: StoreError.self) { try reader.content(of: found("a/b", ["d": deep])) }
    }

    @Test(arguments: UInt8(0)..<8)
    func `a mark of an encoding that nobody writes is refused by its number`(mark: UInt8) throws {
        let content = [mark] + (try reader.content(of: found("a/b", everyValue)))
        let error = #expect(throws: StoreError.self) { try read(content) }
        #expect(error?.description.contains("in encoding \(mark)") == true)
        #expect(error?.description.contains("is damaged") == true)
    }

    @Test func `no document's bytes begin like a mark`() throws {
        var random = SeededRandom(seed: 12)
        for round in 0..<200 {
            let document = found("a/b", randomFields(&random, depth: 3), at: Int64(round))
            let content = try reader.content(of: document)
            let encoding = try content.withUnsafeBytes { bytes throws(StoreError) in
                try DocumentEncoding(of: bytes)
            }
            #expect(encoding == .message)
        }
        #expect(try DocumentEncoding(of: UnsafeRawBufferPointer(start: nil, count: 0)) == .message)
    }

    private func randomFields(_ random: inout SeededRandom, depth: Int) -> MapValue {
        var fields = MapValue.empty
        for index in 0..<Int.random(in: 0...6, using: &random) {
            let length = [1, 5, 126, 127, 128, 300].randomElement(using: &random) ?? 1
            let name = "\(index)" + String(repeating: "k", count: length)
            fields[name] = randomValue(&random, depth: depth)
        }
        return fields
    }

    private func randomValue(_ random: inout SeededRandom, depth: Int) -> Value {
        let sizes = [0, 1, 100, 127, 128, 16_383, 16_384, 20_000]
        let size = sizes.randomElement(using: &random) ?? 0
        switch Int.random(in: 0..<(depth < 4 ? 6 : 4), using: &random) {
        case 0: return .integer(Int64.random(in: .min ... .max, using: &random))
        case 1: return .string(String(repeating: "s", count: size))
        case 2: return .bytes([UInt8](repeating: 7, count: size))
        case 3: return everyValue.entries.randomElement(using: &random)?.value ?? .null
        case 4:
            return .array(
                (0..<Int.random(in: 0...3, using: &random)).map { _ in
                    randomValue(&random, depth: depth + 1)
                })
        default: return .map(randomFields(&random, depth: depth + 1))
        }
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
                == [
                    "e\u{301}": .integer(2), "int": .integer(.min),
                    "map": everyValue["map"] ?? .null,
                ]
        )
    }

    @Test func `cut or disturbed bytes are damage or another document, never a crash`() throws {
        let content = try reader.content(of: found("a/b", everyValue))
        for count in content.indices { _ = try? read(Array(content[..<count])) }
        var random = SeededRandom(seed: 7)
        for _ in 0..<5_000 {
            _ = try? read(random.damaged(content))
        }
    }
}
