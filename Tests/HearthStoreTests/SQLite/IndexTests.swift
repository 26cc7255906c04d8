import HearthEngine
import HearthFirestore
import HearthModel
import HearthSQLite
import HearthStore
import Testing

struct IndexTests {
    private let city = FieldPath(["city"])
    private let count = FieldPath(["count"])

    private func fields(_ number: Int) -> MapValue {
        ["city": .string("c\(number % 100)"), "count": .integer(Int64((number * 7) % 1_000))]
    }

    private var inCity: Query {
        var query = Query(path: path("a"))
        query.filters = [.field(city, .equal, .string("c7"))]
        return query
    }

    private var smallest: Query {
        var query = Query(path: path("a"))
        query.explicitOrderBys = [OrderBy(count)]
        query.limit = Query.Limit(10)
        return query
    }

    private func index(_ segments: FieldIndex.Segment...) throws -> FieldIndex {
        try #require(FieldIndex("a", segments))
    }

    @Test func `costly queries get an index by themselves, sorted and limited ones too`() throws {
        let bench = try IndexBench()
        try bench.fill(1_000, fields)
        #expect(!IndexBench.wantsBackfill(try bench.ask(inCity).actions))
        #expect(try bench.manage(.setAutomaticCreation(isEnabled: true)).indexes.isEmpty)
        let before = [try bench.ask(inCity), try bench.ask(smallest)]
        #expect(before.allSatisfy { IndexBench.wantsBackfill($0.actions) })
        #expect(try bench.explain(inCity).plan == .fullScan)
        try bench.fire(.indexBackfill)
        for (query, name) in [(inCity, "a(city asc)"), (smallest, "a(count asc)")] {
            let plan = try bench.explain(query)
            #expect(plan.plan == .index)
            #expect(plan.indexes == [name])
            #expect(plan.examinedCount == 10)
            #expect(plan.matchedCount == 10)
        }
        #expect(try bench.ask(inCity).keys == before[0].keys)
        #expect(try bench.ask(smallest).keys == before[1].keys)
        let report = try bench.manage(.list)
        #expect(report.createsAutomatically)
        #expect(report.indexes.allSatisfy { $0.isAutomatic && $0.isComplete })
    }

    @Test func `a scan that finds most of what it sees wants no index`() throws {
        let bench = try IndexBench()
        try bench.fill(300) { _ in ["city": .string("c7")] }
        _ = try bench.manage(.setAutomaticCreation(isEnabled: true))
        #expect(!IndexBench.wantsBackfill(try bench.ask(inCity).actions))
        let few = try IndexBench()
        try few.fill(90, fields)
        _ = try few.manage(.setAutomaticCreation(isEnabled: true))
        #expect(!IndexBench.wantsBackfill(try few.ask(inCity).actions))
    }

    @Test func `an index follows every change of a document and of its overlay`() throws {
        let bench = try IndexBench()
        try bench.fill(200, fields)
        _ = try bench.manage(.add(index(.init(city))))
        try bench.fire(.indexBackfill)
        #expect(try bench.ask(inCity).keys == ["107", "7"])
        func write(_ name: String, _ kind: Mutation.Kind) throws {
            let request = WriteRequest(
                id: bench.request(), writer: author,
                mutations: [Mutation(key: key(name), kind: kind)])
            try bench.take(.write(request))
        }
        try write("a/new", .set(["city": .string("c7")]))
        try write("a/7", .patch(["city": .string("elsewhere")], FieldMask([city])))
        try write("a/3", .patch(["city": .string("c7")], FieldMask([city])))
        #expect(try bench.ask(inCity).keys == ["107", "3", "new"])
        try bench.store.transaction { store throws(StoreError) in
            try store.setRemoteDocument(found("a/107", ["city": .string("gone")], at: 9))
            try store.setRemoteDocument(found("a/5", ["city": .string("c7")], at: 9))
            try store.removeRemoteDocument(key("a/3"))
        }
        // The patch of a/3 still holds, over nothing.
        #expect(try bench.explain(inCity).plan == .index)
        var documents: Set<String> = ["5", "new"]
        if try bench.ask(inCity).keys.contains("3") { documents.insert("3") }
        #expect(try Set(bench.ask(inCity).keys) == documents)
        // Another user sees none of it.
        try bench.take(.changeUser(UserID("other")))
        #expect(try bench.ask(inCity).keys == ["5", "7"])
    }

