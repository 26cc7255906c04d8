import HearthModel
import Testing

@testable import HearthBackend

/// Every way to find a query's results gives the same documents as a scan of everything.
struct SearchTests {
    /// What a query finds by looking at everything, without any index.
    private func byLooking(
        _ query: StructuredQuery, _ view: ReadView
    ) throws -> [DocumentKey] {
        let plan = try QueryPlan(query, in: BackendSpec.database)
        var found: [Document] = []
        for collection in view.documents.collections(of: plan) {
            view.documents.visit(collection: collection, at: view.moment) { document in
                if plan.matches(document) { found.append(document) }
                return true
            }
        }
        let sorted = plan.order.sorted(found).dropFirst(query.offset)
        return sorted.prefix(query.limit ?? sorted.count).map(\.key)
    }

    private static func value(_ random: inout Lottery) -> Value {
        switch random.number(below: 9) {
        case 0: .null
        case 1: .double(.nan)
        case 2: .string("\(random.number(below: 4))")
        case 3: .array((0..<random.number(below: 4)).map { .integer(Int64($0)) })
        case 4: .double(Double(random.number(below: 6)) / 2)
        default: .integer(Int64(random.number(below: 6)))
        }
    }

    private static func fields(_ random: inout Lottery) -> MapValue {
        var fields = MapValue.empty
        for name in ["a", "b", "c"] where random.number(below: 5) > 0 {
            fields[name] = value(&random)
        }
        return fields
    }

    private static func filter(_ random: inout Lottery, depth: Int = 0) -> Filter {
        let field = FieldPath([random.pick(["a", "b", "c"])])
        switch random.number(below: depth < 2 ? 9 : 7) {
        case 0: return .field(field, .isIn, .array([value(&random), .integer(1), .double(1)]))
        case 1: return .field(field, .arrayContains, .integer(Int64(random.number(below: 3))))
        case 2:
            return .unary(
                UnaryFilter(field: field, op: random.pick([.isNull, .isNaN, .isNotNull])))
        case 3: return .field(field, random.pick([.greaterThan, .lessThanOrEqual]), value(&random))
        case 4:
            let name = DocumentName(
                database: BackendSpec.database, key: key("c/\(random.number(below: 200))"))
            return .field(
                .documentID, random.pick([.equal, .greaterThan, .lessThanOrEqual]),
                .reference(name))
        case 7: return .and([filter(&random, depth: depth + 1), filter(&random, depth: depth + 1)])
        case 8: return .or([filter(&random, depth: depth + 1), filter(&random, depth: depth + 1)])
        default: return .field(field, .equal, value(&random))
        }
    }

    private static func query(_ random: inout Lottery) -> StructuredQuery {
        var query = StructuredQuery(
            parent: .root,
            source: .init(collectionID: "c", allDescendants: random.number(below: 3) == 0))
        if random.number(below: 5) > 0 { query.filter = filter(&random) }
        for name in ["a", "b"] where random.number(below: 3) == 0 {
            query.orderBys.append(
                OrderBy(FieldPath([name]), random.pick([.ascending, .descending])))
        }
        if random.number(below: 3) == 0 {
            query.orderBys.append(OrderBy(.documentID, random.pick([.ascending, .descending])))
        }
        if random.number(below: 2) == 0 { query.limit = random.number(below: 12) }
        if random.number(below: 4) == 0 { query.offset = random.number(below: 5) }
        if let first = query.orderBys.first, !first.field.isDocumentID,
            random.number(below: 3) == 0
        {
            let bound = Bound([value(&random)], isInclusive: random.number(below: 2) == 0)
            if random.number(below: 2) == 0 { query.startAt = bound } else { query.endAt = bound }
        }
        return query
    }

