import HearthEngine
import HearthModel
import HearthRealtime
import Testing

@testable import HearthSQLite
@testable import HearthStore

struct TrackedQueryTests {
    private let bench: RealtimeBench

    init() throws {
        bench = try RealtimeBench()
    }

    private func query(
        _ id: Int64, _ path: RealtimePath, _ parameters: QueryParameters = .all,
        isActive: Bool = false, usedAt seconds: Int64 = 0
    ) -> TrackedQuery {
        TrackedQuery(
            id: TrackedQueryID(id), target: ListenTarget(path, parameters),
            lastUse: Timestamp(seconds: seconds, nanoseconds: 3), isComplete: id % 2 == 0,
            isActive: isActive)
    }

    private func set(_ queries: TrackedQuery...) throws {
        try bench.write { transaction in
            for query in queries { try transaction.setTrackedQuery(query) }
        }
    }

    static let queries: [QueryParameters] = [
        .all, QueryParameters(index: .key), QueryParameters(index: .value),
        QueryParameters(index: .child("a/b")),
        .equalTo(nil, index: .value), .equalTo(.string("é\""), key: "k", index: .child("n")),
        QueryParameters(
            index: .key, start: .init(.string("m"), isInclusive: false),
            limit: QueryParameters.Limit(5, from: .first)),
        QueryParameters(
            index: .priority, start: .init(.integer(1), key: .least),
            end: .init(.double(2.5), key: .greatest, isInclusive: false),
            limit: QueryParameters.Limit(7, from: .last)),
        QueryParameters(index: .value, end: .init(.bool(true))),
    ]

    @Test(arguments: queries.indices)
    func `a query is found by what it asks, and given back as it was`(index: Int) throws {
        let tracked = query(Int64(index) + 1, "rooms", Self.queries[index])
        try set(tracked)
        for (other, parameters) in Self.queries.enumerated() {
            let found = try bench.write {
                try $0.trackedQuery(of: ListenTarget("rooms", parameters))
            }
            #expect(found == (other == index ? tracked : nil))
        }
    }

    @Test func `queries are found by places above and below`() throws {
        let (root, room, deep) = (query(1, "/"), query(2, "rooms"), query(3, "rooms/1/users"))
        let (filtered, beside) = (query(4, "rooms", Self.queries[1]), query(5, "roomsX"))
        try set(root, room, deep, filtered, beside)
        try bench.write { transaction in
            let below = try transaction.trackedQueries(atOrBelow: "rooms")
            #expect(Set(below) == [room, deep, filtered])
            let above = try transaction.trackedQueries(atOrAbove: "rooms/1")
            #expect(above.first == root)
            #expect(Set(above) == [root, room, filtered])
            let all = try transaction.trackedQueries(atOrBelow: .root)
            #expect(all.count == 5)
        }
    }

    @Test func `queries that nobody listens to are counted, the least used first`() throws {
        func count() throws -> Int { try bench.write { try $0.inactiveQueryCount() } }
        try set(
            query(1, "a", usedAt: 30), query(2, "b", isActive: true, usedAt: 1),
            query(3, "c", usedAt: 10), query(4, "d", usedAt: 20))
        #expect(try count() == 3)
        let least = try bench.write { try $0.leastUsedQueries(count: 2).map(\.id.rawValue) }
        #expect(least == [3, 4])
        try set(query(3, "c", isActive: true), query(5, "e"), query(5, "e"))
        #expect(try count() == 3)
        try bench.write { try $0.removeTrackedQuery(TrackedQueryID(5)) }
        #expect(try count() == 2)
        try bench.write { try $0.deactivateTrackedQueries() }
        #expect(try count() == 4)
        let isAnyActive = try bench.write {
            try $0.trackedQueries(atOrBelow: .root).contains(where: \.isActive)
        }
        #expect(!isAnyActive)
    }

    @Test func `the keys of a query come in their order, and go with the query`() throws {
        let id = TrackedQueryID(1)
        func keys(_ id: TrackedQueryID) throws -> [ChildKey] {
            try bench.write { try $0.keys(of: id) }
        }
        try set(query(1, "a", Self.queries[2]), query(2, "b", Self.queries[2]))
        try bench.write { transaction in
            try transaction.changeKeys(
                of: id, adding: ["b", "10", "\u{1F600}", "2", "\u{FFFD}"], removing: [])
            try transaction.changeKeys(of: id, adding: ["a", "b"], removing: ["10", "none"])
            try transaction.changeKeys(of: TrackedQueryID(2), adding: ["z"], removing: [])
        }
        #expect(try keys(id) == ["2", "a", "b", "\u{1F600}", "\u{FFFD}"])
        try bench.write { try $0.removeTrackedQuery(id) }
        #expect(try keys(id) == [])
        try bench.write { try $0.removeKeys(of: TrackedQueryID(2)) }
        #expect(try keys(TrackedQueryID(2)) == [])
    }
}
