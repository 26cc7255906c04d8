import HearthEngine
import HearthFirestore
import HearthModel
import HearthStore
import HearthTestSupport
import Testing

/// Walks through indexes that are too long for a turn.
struct SurveyedIndexTests {
    private let city = FieldPath(["city"])
    private let count = FieldPath(["count"])

    private func fields(_ number: Int) -> MapValue {
        ["city": .string("c\(number % 10)"), "count": .integer(Int64((number * 7) % 300))]
    }

    /// A cache with 300 documents and two indexes.
    private func bench(surveys: SurveyTerms?) throws -> IndexBench {
        let bench = try IndexBench(surveys: surveys)
        try bench.fill(300, fields)
        for field in [city, count] {
            _ = try bench.manage(.add(try #require(FieldIndex("a", [.init(field)]))))
        }
        try bench.fire(.indexBackfill)
        return bench
    }

    private var terms: SurveyTerms {
        var terms = SurveyTerms()
        terms.scanCountMax = 20
        terms.spareCount = 3
        return terms
    }

    private func from(_ least: Int64, limit: Int? = nil) -> Query {
        var query = Query(path: path("a"))
        query.filters = [.field(count, .greaterThanOrEqual, .integer(least))]
        query.limit = limit.map { Query.Limit($0) }
        return query
    }

    private func inCity(_ number: Int) -> Query {
        var query = Query(path: path("a"))
        query.filters = [.field(city, .equal, .string("c\(number)"))]
        return query
    }

    private func order(_ actions: [FirestoreEngine.Action]) -> SurveyOrder? {
        for case .survey(.begin(let order)) in actions { return order }
        return nil
    }

    private func keys(_ actions: [FirestoreEngine.Action], of id: RequestID) -> [String]? {
        for case .answer(id, let snapshot) in actions {
            return snapshot.documents.documents.map(\.key.documentID)
        }
        return nil
    }

    @Test func `a short walk is taken in the turn`() throws {
        let bench = try bench(surveys: terms)
        let actions = try bench.take(.get(bench.request(), from(285), .cache))
        #expect(order(actions) == nil)
        #expect(try bench.ask(from(285)).keys.count == 15)
    }

    @Test func `a long walk is taken by a survey, which uses the index too`() throws {
        let bench = try bench(surveys: terms)
        let (get, explain) = (bench.request(), bench.request())
        let actions = try bench.takeWithSurveys(.get(get, from(100), .cache))
        #expect(order(actions) != nil)
        #expect(keys(actions, of: get)?.count == 200)
        let plans = try bench.takeWithSurveys(.explain(explain, from(100)))
        #expect(order(plans) != nil)
        for case .explained(explain, let plan) in plans {
            #expect(plan.plan == .index)
            #expect(plan.indexes == ["a(count asc)"])
            #expect(plan.examinedCount == 200)
            #expect(plan.matchedCount == 200)
        }
    }

    @Test func `a listener's survey walks through the index`() throws {
        let bench = try bench(surveys: terms)
        let listener = ListenerID(session: 1, number: 1)
        let actions = try bench.take(
            .listen(listener, from(100), ListenOptions(isCacheOnly: true)))
        let ordered = try #require(order(actions))
        guard case .documents(let findings) = try bench.answer(ordered) else {
            Issue.record("no documents came")
            return
        }
        #expect(findings.documents.count == 200)
        #expect(findings.examinedCount == 200)
        #expect(findings.isComplete)
    }

    @Test func `the first of one range do not stand in for those that another range has lost`()
        throws
    {
        var short = terms
        short.scanCountMax = 3
        let bench = try IndexBench(surveys: short)
        // In the order of names first come 112 others, then 111 near ones, then far ones.
        try bench.fill(300) { number in
            switch "\(number)".first {
            case "0", "1": ["city": .string("other")]
            case "2": ["city": .string("near")]
            default: ["city": .string("far")]
            }
        }
        _ = try bench.manage(.add(try #require(FieldIndex("a", [.init(city)]))))
        try bench.fire(.indexBackfill)
        var query = Query(path: path("a"))
        query.filters = [.field(city, .isIn, .array([.string("near"), .string("far")]))]
        query.limit = Query.Limit(2)
        let listener = ListenerID(session: 1, number: 1)
        let ordered = try #require(
            order(try bench.take(.listen(listener, query, ListenOptions(isCacheOnly: true)))))
        let outcome = try bench.answer(ordered)
        for (number, name) in ["2", "20", "200", "201", "202"].enumerated() {
            try bench.take(
                .write(
                    WriteRequest(
                        id: RequestID(session: 9, number: UInt64(number)),
                        writer: Writer(uid: 1, gid: 1, pid: 1),
                        mutations: [Mutation(key: key("a/\(name)"), kind: .delete)])))
        }
        var shown: [String]?
        for case .emit(let snapshot, [listener]) in try bench.takeWithSurveys(
            .surveyed(ordered.id, outcome))
        {
            shown = snapshot.documents.documents.map(\.key.documentID)
        }
        #expect(shown == ["203", "204"])
    }

    @Test func `bytes end a walk too`() throws {
        var short = terms
        short.scanByteCountMax = 100
        let bench = try bench(surveys: short)
        #expect(order(try bench.take(.get(bench.request(), from(285), .cache))) != nil)
    }

    /// Whether a query is too long for a turn whose look is bounded by so many bytes.
    private func isLong(
        _ query: Query, through segments: [String], _ byteCountMax: Int,
        among fields: (Int) -> MapValue
    ) throws -> Bool {
        var short = SurveyTerms()
        short.scanCountMax = 100  // A look at the whole collection is too long in any case.
        short.scanByteCountMax = byteCountMax
        let bench = try IndexBench(surveys: short)
        try bench.fill(300, fields)
        let index = FieldIndex("a", segments.map { .init(FieldPath([$0])) })
        _ = try bench.manage(.add(try #require(index)))
        try bench.fire(.indexBackfill)
        return order(try bench.take(.get(bench.request(), query, .cache))) != nil
    }

    @Test(arguments: [["city"], ["city", "count"]], [nil, 2] as [Int?])
    func `bytes end the walks of many alternatives together`(segments: [String], limit: Int?)
        throws
    {
        // Each alternative has one document of 4 KiB.
        func fields(_ number: Int) -> MapValue {
            [
                "city": .string("c\(number)"), "count": .integer(Int64(number)),
                "text": .string(String(repeating: "x", count: 4 << 10)),
            ]
        }
        var query = Query(path: path("a"))
        query.filters = [.field(city, .isIn, .array((0..<10).map { .string("c\($0)") }))]
        query.explicitOrderBys = [OrderBy(count)]
        query.limit = limit.map { Query.Limit($0) }
        #expect(try isLong(query, through: segments, 20 << 10, among: fields))
        #expect(try !isLong(query, through: segments, 80 << 10, among: fields))
    }

    @Test func `bytes end a walk through several ranges of one alternative`() throws {
        func fields(_ number: Int) -> MapValue {
            [
                "count": .integer(Int64(number)),
                "text": .string(String(repeating: "x", count: 512)),
            ]
        }
        // Of each of two ranges ten documents are read, which have about 6 KiB.
        var query = Query(path: path("a"))
        query.filters = [.field(count, .notEqual, .integer(150))]
        query.limit = Query.Limit(10)
        #expect(try isLong(query, through: ["count"], 8 << 10, among: fields))
        #expect(try !isLong(query, through: ["count"], 32 << 10, among: fields))
    }

    /// Has the cache know that the backend named documents `a/NAME` for a query.
    private func name(_ names: [String], for query: Query, in bench: IndexBench) throws {
        let target = TargetData(
            id: TargetID(1_000), target: query.target, sequenceNumber: 1,
            snapshotVersion: version(1_000), limboFreeVersion: version(1_000))
        try bench.store.transaction { store throws(StoreError) in
            try store.setTargetData(target)
            try store.addKeys(names.map { key("a/\($0)") }, to: target.id, at: 1)
        }
    }

    /// The names of the 30 documents in city 3.
    private var namesInCity: [String] { (0..<30).map { "\($0 * 10 + 3)" }.sorted() }

    @Test func `bytes end a look at what the backend named before too`() throws {
        var short = SurveyTerms()
        short.scanByteCountMax = 100
        let bench = try IndexBench(surveys: short)
        try bench.fill(300, fields)
        try name(namesInCity, for: inCity(3), in: bench)
        let get = bench.request()
        let actions = try bench.takeWithSurveys(.get(get, inCity(3), .cache))
        #expect(order(actions) != nil)
        #expect(keys(actions, of: get) == namesInCity)
    }

    @Test func `one survey is enough, though a document that the backend named was written`()
        throws
    {
        let bench = try IndexBench(surveys: terms)
        try bench.fill(300, fields)
        var query = inCity(3)
        query.limit = Query.Limit(25)
        try name(Array(namesInCity.prefix(25)), for: query, in: bench)
        try bench.take(
            .write(
                WriteRequest(
                    id: RequestID(session: 9, number: 1),
                    writer: Writer(uid: 1, gid: 1, pid: 1), mutations: [set("a/13", fields(3))])))
        let listener = ListenerID(session: 1, number: 1)
        let actions = try bench.takeWithSurveys(
            .listen(listener, query, ListenOptions(isCacheOnly: true)))
        #expect(actions.count { if case .survey(.begin) = $0 { true } else { false } } == 1)
        var shown: [String]?
        for case .emit(let snapshot, [listener]) in actions {
            shown = snapshot.documents.documents.map(\.key.documentID)
        }
        #expect(shown == Array(namesInCity.prefix(25)))
    }

    @Test func `what a limit leaves out does not count among the bytes that a survey holds`()
        throws
    {
        var small = terms
        small.byteCountMax = 500  // More than five documents take, and fewer than thirty.
        let bench = try IndexBench(surveys: small)
        try bench.fill(300, fields)
        _ = try bench.manage(.add(try #require(FieldIndex("a", [.init(city)]))))
        try bench.fire(.indexBackfill)
        var query = inCity(3)
        query.explicitOrderBys = [OrderBy(count, .ascending)]
        query.limit = Query.Limit(2)
        let listener = ListenerID(session: 1, number: 1)
        let ordered = try #require(
            order(try bench.take(.listen(listener, query, ListenOptions(isCacheOnly: true)))))
        guard case .documents(let findings) = try bench.answer(ordered) else {
            Issue.record("no documents came")
            return
        }
        #expect(findings.examinedCount == 30)
        #expect(findings.documents.count == 5)
    }

    @Test(arguments: 1...12) func `surveyed answers are those of a turn that looks itself`(
        seed: UInt64
    ) throws {
        var random = SeededGenerator(seed: seed)
        let benches = [try bench(surveys: terms), try bench(surveys: nil)]
        for number in 0..<Int.random(in: 0...30, using: &random) {
            let name = "a/\(Int.random(in: 0..<310, using: &random))"
            let mutation =
                Bool.random(using: &random)
                ? Mutation(key: key(name), kind: .delete)
                : set(name, fields(Int.random(in: 0..<300, using: &random)))
            let request = WriteRequest(
                id: RequestID(session: 9, number: UInt64(number)),
                writer: Writer(uid: 1, gid: 1, pid: 1), mutations: [mutation])
            for bench in benches { try bench.take(.write(request)) }
        }
        let queries = [
            from(0), from(100), from(150, limit: 40), from(290), inCity(3), from(10, limit: 5),
        ]
        for query in queries {
            let answers = try benches.map { bench -> [String]? in
                let id = bench.request()
                return keys(try bench.takeWithSurveys(.get(id, query, .cache)), of: id)
            }
            #expect(answers[0] != nil)
            #expect(answers[0] == answers[1], "\(query.canonicalID)")
            let shown = try benches.map { bench -> [String] in
                let listener = ListenerID(session: 1, number: bench.request().number)
                let options = ListenOptions(isCacheOnly: true)
                let told = try bench.takeWithSurveys(.listen(listener, query, options))
                for case .emit(let snapshot, [listener]) in told {
                    return snapshot.documents.documents.map(\.key.documentID)
                }
                return []
            }
            #expect(shown[0] == shown[1], "\(query.canonicalID)")
            #expect(shown[0] == answers[0])
        }
    }
}
