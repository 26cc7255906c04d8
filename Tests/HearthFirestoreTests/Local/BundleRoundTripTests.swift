import HearthFirestore
import HearthModel
import Testing

/// What `BundleWriter` writes, `BundleReader` reads.
struct BundleRoundTripTests {
    private static let database = DatabaseID(project: "p", database: "d")

    private func version(_ seconds: Int64, _ nanoseconds: Int32 = 0) -> SnapshotVersion {
        SnapshotVersion(Timestamp(seconds: seconds, nanoseconds: nanoseconds))
    }

    private func key(_ text: String) throws -> DocumentKey {
        try #require(DocumentKey(try ResourcePath(parsing: text)))
    }

    private func writer() -> BundleWriter {
        BundleWriter(
            id: "rooms \"ä\"\n", createdAt: version(5, 123_456_789), database: Self.database)
    }

    @Test func `every type of value comes back with its edges`() throws {
        let fields = MapValue([
            ("a.b`c", .null), ("t", .boolean(true)), ("min", .integer(.min)),
            ("max", .integer(.max)),
            ("third", .double(1.0 / 3)), ("tiny", .double(.leastNonzeroMagnitude)),
            ("negative zero", .double(-0.0)), ("nan", .double(.nan)), ("up", .double(.infinity)),
            ("down", .double(-.infinity)), ("whole", .double(3)),
            (
                "first",
                .timestamp(Timestamp(seconds: Timestamp.secondsRange.lowerBound, nanoseconds: 1))
            ),
            ("text", .string("\u{0}\u{1F}\"\\/東京😀e\u{301}é")),
            ("bytes", .bytes((0...255).map { UInt8($0) })), ("none", .bytes([])),
            ("one", .bytes([255])), ("two", .bytes([1, 2])),
            (
                "ref",
                .reference(DocumentName(database: DatabaseID(project: "q"), key: try key("x/y")))
            ),
            ("geo", .geoPoint(GeoPoint(latitude: -0.5, longitude: 180))),
            ("array", .array([.integer(1), .map(.empty)])), ("empty", .array([])),
            ("vector", .vector([1, -2.5])), ("map", .map(MapValue([("", .string(""))]))),
        ])
        var document = Document.found(
            try key("rooms/hä ll"), at: version(2, 1_000), fields, createdAt: version(1, 999))
        document.readAt = version(3, 7)
        var writer = writer()
        writer.add(document, queries: ["q"])
        let bundle = try BundleReader.read(writer.bytes, database: Self.database)
        let entry = try #require(bundle.entries.first)
        #expect(entry.document == document)
        #expect(entry.document.readAt == document.readAt)
        #expect(entry.document.createdAt == document.createdAt)
        #expect(entry.queries == ["q"])
        #expect(bundle.record.id == "rooms \"ä\"\n")
        #expect(bundle.record.createdAt == version(5, 123_456_789))
        #expect(bundle.record.version == 1)
    }

    static let queries: [HearthModel.Query] = {
        let age = FieldPath(["age"])
        var plain = Query(path: ResourcePath(["rooms"]))
        var below = Query(path: ResourcePath(["rooms", "hall", "lamps"]))
        below.filters = [
            .field(FieldPath(["a b", "c"]), .isIn, .array([.integer(1), .double(.nan)])),
            .or([.field(age, .greaterThan, .integer(3)), .field(age, .equal, .null)]),
            .field(FieldPath(["on"]), .notEqual, .double(.nan)),
        ]
        below.limit = .init(3)
        var group = Query(collectionGroup: "lamps")
        group.explicitOrderBys = [OrderBy(age, .descending)]
        group.startAt = Bound([.integer(9)], isInclusive: true)
        group.endAt = Bound([.integer(2)], isInclusive: false)
        group.limit = .init(2, .last)
        plain.startAt = Bound(
            [.reference(DocumentName(database: database, path: ResourcePath(["rooms", "b"])))],
            isInclusive: false)
        return [Query(path: ResourcePath(["rooms"])), plain, below, group]
    }()

    @Test(arguments: queries)
    func `a query comes back with its target and its end`(query: HearthModel.Query) throws {
        var writer = writer()
        let wasFree = writer.add(query, named: "q", readAt: version(4))
        let isFree = writer.add(query, named: "q", readAt: version(5))
        #expect(wasFree && !isFree)
        let bundle = try BundleReader.read(writer.bytes, database: Self.database)
        let named = try #require(bundle.namedQueries.first)
        #expect(bundle.namedQueries.count == 1)
        #expect(named.readAt == version(4))
        #expect(named.query.target == query.target)
        #expect(named.query.limit == query.limit)
    }

    @Test func `of one document told twice the later read counts, and all its queries`() throws {
        var old = Document.found(
            try key("a/b"), at: version(1), MapValue([("x", .integer(1))]))
        old.readAt = version(5)
        var missing = Document.missing(try key("a/b"), at: version(6))
        missing.readAt = version(6)
        for documents in [[old, missing], [missing, old]] {
            var writer = writer()
            writer.add(documents[0], queries: ["q"])
            writer.add(documents[1], queries: ["r", "q"])
            #expect(writer.documentCount == 1)
            let bundle = try BundleReader.read(writer.bytes, database: Self.database)
            #expect(bundle.entries.map(\.document) == [missing])
            #expect(bundle.entries.map { $0.queries.sorted() } == [["q", "r"]])
        }
    }
}
