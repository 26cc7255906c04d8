import Glibc
import HearthFirestore
import HearthModel
import HearthRemote
import HearthTestSupport
import HearthTesting
import Testing

/// Queries by chance, answered by a backend that we did not write and by matching each document by
/// itself in the backend's dialect. A failure names its seed; `HEARTH_ORACLE_SEED=n` runs that one.
@Suite(
    .timeLimit(.minutes(5)),
    .enabled(if: GoogleEmulator.isInstalled, Comment(rawValue: GoogleEmulator.absence)))
struct GoogleQueryOracleTests {
    private static let queryCount = 80
    private static let collections = [["c"], ["c", "a", "g"], ["x", "y", "g"], ["g"]]

    private static let seeds: [UInt64] = {
        let asked = getenv("HEARTH_ORACLE_SEED").flatMap { UInt64(String(cString: $0)) }
        return asked.map { [$0] } ?? Array(1...4)
    }()

    @Test func `Google's emulator finds what matching one by one finds`() async throws {
        try await GoogleEmulator.run { text in
            let address = try #require(BackendAddress(parsing: text))
            try await TestUpstream.connected(to: address, as: FixedToken.owner) { channel, _, _ in
                for seed in Self.seeds {
                    try await Self.compare(UnaryCalls(channel), seed: seed)
                }
            }
        }
    }

    private static func compare(_ calls: UnaryCalls, seed: UInt64) async throws {
        var chance = QueryChance(ValueChance(seed: seed, database: TestUpstream.database))
        let documents = try await fill(calls, &chance)
        var answeredCount = 0
        for _ in 0..<queryCount {
            let query = chance.query(document: chance.values.one(of: documents))
            guard isComparable(query) else { continue }
            var found: [DocumentKey]
            do {
                found = try await calls.run(query.target.structuredQuery).map(\.key)
            } catch {
                continue  // It refuses some combinations that a cache answers.
            }
            answeredCount += 1
            if query.limit?.end == .last { found.reverse() }
            #expect(
                found == truth(of: query, in: documents),
                "seed \(seed): \(query.canonicalID)")
        }
        #expect(answeredCount > 10, "seed \(seed): it refused nearly all")
    }

    /// Replaces every document that an earlier seed left.
    private static func fill(_ calls: UnaryCalls, _ chance: inout QueryChance) async throws
        -> [Document]
    {
        var documents: [Document] = []
        for collection in collections {
            for id in ValueChance.ids {
                let key = try #require(DocumentKey(ResourcePath(collection + [id])))
                let fields = chance.fieldsOfDocument()
                do {
                    let answer = try await calls.commit([Mutation(key: key, kind: .set(fields))])
                    documents.append(.found(key, at: answer.committedAt, fields))
                } catch {
                    continue  // It refuses some ids.
                }
            }
        }
        return documents
    }

    private static func truth(of query: Query, in documents: [Document]) -> [DocumentKey] {
        var wire = query  // In which tests for null and NaN are no comparisons.
        wire.filters = query.target.structuredQuery.filter.map { [$0] } ?? []
        let all = query.order.sorted(documents.filter { wire.matches($0, .backend) }).map(\.key)
        guard let limit = query.limit else { return all }
        return limit.end == .first ? Array(all.prefix(limit.count)) : Array(all.suffix(limit.count))
    }

    /// Whether no difference is known: a cache wants fields that stand behind the key in the order.
    private static func isComparable(_ query: Query) -> Bool {
        query.order.orderBys.count == query.orderBys.count
    }
}
