import HearthFirestore
import HearthModel
import Testing

struct ScanTests {
    /// Ten rooms, five of them in Rome, and others where a query for rooms must not look.
    private func fill(_ bench: StoreBench) throws {
        try bench.write {
            for number in 0..<10 {
                try $0.setRemoteDocument(
                    found(
                        "rooms/r\(number)",
                        [
                            "n": .integer(Int64(9 - number)),
                            "city": .string(number.isMultiple(of: 2) ? "Rome" : "Oslo"),
                            "deep": .map(["x": .integer(Int64(number % 3))]),
                        ], at: Int64(number + 1)))
            }
            try $0.setRemoteDocument(found("rooms/r0/beds/b0", ["n": .integer(1)], at: 20))
            try $0.setRemoteDocument(found("rooms2/r0", ["n": .integer(1)], at: 20))
            try $0.setRemoteDocument(found("beds/b1", ["n": .integer(2)], at: 20))
            try $0.setRemoteDocument(missing("rooms/gone", at: 21))
            try $0.setRemoteDocument(unknown("rooms/odd", at: 22))
        }
    }

    private func names(
        _ bench: StoreBench, _ query: Query, readAfter: SnapshotVersion = .zero,
        including: Set<DocumentKey> = [], firstCount: Int? = nil
    ) throws -> [String] {
        let scan = DocumentScan(
            query: query, readAfter: readAfter, including: including, firstCount: firstCount)
        let result = try bench.write { try $0.remoteDocuments(scan) }
        for (key, document) in result.documents { #expect(document.key == key) }
        return result.documents.keys.map(\.path.string).sorted()
    }

    private var rooms: Query { Query(path: path("rooms")) }

    @Test(arguments: StoreKind.allCases)
    func `a scan finds what exists in its collection and nothing beside it`(kind: StoreKind)
        throws
    {
        let bench = try StoreBench(kind)
        try fill(bench)
        #expect(try names(bench, rooms) == (0..<10).map { "rooms/r\($0)" })
        #expect(try names(bench, Query(path: path("nowhere"))).isEmpty)
    }

    @Test(arguments: StoreKind.allCases)
    func `a scan returns only what the filters let through`(kind: StoreKind) throws {
        let bench = try StoreBench(kind)
        try fill(bench)
        var query = rooms
        query.filters = [.field(FieldPath(["city"]), .equal, .string("Rome"))]
        #expect(try names(bench, query) == [0, 2, 4, 6, 8].map { "rooms/r\($0)" })
        query.filters.append(.field(FieldPath(["n"]), .lessThan, .double(4.5)))
        #expect(try names(bench, query) == ["rooms/r6", "rooms/r8"])
        query.filters = [
            .or([
                .field(FieldPath(["deep", "x"]), .equal, .integer(2)),
                .field(FieldPath(["n"]), .equal, .integer(9)),
            ])
        ]
        #expect(try names(bench, query) == ["rooms/r0", "rooms/r2", "rooms/r5", "rooms/r8"])
        query.filters = [.field(FieldPath(["city", "x"]), .equal, .integer(2))]
        #expect(try names(bench, query).isEmpty)
    }

    @Test(arguments: StoreKind.allCases)
    func `a filter on the name looks at keys`(kind: StoreKind) throws {
        let bench = try StoreBench(kind)
        try fill(bench)
        let name = DocumentName(database: StoreBench.database, key: key("rooms/r7"))
        var query = rooms
        query.filters = [.field(.documentID, .greaterThanOrEqual, .reference(name))]
        #expect(try names(bench, query) == ["rooms/r7", "rooms/r8", "rooms/r9"])
    }

    @Test(arguments: StoreKind.allCases)
    func `a document without a field that is sorted by is no result`(kind: StoreKind) throws {
        let bench = try StoreBench(kind)
        try fill(bench)
        try bench.write { try $0.setRemoteDocument(found("rooms/bare", [:], at: 30)) }
        var query = rooms
        query.explicitOrderBys = [OrderBy(FieldPath(["n"]))]
        #expect(try names(bench, query).count == 10)
    }

    @Test(arguments: StoreKind.allCases)
    func `bounds cut the results`(kind: StoreKind) throws {
        let bench = try StoreBench(kind)
        try fill(bench)
        var query = rooms
        query.explicitOrderBys = [OrderBy(FieldPath(["n"]))]
        query.startAt = Bound([.integer(2)], isInclusive: true)
        query.endAt = Bound([.integer(4)], isInclusive: false)
        #expect(try names(bench, query) == ["rooms/r6", "rooms/r7"])
    }

    @Test(arguments: StoreKind.allCases)
    func `only what was read later is looked at`(kind: StoreKind) throws {
        let bench = try StoreBench(kind)
        try fill(bench)
        #expect(try names(bench, rooms, readAfter: version(8)) == ["rooms/r8", "rooms/r9"])
        let scan = DocumentScan(query: rooms, readAfter: version(30))
        #expect(try bench.write { try $0.remoteDocuments(scan) }.documents.isEmpty)
    }

    @Test(arguments: StoreKind.allCases)
    func `documents with local writes come along whether they match or not`(kind: StoreKind)
        throws
    {
        let bench = try StoreBench(kind)
        try fill(bench)
        var query = rooms
        query.filters = [.field(FieldPath(["n"]), .equal, .integer(0))]
        let including: Set = [key("rooms/r3"), key("rooms/gone"), key("rooms/never")]
        let found = try names(bench, query, readAfter: version(9), including: including)
        #expect(found == ["rooms/gone", "rooms/r3", "rooms/r9"])
    }

    @Test(arguments: StoreKind.allCases)
    func `the first few are the first in the query's order`(kind: StoreKind) throws {
        let bench = try StoreBench(kind)
        try fill(bench)
        #expect(try names(bench, rooms, firstCount: 2) == ["rooms/r0", "rooms/r1"])
        var query = rooms
        query.explicitOrderBys = [OrderBy(.documentID, .descending)]
        #expect(try names(bench, query, firstCount: 2) == ["rooms/r8", "rooms/r9"])
        query.explicitOrderBys = [OrderBy(FieldPath(["n"]))]
        #expect(try names(bench, query, firstCount: 3) == ["rooms/r7", "rooms/r8", "rooms/r9"])
        query.explicitOrderBys = [OrderBy(FieldPath(["n"]), .descending)]
        #expect(try names(bench, query, firstCount: 3) == ["rooms/r0", "rooms/r1", "rooms/r2"])
        query.explicitOrderBys = [OrderBy(FieldPath(["city"]), .descending)]
        #expect(try names(bench, query, firstCount: 2) == ["rooms/r6", "rooms/r8"])
        #expect(try names(bench, query, firstCount: 50).count == 10)
        #expect(try names(bench, query, firstCount: 0).isEmpty)
    }

    @Test(arguments: StoreKind.allCases)
    func `the first few of a query limited to its last are the last`(kind: StoreKind) throws {
        let bench = try StoreBench(kind)
        try fill(bench)
        var query = rooms
        query.limit = Query.Limit(3, .last)
        #expect(try names(bench, query, firstCount: 3) == ["rooms/r7", "rooms/r8", "rooms/r9"])
        query.explicitOrderBys = [OrderBy(FieldPath(["n"]))]
        #expect(try names(bench, query, firstCount: 3) == ["rooms/r0", "rooms/r1", "rooms/r2"])
    }

    @Test(arguments: StoreKind.allCases)
    func `names count by number before they count by bytes`(kind: StoreKind) throws {
        let bench = try StoreBench(kind)
        let ids = ["__id-5__", "__id7__", "__id10__", "A", "__id", "_", "a"]
        try bench.write {
            for id in ids.reversed() { try $0.setRemoteDocument(found("c/\(id)")) }
        }
        let query = Query(path: path("c"))
        for count in 1...ids.count {
            let expected = ids.map { key("c/\($0)") }.sorted().prefix(count)
            let found = try names(bench, query, firstCount: count)
            #expect(found == expected.map(\.path.string).sorted())
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `a group is scanned in all its collections, below a path if the query says so`(
        kind: StoreKind
    ) throws {
        let bench = try StoreBench(kind)
        try fill(bench)
        let all = Query(collectionGroup: "beds")
        #expect(try names(bench, all) == ["beds/b1", "rooms/r0/beds/b0"])
        #expect(
            try names(bench, Query(collectionGroup: "beds", below: path("rooms/r0")))
                == ["rooms/r0/beds/b0"])
        #expect(try names(bench, all, firstCount: 1) == ["beds/b1"])
        var descending = all
        descending.explicitOrderBys = [OrderBy(.documentID, .descending)]
        #expect(try names(bench, descending, firstCount: 1) == ["rooms/r0/beds/b0"])
    }

    @Test(arguments: StoreKind.allCases)
    func `a query for one document finds it`(kind: StoreKind) throws {
        let bench = try StoreBench(kind)
        try fill(bench)
        #expect(try names(bench, Query(document: key("rooms/r4"))) == ["rooms/r4"])
        #expect(try names(bench, Query(document: key("rooms/r44"))).isEmpty)
        #expect(try names(bench, Query(document: key("rooms/gone"))).isEmpty)
    }

    @Test(arguments: StoreKind.allCases)
    func `every kind of value is filtered as in memory`(kind: StoreKind) throws {
        let bench = try StoreBench(kind)
        try bench.write { try $0.setRemoteDocument(found("v/all", everyValue)) }
        for entry in everyValue.entries {
            var query = Query(path: path("v"))
            query.filters = [.field(FieldPath([entry.key]), .equal, entry.value)]
            #expect(try names(bench, query) == ["v/all"], "\(entry.key)")
        }
    }
}
