import HearthBackend
import HearthModel
import HearthTesting
import Testing

@testable import HearthFirestore

/// Thousands of queries by chance: a scan of the file, every index plan and the backend must find
/// what looking at each document by itself finds.
struct QueryOracleTests {
    private static let queryCount = 60

    @Test(arguments: QueryOracle.seeds(8))
    func `a scan finds what matching one by one finds`(seed: UInt64) throws {
        var oracle = try QueryOracle(seed: seed)
        try oracle.change(150)
        let documents = try oracle.localDocuments()
        for query in queries(&oracle, documents, Self.queryCount) {
            let answer = try oracle.ask(query)
            #expect(
                answer.keys == QueryOracle.truth(of: query, in: documents),
                "seed \(seed): \(query.canonicalID) by \(answer.plan.plan.rawValue)")
        }
    }

    @Test(arguments: QueryOracle.seeds(16))
    func `indexes find what matching one by one finds, while documents change`(seed: UInt64)
        throws
    {
        var oracle = try QueryOracle(seed: 1_000 + seed)
        try oracle.change(120)
        let queries = queries(&oracle, try oracle.localDocuments(), Self.queryCount)
        var indexes: [FieldIndex] = []
        for query in queries {
            for index in QueryPlanner(query.firstOfOrder).wantedIndexes()
            where !indexes.contains(index) && !oracle.chance.values.once(in: 5) {
                indexes.append(index)
            }
        }
        indexes += (0..<10).compactMap { _ in index(&oracle) }.filter { !indexes.contains($0) }
        try oracle.configure(Array(indexes.prefix(IndexLimits.indexCountMax)))
        try oracle.change(20)  // Before the indexes are complete.
        try oracle.backfill()
        var planCounts: [QueryPlanDescription.Plan: Int] = [:]
        for _ in 0..<2 {
            let documents = try oracle.localDocuments()
            for query in queries {
                let answer = try oracle.ask(query)
                planCounts[answer.plan.plan, default: 0] += 1
                #expect(
                    answer.keys == QueryOracle.truth(of: query, in: documents),
                    """
                    seed \(seed): \(query.canonicalID) by \(answer.plan.plan.rawValue) \
                    \(answer.plan.indexes)
                    """)
            }
            try oracle.change(60)
        }
        #expect(planCounts[.index, default: 0] > 10, "seed \(seed): \(planCounts)")
    }

    /// The backend holds 1 and 1.0 for one value in lists, and null and NaN for none: its answer is
    /// compared with the same documents matched by its dialect. The backend refuses some queries
    /// that a cache answers.
    @Test(arguments: QueryOracle.seeds(8))
    func `the backend finds the same, but for its dialect`(seed: UInt64) throws {
        var oracle = try QueryOracle(seed: 2_000 + seed)
        try oracle.change(100)
        var backend = Backend(identity: 1, run: 1)
        var time = Timestamp(seconds: 1_700_000_000, nanoseconds: 0)
        let documents = try oracle.localDocuments().filter(\.isFound)
        var stored: [Document] = []
        for document in documents {
            time = time.advanced(by: .milliseconds(1))
            do {
                _ = try backend.commit(
                    [Mutation(key: document.key, kind: .set(document.fields))],
                    in: QueryOracle.database, transaction: nil, at: time)
                stored.append(document)
            } catch {
                continue  // It refuses some ids.
            }
        }
        var answeredCount = 0
        for query in queries(&oracle, documents, Self.queryCount) {
            let plan: QueryPlan
            do {
                plan = try QueryPlan(query.target.structuredQuery, in: QueryOracle.database)
            } catch {
                continue
            }
            // A cache wants the fields behind the key too, as the SDKs' do; the backend does not.
            if query.order.orderBys.count < query.orderBys.count { continue }
            answeredCount += 1
            var wire = query  // In which tests for null and NaN are no comparisons.
            wire.filters = query.target.structuredQuery.filter.map { [$0] } ?? []
            let view = try backend.read(.nothing, in: QueryOracle.database, .latest, at: time)
            var found = view.run(plan).documents.map(\.key)
            if query.limit?.end == .last { found.reverse() }
            #expect(
                found == QueryOracle.truth(of: wire, in: stored, .backend),
                "seed \(seed): \(query.canonicalID)")
        }
        #expect(answeredCount > 10, "seed \(seed): the backend refused nearly all")
    }

    private func queries(_ oracle: inout QueryOracle, _ documents: [Document], _ count: Int)
        -> [Query]
    {
        let found = documents.filter(\.isFound)
        return (0..<count).map { _ in
            let document = found.isEmpty ? nil : oracle.chance.values.one(of: found)
            return oracle.chance.query(document: document)
        }
    }

    private func index(_ oracle: inout QueryOracle) -> FieldIndex? {
        var segments: [FieldIndex.Segment] = []
        for _ in 0..<oracle.chance.values.one(of: [1, 2, 2, 3]) {
            segments.append(
                .init(
                    oracle.chance.values.one(of: QueryChance.fields),
                    oracle.chance.values.one(of: [.ascending, .ascending, .descending, .contains])))
        }
        let isGroup = oracle.chance.values.once(in: 3)
        return FieldIndex(isGroup ? "g" : "c", segments, scope: isGroup ? .group : .collection)
    }
}