    @Test(arguments: 0..<12) func `indexes find what looking finds, now and in the past`(
        seed: UInt64
    ) throws {
        var random = Lottery(seed: seed)
        var spec = BackendSpec()
        for number in 0..<200 {
            try spec.put(
                random.number(below: 3) == 0 ? "p/\(number % 7)/c/\(number)" : "c/\(number)",
                Self.fields(&random))
        }
        var moments: [Timestamp] = []
        for round in 0..<60 {
            let query = Self.query(&random)
            guard let plan = try? QueryPlan(query, in: BackendSpec.database) else { continue }
            moments.append(spec.now)
            for moment in [nil, moments[random.number(below: moments.count)]] {
                let view = try spec.backend.read(
                    .query(plan), in: BackendSpec.database, moment.map { .readTime($0) } ?? .latest,
                    at: spec.now)
                #expect(
                    try view.run(plan).documents.map(\.key) == byLooking(query, view),
                    "seed \(seed), round \(round): \(query)")
            }
            let path = "c/\(random.number(below: 220))"
            if random.number(below: 4) == 0 {
                try spec.delete(path)
            } else {
                try spec.put(path, Self.fields(&random))
            }
        }
    }

    @Test func `a cursor over arrays that are asked for an element finds all of them`() throws {
        var spec = BackendSpec()
        for number: Int64 in 0..<200 {
            let list = Value.array([.integer(number % 4)])
            try spec.put("c/\(number)", ["b": number % 3 == 0 ? .integer(number) : list])
        }
        var query = StructuredQuery(
            parent: .root, source: .init(collectionID: "c", allDescendants: false))
        query.filter = .field(FieldPath(["b"]), .arrayContains, .integer(0))
        query.orderBys = [OrderBy(FieldPath(["b"]))]
        query.startAt = Bound([.integer(5)], isInclusive: true)
        let plan = try QueryPlan(query, in: BackendSpec.database)
        for _ in 0..<3 {
            let view = try spec.backend.read(
                .query(plan), in: BackendSpec.database, .latest, at: spec.now)
            let found = view.run(plan).documents.map(\.key)
            #expect(found.count == 33)
            let looked = try byLooking(query, view)
            #expect(found == looked)
        }
    }

    @Test func `the work of a query is that of its results`() throws {
        var spec = BackendSpec()
        for number in 0..<5_000 {
            try spec.put("c/\(number)", ["n": .integer(Int64(number)), "s": .integer(7)])
        }
        func examined(_ query: StructuredQuery) throws -> Int {
            let plan = try QueryPlan(query, in: BackendSpec.database)
            let view = try spec.backend.read(
                .query(plan), in: BackendSpec.database, .latest, at: spec.now)
            let wanted = query.limit.map { $0 + query.offset }
            var search = QuerySearch(plan, in: view, wanted: wanted, isMatch: plan.admits)
            _ = search.results()
            return search.examinedCount
        }
        let (n, s) = (FieldPath(["n"]), FieldPath(["s"]))
        let all = StructuredQuery.all("c")
        #expect(try examined(all.filtered(.field(n, .equal, .integer(77)))) == 1)
        #expect(
            try examined(all.filtered(.field(n, .isIn, .array([.integer(1), .double(3)])))) == 2)
        #expect(try examined(all.filtered(.field(n, .lessThan, .integer(10)))) <= 11)
        #expect(try examined(all.ordered(by: "n").limited(to: 10)) <= 11)
        #expect(try examined(all.limited(to: 10)) <= 11)
        #expect(
            try examined(all.filtered(.field(s, .equal, .integer(7))).limited(to: 10)) <= 11)
        var last = all.limited(to: 3)
        last.orderBys = [OrderBy(n, .descending)]
        #expect(try examined(last) <= 4)
        let both = Filter.and([
            .field(s, .equal, .integer(7)), .field(n, .equal, .integer(4_000)),
        ])
        #expect(try examined(all.filtered(both)) == 1)
        last.startAt = Bound([.integer(100)], isInclusive: false)
        #expect(try examined(last) <= 5)
    }

    @Test func `a field that nobody asks about has no index, and there is a most of them`() throws {
        var spec = BackendSpec()
        for number in 0..<80 { try spec.put("c/\(number)", ["n": .integer(Int64(number))]) }
        func indexCount() -> Int {
            spec.backend.documents(of: BackendSpec.database).indexes.count
        }
        #expect(indexCount() == 0)
        for number in 0..<300 {
            let query = StructuredQuery.all("c").filtered(
                .field(FieldPath(["f\(number)"]), .equal, .integer(1)))
            _ = try spec.backend.read(
                .query(QueryPlan(query, in: BackendSpec.database)), in: BackendSpec.database,
                .latest, at: spec.now)
        }
        #expect(indexCount() == IndexTable.countMax)
        try spec.put("c/new", ["f299": .integer(1)])
        #expect(
            try spec.ids(
                .all("c").filtered(.field(FieldPath(["f299"]), .equal, .integer(1)))) == ["new"])
    }
}
