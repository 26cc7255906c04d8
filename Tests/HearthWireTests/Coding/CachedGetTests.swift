import HearthModel
import HearthWire
import Testing

/// Which gets are read without decoding the message.
struct CachedGetTests {
    private static let codec = WireCodec(database: DatabaseID(project: "demo"))

    private func body(of query: Query, _ source: ReadSource) throws -> [UInt8] {
        try Self.codec.frame(of: .firestore(.get(query, source)), number: 7).body
    }

    private func name(in body: [UInt8]) -> [UInt8]? {
        CachedGet.documentName(in: body.span.bytes)
    }

    @Test(arguments: ["a/b", "rooms/caf\u{e9}", "a/" + String(repeating: "long", count: 300)])
    func `a get of one document from the cache is read, whatever its name`(path: String) throws {
        let key = try DocumentKey(parsing: path)
        let body = try body(of: Query(document: key), .cache)
        #expect(name(in: body) == Self.codec.nameBytes(of: key))
        #expect(CachedGet.kind == Request.firestore(.get(Query(document: key), .cache)).kind)
    }

    @Test func `any other get is left to the decoder`() throws {
        let key = try DocumentKey(parsing: "a/b")
        #expect(try name(in: body(of: Query(document: key), .default)) == nil)
        #expect(try name(in: body(of: Query(document: key), .server)) == nil)
        #expect(try name(in: body(of: Query(path: ResourcePath(parsing: "a")), .cache)) == nil)
    }

    @Test func `no cut or changed message is taken for a get of its own`() throws {
        let key = try DocumentKey(parsing: "a/b")
        let whole = try body(of: Query(document: key), .cache)
        for count in 0..<whole.count { #expect(name(in: Array(whole.prefix(count))) == nil) }
        #expect(name(in: whole + [0]) == nil)
        #expect(name(in: whole + whole) == nil)
        for index in [0, 1, 2, 3, whole.count - 2, whole.count - 1] {
            var changed = whole
            changed[index] ^= 1
            #expect(name(in: changed) == nil, "byte \(index)")
        }
        #expect(name(in: [0x0A, 0xFF, 0xFF, 0xFF, 0x0A]) == nil)
    }
}
