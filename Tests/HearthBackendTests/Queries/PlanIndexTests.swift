import HearthModel
import Testing

@testable import HearthBackend

/// Whom a change may concern is found without asking the others, and nobody is forgotten.
struct PlanIndexTests {
    private func found(_ path: String, _ fields: MapValue) -> Document {
        let version = SnapshotVersion(Timestamp(seconds: 1, nanoseconds: 0))
        return .found(key(path), at: version, fields, createdAt: version)
    }

    private func change(_ queries: inout RandomQueries) -> DocumentChange {
        let path = queries.path(below: 40)
        let missing = Document.missing(key(path), at: .zero)
        let old = queries.lottery.number(below: 3) == 0 ? missing : found(path, queries.fields())
        let new = queries.lottery.number(below: 4) == 0 ? missing : found(path, queries.fields())
        return DocumentChange(old: old, new: new)
    }

    @Test(arguments: 0..<6) func `whoever is concerned is among those who are asked`(
        seed: UInt64
    ) throws {
        var queries = RandomQueries(seed: seed)
        var index = PlanIndex<Int>()
        var plans: [Int: QueryPlan] = [:]
        var concernedCount = 0
        var askedCount = 0
        for round in 0..<400 {
            if queries.lottery.number(below: 3) > 0 {
                plans[round] = queries.plan()
                index.insert(round, try #require(plans[round]))
            } else if let id = plans.keys.sorted().randomElement(using: &queries.lottery) {
                plans[id] = nil
                index.remove(id)
            }
            #expect(index.count == plans.count)
            let change = change(&queries)
            let asked = index.queries(concernedBy: change)
            #expect(asked == Array(Set(asked)).sorted())
            let concerned = plans.filter {
                $0.value.matches(change.old) || $0.value.matches(change.new)
            }
            for (id, plan) in concerned where !asked.contains(id) {
                Issue.record("seed \(seed), round \(round): \(plan.query) missed \(change)")
            }
            #expect(asked.allSatisfy { plans[$0] != nil })
            concernedCount += concerned.count
            askedCount += asked.count
        }
        // Or nothing has been shown: many are concerned, and few are asked in vain.
        #expect(concernedCount > 500)
        #expect(askedCount < concernedCount * 4)
        for id in plans.keys { index.remove(id) }
        #expect(index.count == 0)
        #expect(index.queries(concernedBy: change(&queries)).isEmpty)
    }

    private func range(_ field: String, _ from: Int, _ to: Int) -> Filter {
        .and([
            .field(FieldPath([field]), .greaterThanOrEqual, .integer(Int64(from))),
            .field(FieldPath([field]), .lessThan, .integer(Int64(to))),
        ])
    }

    private func index(_ filters: [Filter]) throws -> PlanIndex<Int> {
        var index = PlanIndex<Int>()
        for (id, filter) in filters.enumerated() {
            let query = StructuredQuery.all("c").filtered(filter)
            index.insert(id, try QueryPlan(query, in: BackendSpec.database))
        }
        return index
    }

    private func asked(_ index: PlanIndex<Int>, _ fields: MapValue) -> [Int] {
        index.queries(
            concernedBy: DocumentChange(
                old: .missing(key("c/a"), at: .zero), new: found("c/a", fields)))
    }

    @Test func `of two stretches the one that sets queries apart finds them`() throws {
        let filters = (0..<1_000).map { number in
            Filter.and([range("price", 0, 1_000), range("time", number * 10, number * 10 + 10)])
        }
        let index = try index(filters)
        let fields: MapValue = ["price": .integer(500), "time": .double(5_005.5)]
        #expect(asked(index, fields) == [500])
    }

    @Test func `a stretch is preferred to a value that all share, and a value to a wide stretch`()
        throws
    {
        let sharing = (0..<1_000).map { number in
            Filter.and([
                .field(FieldPath(["kind"]), .equal, .integer(1)),
                range("time", number * 10, number * 10 + 10),
            ])
        }
        let fields: MapValue = ["kind": .integer(1), "time": .integer(5_005)]
        #expect(asked(try index(sharing), fields) == [500])
        let owned = (0..<1_000).map { number in
            Filter.and([
                .field(FieldPath(["owner"]), .equal, .integer(Int64(number))),
                range("time", 0, 1_000_000),
            ])
        }
        #expect(
            asked(try index(owned), ["owner": .integer(500), "time": .integer(5_005)]) == [500])
    }

    @Test func `stretches end with the type, and at the bounds they hold`() throws {
        let field = FieldPath(["n"])
        let index = try index([
            .field(field, .greaterThan, .integer(5)), .field(field, .lessThanOrEqual, .integer(5)),
            .field(field, .greaterThan, .string("m")), .field(field, .notEqual, .integer(5)),
            .field(field, .lessThan, .null), .field(field, .greaterThan, .double(.nan)),
            .field(field, .isNotIn, .array([.null])),
        ])
        #expect(asked(index, ["n": .integer(6)]) == [0, 3])
        #expect(asked(index, ["n": .integer(4)]) == [1, 3])
        #expect(asked(index, ["n": .string("z")]) == [2, 3])
        #expect(asked(index, ["n": .timestamp(Timestamp(seconds: 1, nanoseconds: 0))]) == [3])
        #expect(asked(index, ["n": .null]) == [])
        #expect(asked(index, ["m": .integer(6)]) == [])
    }

    @Test func `a disjunction of stretches is found by each of them`() throws {
        let filters = (0..<1_000).map { number in
            Filter.or([
                range("time", number * 10, number * 10 + 10),
                .field(FieldPath(["owner"]), .equal, .integer(Int64(number))),
            ])
        }
        let index = try index(filters)
        #expect(asked(index, ["time": .integer(5_005)]) == [500])
        #expect(asked(index, ["owner": .integer(7), "time": .integer(15)]) == [1, 7])
    }
}
