import HearthModel

/// Documents of one kind: eight fields (two integers, a double, three texts, a time, a map of
/// three), about 300 bytes as stored, ids of twenty characters by chance.
struct SampleDocuments {
    static let database = DatabaseID(project: "bench")
    static let collection = ResourcePath(["items"])

    let count: Int
    private var random: UInt64 = 0x9E37_79B9_7F4A_7C15

    init(count: Int) {
        self.count = count
    }

    /// How many different cities there are, so that ten documents share one.
    var cityCount: Int { max(1, count / 10) }

    /// The key of a document, by its number.
    static func key(_ number: Int) -> DocumentKey {
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8)
        var state = UInt64(number) &* 0x9E37_79B9_7F4A_7C15 ^ 0x5851_F42D_4C95_7F2D
        var id: [UInt8] = []
        for _ in 0..<20 {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            id.append(letters[Int(state % UInt64(letters.count))])
        }
        return key(String(decoding: id, as: UTF8.self))
    }

    /// A key by its id.
    static func key(_ id: String) -> DocumentKey {
        guard let name = try? PathSegment(parsing: id),
            let key = DocumentKey(collection.appending(name))
        else { preconditionFailure(id) }
        return key
    }

    /// The city that a document's number gives it.
    func city(_ number: Int) -> String { "city-\((number &* 7_919) % cityCount)" }

    /// The fields of a document in a revision.
    func fields(_ number: Int, revision: Int = 0) -> MapValue {
        [
            "city": .string(city(number)),
            "count": .integer(Int64((number &* 48_271 &+ revision &* 7) % 1_000_003)),
            "name": .string("A document with number \(number), which has a name of some length"),
            "note": .string("revision \(revision): the quick brown fox jumps over the lazy dog"),
            "price": .double(Double(number) / 7),
            "seen": .timestamp(Timestamp(seconds: 1_700_000_000 + Int64(number), nanoseconds: 0)),
            "size": .integer(Int64(number % 97)),
            "where": .map([
                "lat": .double(Double(number % 180)), "lon": .double(Double(number % 360)),
                "zone": .string("zone-\(number % 12)"),
            ]),
        ]
    }

    /// A document as the backend tells of it.
    func document(_ number: Int, revision: Int, at version: SnapshotVersion) -> Document {
        .found(
            Self.key(number), at: version, fields(number, revision: revision), createdAt: version)
    }
}
