import HearthModel
import HearthProtocol
import Testing

struct FirestoreCodecDocumentsTests {
    @Test(arguments: 0..<100 as Range<UInt64>)
    func `a random document survives its bytes, times included`(seed: UInt64) throws {
        var random = Seeded(seed)
        let document = Document.found(
            random.key(), at: random.version(), random.fields(), createdAt: random.version())
        let bytes = try Samples.wire.documentBytes(document)
        let read = try Samples.wire.document(fromBytes: bytes)
        #expect(read == document)
        #expect(read.createdAt == document.createdAt)
    }

    @Test func `a document that Google's library wrote is read`() throws {
        let document = try Samples.wire.document(fromBytes: GoldenBytes.document)
        #expect(document == (try Self.golden()))
        #expect(document.createdAt == Samples.version(1, 1_000))
    }

    @Test func `the bytes of a document are those of Google's library`() throws {
        #expect(try Samples.wire.documentBytes(try Self.golden()) == GoldenBytes.document)
    }

    @Test func `packed fields have the bytes that they have as values`() throws {
        var random = Seeded(17)
        var packedCount = 0
        let other = FirestoreCodec(
            database: DatabaseID(project: "r"), standIn: Samples.database)
        for _ in 0..<2_000 {
            let (key, version, fields) = (random.key(), random.version(), random.fields())
            if fields.packed.packedFields != nil { packedCount += 1 }
            let packed = Document.found(key, at: version, fields.packed)
            let plain = Document.found(key, at: version, fields)
            #expect(try Samples.wire.documentBytes(packed) == Samples.wire.documentBytes(plain))
            #expect(try other.documentBytes(packed) == other.documentBytes(plain))
            var map = ProtoMapValue()
            map.fields = try Samples.wire.encode(fields)
            #expect(try Samples.wire.mapBytes(fields) == FirestoreCodec.bytes(of: map))
            #expect(try Samples.wire.mapBytes(fields.packed) == FirestoreCodec.bytes(of: map))
            let nested = Mutation(key: key, kind: .set(["m": .map(fields.packed)]))
            let flat = Mutation(key: key, kind: .set(["m": .map(fields)]))
            #expect(try Samples.wire.mutationBytes(nested) == Samples.wire.mutationBytes(flat))
        }
        #expect(packedCount > 200)
    }

    @Test func `only a document that is found has bytes`() throws {
        #expect(throws: CodecError.self) {
            try Samples.wire.documentBytes(.missing(try Samples.key("a/b"), at: .zero))
        }
    }

    @Test(arguments: [
        "", "projects/p/databases/(default)/documents", "projects/p/databases/(default)/documents/",
        "projects/p/databases/(default)/documents/a",
        "projects/q/databases/(default)/documents/a/b",
        "projects/p/databases/(default)/documents/a//b",
        "projects/p/databases/(default)/documents//a/b",
        "projects/p/databases/(default)/documents/a/b/",
    ])
    func `a name that is no document of this database is refused`(name: String) {
        #expect(throws: CodecError.self) { try Samples.wire.key(fromName: name) }
    }

    @Test func `names of documents, paths and databases are read as they are written`() throws {
        let key = try Samples.key("rooms/__id7__")
        #expect(try Samples.wire.key(fromName: Samples.wire.name(of: key)) == key)
        #expect(try Samples.wire.path(fromName: Samples.wire.name(of: .root)) == .root)
        #expect(try FirestoreCodec.database(fromName: Samples.database.name) == Samples.database)
        #expect(throws: CodecError.self) { try FirestoreCodec.database(fromName: "projects/p") }
    }

    @Test(arguments: ["a", "a.b", "_x1", "`a b`.c", "`\\``", "`a\\\\`", "__name__", "`.`"])
    func `a field path of the grammar is read`(text: String) throws {
        let path = try FirestoreCodec.fieldPath(text)
        #expect(path.canonicalString == text)
    }

    @Test(arguments: [
        "", ".", "a.", ".a", "a..b", "1a", "a b", "`", "``", "`a", "`a`b", "a`b`", "é",
    ])
    func `a field path outside the grammar is refused`(text: String) {
        #expect(throws: CodecError.self) { try FirestoreCodec.fieldPath(text) }
    }

    private static func golden() throws -> Document {
        let fields: MapValue = [
            "array": .array([.integer(-1), .null]),
            "bool": .boolean(true),
            "bytes": .bytes([0, 255]),
            "double": .double(-0.0),
            "geo": .geoPoint(GeoPoint(latitude: 48.25, longitude: -11.5)),
            "int": .integer(9_007_199_254_740_993),
            "map": .map(["é": .string("é"), "e\u{301}": .string("two scalars")]),
            "ref": .reference(
                DocumentName(
                    database: DatabaseID(project: "q", database: "d"), key: try Samples.key("a/b"))),
            "string": .string("grüße 🔥"),
            "time": .timestamp(Timestamp(seconds: -1, nanoseconds: 999_999_000)),
            "vector": .vector([1.5]),
        ]
        return .found(
            try Samples.key("rooms/hall"), at: Samples.version(2, 123_456_789), fields,
            createdAt: Samples.version(1, 1_000))
    }
}
