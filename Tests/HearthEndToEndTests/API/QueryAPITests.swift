import Hearth
import HearthTestSupport
import Testing

/// Every form of a query, answered by the backend and by the cache alike.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct QueryAPITests {
    private static let cities: [String: [String: any Sendable]] = [
        "a": ["n": 1, "tags": ["x", "y"], "at": ["zone": 1]],
        "b": ["n": 2, "tags": ["y"], "at": ["zone": 2]],
        "c": ["n": 3, "tags": ["z"], "at": ["zone": 1]],
        "d": ["n": 4.5, "other": true],
    ]

    private func filled(_ world: World) async throws -> CollectionReference {
        let client = try world.machine().client()
        let batch = client.batch()
        for (name, city) in Self.cities {
            batch.setData(city, forDocument: client.document("cities/\(name)"))
        }
        try await batch.commit()
        let all = try await client.collection("cities").getDocuments(source: .server)
        #expect(all.count == 4)
        return client.collection("cities")
    }

    /// The ids of the results, which must be the same from both sources.
    private func ids(_ query: Query) async throws -> String {
        let server = try await query.getDocuments(source: .server)
        let cache = try await query.getDocuments(source: .cache)
        let ids = server.documents.map(\.documentID)
        #expect(cache.documents.map(\.documentID) == ids)
        return ids.joined()
    }

    @Test func `every form of whereField finds what it says`() async throws {
        let world = try World()
        let cities = try await filled(world)
        let zone = FieldPath(["at", "zone"])
        #expect(try await ids(cities.whereField("n", isEqualTo: 2)) == "b")
        #expect(try await ids(cities.whereField("n", isNotEqualTo: 2)) == "acd")
        #expect(try await ids(cities.whereField("n", isLessThan: 2)) == "a")
        #expect(try await ids(cities.whereField("n", isLessThanOrEqualTo: 2)) == "ab")
        #expect(try await ids(cities.whereField("n", isGreaterThan: 3)) == "d")
        #expect(try await ids(cities.whereField("n", isGreaterThanOrEqualTo: 3)) == "cd")
        #expect(try await ids(cities.whereField("tags", arrayContains: "y")) == "ab")
        #expect(try await ids(cities.whereField("tags", arrayContainsAny: ["x", "z"])) == "ac")
        #expect(try await ids(cities.whereField("n", in: [1, 3])) == "ac")
        #expect(try await ids(cities.whereField("n", notIn: [1, 3])) == "bd")
        #expect(try await ids(cities.whereField(zone, isEqualTo: 1)) == "ac")
        #expect(try await ids(cities.whereField("at.zone", isEqualTo: 1)) == "ac")
        #expect(
            try await ids(cities.whereField(FieldPath.documentID(), in: ["b", "d"])) == "bd")
    }

    @Test func `filters joined by and and or find what they say`() async throws {
        let world = try World()
        let cities = try await filled(world)
        let either = Filter.orFilter([
            .whereField("n", isGreaterThan: 4),
            .andFilter([
                .whereField("tags", arrayContains: "y"), .whereField("at.zone", isEqualTo: 1),
            ]),
        ])
        #expect(try await ids(cities.whereFilter(either)) == "ad")
        let both = Filter.andFilter([
            .whereField("n", isGreaterThanOrEqualTo: 2), .whereField("n", isLessThan: 4),
        ])
        #expect(try await ids(cities.whereFilter(both)) == "bc")
    }

    @Test func `order, limits and cursors cut what they say`() async throws {
        let world = try World()
        let cities = try await filled(world)
        let ordered = cities.order(by: "n")
        #expect(try await ids(ordered) == "abcd")
        #expect(try await ids(cities.order(by: "n", descending: true)) == "dcba")
        #expect(try await ids(ordered.limit(to: 2)) == "ab")
        #expect(try await ids(ordered.limit(toLast: 2)) == "cd")
        #expect(try await ids(ordered.start(at: [2])) == "bcd")
        #expect(try await ids(ordered.start(after: [2])) == "cd")
        #expect(try await ids(ordered.end(at: [3])) == "abc")
        #expect(try await ids(ordered.end(before: [3])) == "ab")
        let second = try await cities.document("b").getDocument()
        #expect(try await ids(ordered.start(atDocument: second)) == "bcd")
        #expect(try await ids(ordered.start(afterDocument: second)) == "cd")
        #expect(try await ids(ordered.end(atDocument: second)) == "ab")
        #expect(try await ids(ordered.end(beforeDocument: second)) == "a")
    }

    @Test func `a group is all collections of a name`() async throws {
        let world = try World()
        let client = try world.machine().client()
        try await client.document("a/1/lamps/x").setData(["on": true])
        try await client.document("b/2/lamps/y").setData(["on": true])
        let lamps = client.collectionGroup("lamps").whereField("on", isEqualTo: true)
        let found = try await lamps.getDocuments(source: .server)
        #expect(found.documents.map(\.reference.path) == ["a/1/lamps/x", "b/2/lamps/y"])
        #expect(client.collectionGroup("lamps") == client.collectionGroup("lamps"))
        #expect(client.collectionGroup("lamps") != lamps)
    }

    @Test func `a snapshot tells changes with their places, and flags only if asked`() async throws
    {
        let world = try World()
        let cities = try await filled(world)
        var snapshots = cities.order(by: "n").snapshots(includeMetadataChanges: true)
            .makeAsyncIterator()
        let first = try await snapshots.first { $0.count == 4 && !$0.metadata.isFromCache }
        #expect(first.isEmpty == false)
        #expect(first.map(\.documentID) == ["a", "b", "c", "d"])
        // Without a network the write stays pending until this has seen it so.
        try await cities.firestore.disableNetwork()
        let receipt = try await cities.document("a").updateData(["n": 9], until: .accepted)
        let moved = try await snapshots.first { !$0.documentChanges.isEmpty }
        let change = try #require(moved.documentChanges.first)
        #expect(change.type == .modified)
        #expect(change.oldIndex == 0)
        #expect(change.newIndex == 3)
        #expect(moved.metadata.hasPendingWrites)
        try await cities.firestore.enableNetwork()
        _ = try await receipt.committed()
        let committed = try await snapshots.first { !$0.metadata.hasPendingWrites }
        #expect(committed.documentChanges.isEmpty)
        #expect(committed.documentChanges(includeMetadataChanges: true).count == 1)
    }

    @Test func `a query answers a closure, and so does its count`() async throws {
        let world = try World()
        let cities = try await filled(world)
        let count = try await withCheckedThrowingContinuation { continuation in
            cities.getDocuments { snapshot, error in
                continuation.resume(with: Result { try #require(snapshot).count })
            }
        }
        #expect(count == 4)
        let number = try await withCheckedThrowingContinuation { continuation in
            cities.count.getAggregation(source: .server) { snapshot, error in
                continuation.resume(with: Result { try #require(snapshot).count })
            }
        }
        #expect(number == 4)
    }
}