    @Test func `an index made after writes lists what is pending, and no longer what was answered`()
        throws
    {
        let bench = try IndexBench()
        try bench.fill(100, fields)
        func write(_ mutations: [Mutation]) throws {
            let request = WriteRequest(id: bench.request(), writer: author, mutations: mutations)
            try bench.take(.write(request))
        }
        func set(_ name: String) -> Mutation {
            Mutation(key: key(name), kind: .set(["city": .string("c7")]))
        }
        for number in 0..<300 { try write([set("a/w\(number)"), set("a/v\(number)")]) }
        for number in 0..<300 { try write([set("a/x\(number)")]) }
        for number in 0..<9 { try write([set("other/\(number)/a/y")]) }
        try bench.take(.changeUser(UserID("other")))
        try write([set("a/7")])
        try write([set("a/z")])
        _ = try bench.manage(.add(index(.init(city))))
        let asked = FieldIndex("a", [.init(city)], scope: .group)
        _ = try bench.manage(.add(try #require(asked)))
        #expect(try bench.fire(.indexBackfill) > 2)
        #expect(try bench.explain(inCity).plan == .index)
        #expect(try bench.ask(inCity).keys == ["7", "z"])
        try bench.take(.changeUser(.unauthenticated))
        #expect(try bench.ask(inCity).keys.count == 901)
        var everywhere = Query(collectionGroup: "a")
        everywhere.filters = inCity.filters
        #expect(try bench.explain(everywhere).plan == .index)
        #expect(try bench.ask(everywhere).keys.count == 910)
        try bench.store.transaction { store throws(StoreError) in
            for number in [BatchID(1), BatchID(301)] {
                try store.removeBatch(number, of: .unauthenticated)
            }
        }
        #expect(try bench.ask(inCity).keys.count == 898)
        #expect(try bench.number("SELECT count(*) FROM written_documents WHERE effect = 0") == 0)
        #expect(try bench.store.problems().isEmpty)
    }

    @Test func `backfilling goes on after a restart, and an index serves only when complete`()
        throws
    {
        let bench = try IndexBench()
        try bench.fill(5_000, fields)
        _ = try bench.manage(.add(index(.init(city))))
        try bench.take(.timerFired(.indexBackfill))
        #expect(try bench.explain(inCity).plan == .fullScan)
        #expect(IndexBench.wantsBackfill(try bench.restart()))
        #expect(try bench.fire(.indexBackfill) > 2)
        #expect(try bench.explain(inCity).plan == .index)
        #expect(try bench.ask(inCity).keys.count == 50)
        #expect(!IndexBench.wantsBackfill(try bench.restart()))
        #expect(try bench.explain(inCity).plan == .index)
    }

    @Test func `indexes are made, replaced and dropped on request`() throws {
        let bench = try IndexBench()
        try bench.fill(600, fields)
        let both = try index(.init(city), .init(count, .descending))
        let one = try index(.init(count))
        #expect(try bench.manage(.configure([both, one])).indexes.map(\.index) == [both, one])
        try bench.fire(.indexBackfill)
        // A document without a count is not in it, and yet in the city.
        #expect(try bench.explain(inCity).plan == .fullScan)
        var sorted = inCity
        sorted.explicitOrderBys = [OrderBy(count, .descending)]
        #expect(try bench.explain(sorted).indexes == ["a(city asc, count desc)"])
        #expect(try bench.manage(.configure([one])).indexes.map(\.index) == [one])
        #expect(try bench.explain(sorted).plan == .fullScan)
        try bench.fire(.indexBackfill)
        #expect(try bench.manage(.remove(one)).indexes.isEmpty)
        #expect(try bench.manage(.add(both)).indexes.map(\.index) == [both])
        try bench.fire(.indexBackfill)
        #expect(try bench.manage(.removeAll).indexes.isEmpty)
        try bench.fire(.indexBackfill)
        #expect(try bench.store.problems().isEmpty)
    }

    @Test func `the planner says which way it takes`() throws {
        let bench = try IndexBench()
        try bench.fill(200, fields)
        #expect(try bench.explain(Query(document: key("a/7"))).plan == .documentLookup)
        var named = Query(path: path("a"))
        named.filters = [
            .field(
                .documentID, .isIn,
                .array(
                    ["a/7", "a/9"].map {
                        .reference(DocumentName(database: StoreBench.database, key: key($0)))
                    }))
        ]
        #expect(try bench.explain(named).plan == .documentLookup)
        #expect(try bench.explain(named).matchedCount == 2)
        _ = try bench.manage(.add(index(.init(city))))
        try bench.fire(.indexBackfill)
        var query = inCity
        query.explicitOrderBys = [OrderBy(count)]
        let plan = try bench.explain(query)
        #expect(plan.plan == .partialIndex)
        #expect(plan.examinedCount == 2)
        query.filters.append(.field(FieldPath(["x"]), .equal, .integer(1)))
        #expect(try bench.explain(query).matchedCount == 0)
    }

    @Test func `a pending document that an index finds shows its promise, and when it was made`()
        throws
    {
        let bench = try IndexBench()
        try bench.fill(200, fields)
        _ = try bench.manage(.add(index(.init(city))))
        try bench.fire(.indexBackfill)
        for number in Int64(1)...2 {
            let made = Mutation(
                key: key("a/new"), kind: .set(["city": .string("c7"), "n": .integer(number)]))
            try bench.take(
                .write(WriteRequest(id: bench.request(), writer: author, mutations: [made])))
        }
        #expect(try bench.explain(inCity).plan == .index)
        let found = try bench.take(.get(bench.request(), inCity, .cache))
        guard case .answer(_, let snapshot)? = found.first else {
            Issue.record("\(found)")
            return
        }
        let new = snapshot.documents.documents.first { $0.key == key("a/new") }
        let first = PromisedClock.first.microseconds
        #expect(new?.promisedAt == Timestamp(promising: first + 1))
        #expect(new?.createdAt == SnapshotVersion(Timestamp(promising: first)))
    }
}
