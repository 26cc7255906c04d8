import HearthBackend
import HearthModel
import HearthTestSupport
import HearthTesting
import Testing

@testable import HearthFirestore

/// Two thousand queries by chance over some hundred documents: Google's emulator, the backend that
/// is built in, a scan of our cache and its indexes must find what looking at each document finds.
///
/// A failure names its seed; `HEARTH_ORACLE_SEED=n` runs that one alone.
@Suite(
    .serialized, .timeLimit(.minutes(4)),
    .enabled(if: GoogleEmulator.isInstalled, Comment(rawValue: GoogleEmulator.absence)))
struct GoogleQueryOracleTests {
    private static let queryCount = 250
    private static let now = Timestamp(seconds: 1_700_000_000, nanoseconds: 0)

    /// What Google's emulator refuses and the built-in backend answers, and why.
    private static let knownRefusals = [
        // The protocol knows a parent for a collection group, and SDKs without a cache offer it.
        "collection group queries are only allowed at the root parent",
        // A missing index, as production would say of it; here indexes are demanded only on request.
        "Firestore does not support descending key scans",
    ]

    /// What came of all seeds.
    private struct Tally {
        var documentCount = 0
        var answeredCount = 0
        var refusedCount = 0
        var knownRefusalCount = 0
        /// Queries that cache and backend answer alike, for their dialects do not matter there.
        var sameCount = 0
        var indexedCount = 0
    }

    @Test func `Google's emulator, the built-in backend, scans and indexes agree`() async throws {
        try await GoogleEmulator.run { address in
            let google = try GoogleJudge(address, database: QueryOracle.database)
            var tally = Tally()
            let seeds = QueryOracle.seeds(8)
            for seed in seeds { try Self.compare(google, seed: seed, &tally) }
            #expect(tally.documentCount > 40 * seeds.count, "\(tally)")
            #expect(tally.answeredCount > 150 * seeds.count, "\(tally)")
            #expect(tally.sameCount > 100 * seeds.count, "\(tally)")
            #expect(tally.indexedCount > 10 * seeds.count, "\(tally)")
        }
    }

    private static func compare(
        _ google: GoogleJudge, seed: UInt64, _ tally: inout Tally
    ) throws {
        try google.clear()
        var oracle = try QueryOracle(seed: 3_000 + seed)
        var backend = Backend(identity: 1, run: 1)
        let documents = try fill(google, &backend, &oracle, seed)
        tally.documentCount += documents.count
        let queries = (0..<queryCount).map { _ in
            oracle.chance.query(document: oracle.chance.values.one(of: documents))
        }
        // Half of the seeds run without any index, so that Google judges the scan as well.
        if !seed.isMultiple(of: 2) { try oracle.index(for: queries) }
        for query in queries {
            let label: Comment = "seed \(seed): \(query.canonicalID)"
            let local = try oracle.ask(query)
            #expect(local.keys == QueryOracle.truth(of: query, in: documents), label)
            if local.plan.plan == .index { tally.indexedCount += 1 }

            let (builtIn, refusal) = ask(backend, query)
            let theirs: [DocumentKey]
            do {
                theirs = forwards(try google.run(query.target.structuredQuery), query)
            } catch let theirRefusal as GoogleJudge.Refusal {
                if knownRefusals.contains(where: theirRefusal.description.contains) {
                    tally.knownRefusalCount += 1
                } else {
                    tally.refusedCount += 1
                    // Of two reasons, each engine tells the reason that it sees first.
                    #expect(refusal?.code == .invalidArgument, label)
                }
                continue
            }
            tally.answeredCount += 1
            #expect(builtIn == theirs, label)
            var wire = query  // In which tests for null and NaN are no comparisons.
            wire.filters = query.target.structuredQuery.filter.map { [$0] } ?? []
            #expect(theirs == QueryOracle.truth(of: wire, in: documents, .backend), label)
            if local.keys == theirs { tally.sameCount += 1 }
        }
    }

    /// Gives all of them the same documents; if one engine refuses a document, the others must
    /// refuse the document as well.
    private static func fill(
        _ google: GoogleJudge, _ backend: inout Backend, _ oracle: inout QueryOracle, _ seed: UInt64
    ) throws -> [Document] {
        var documents: [Document] = []
        for collection in QueryOracle.collections {
            for id in QueryOracle.ids where !oracle.chance.values.once(in: 6) {
                let key = try #require(DocumentKey(ResourcePath(collection).appending(id)))
                let fields = oracle.chance.fieldsOfDocument()
                var refusal: HearthError?
                do throws(HearthError) {
                    _ = try backend.commit(
                        [Mutation(key: key, kind: .set(fields))], in: QueryOracle.database,
                        transaction: nil,
                        at: now.advanced(by: .milliseconds(documents.count + 1)))
                } catch {
                    refusal = error
                }
                do {
                    try google.set(key, to: fields)
                    #expect(refusal == nil, "seed \(seed): \(key)")
                    documents.append(try oracle.put(key, fields))
                } catch let theirs as GoogleJudge.Refusal {
                    #expect(refusal?.code == .invalidArgument, "seed \(seed): \(key): \(theirs)")
                }
            }
        }
        return documents
    }

    private static func ask(
        _ backend: Backend, _ query: Query
    ) -> (keys: [DocumentKey]?, refusal: HearthError?) {
        do throws(HearthError) {
            var backend = backend
            let plan = try QueryPlan(query.target.structuredQuery, in: QueryOracle.database)
            let view = try backend.read(
                .nothing, in: QueryOracle.database, .latest, at: now.advanced(by: .seconds(1)))
            return (forwards(view.run(plan).documents.map(\.key), query), nil)
        } catch {
            return (nil, error)
        }
    }

    /// The order of the query. A limit to the last runs backwards.
    private static func forwards(_ keys: [DocumentKey], _ query: Query) -> [DocumentKey] {
        query.limit?.end == .last ? keys.reversed() : keys
    }
}
