import HearthFirestore
import HearthModel
import HearthTesting
import Testing

/// Listeners to the cache alone that outlive those who asked the backend: what they show stays as
/// certain as it was, what is in doubt is looked up no more, and who asks again is not told old news.
struct CacheAfterServerSpecs {
    private let rooms = Cast.rooms
    private let hall = Query(document: Cast.hall.key)

    /// Two rooms that session 1 was told of by the backend, and session 2 by the cache.
    private func settled(
        _ query: Query = Cast.rooms, limboResolutionCountMax: Int = 100
    ) throws -> FirestoreSpec {
        let spec = try FirestoreSpec(limboResolutionCountMax: limboResolutionCountMax)
        spec.userListens(to: query, in: [1])
        try spec.watchAnswers(
            query, with: [Cast.attic, Cast.hall], resumeToken: "r1", at: 1_000)
        spec.userListens(to: query, in: [2], isCacheOnly: true)
        try spec.expectSnapshot(
            of: query, added: [Cast.attic, Cast.hall], isFromCache: false, in: 2)
        spec.driver.forgetHeard()
        return spec
    }

    /// The same, when the backend has stopped naming both.
    private func doubtful(
        _ query: Query = Cast.rooms, limboResolutionCountMax: Int = 100
    ) throws -> FirestoreSpec {
        let spec = try settled(query, limboResolutionCountMax: limboResolutionCountMax)
        try spec.watchResets(query)
        try spec.watchMarksCurrent(query, resumeToken: "r2", at: 1_001)
        try spec.expectSnapshot(of: query, isFromCache: true, in: 2)
        spec.driver.forgetHeard()
        return spec
    }

    @Test func `nothing is told when the last who asks the backend leaves`() throws {
        let spec = try settled()
        try spec.userUnlistens(from: rooms, in: 1)
        try spec.expectSilence()
        try spec.expectWatched(0)
    }

    @Test func `a local write afterwards leaves the rest as certain as it was`() throws {
        let spec = try settled()
        try spec.userUnlistens(from: rooms, in: 1)
        spec.userWrites(Cast.set("shed"), in: 1)
        try spec.expectSnapshot(
            of: rooms, added: [Cast.pending("shed")], isFromCache: false,
            hasPendingWrites: true, in: 2)
        try spec.writeIsCommitted(at: 2_000)
        try spec.expectLimbo([])
        try spec.expectSilence()
    }

    @Test(arguments: [1, 2])
    func `lookups end with the last who asks the backend, and the doubt stays`(
        lookupCountMax: Int
    ) throws {
        for query in [rooms, Cast.first(2)] {
            let spec = try doubtful(query, limboResolutionCountMax: lookupCountMax)
            try spec.expectWatched(1 + lookupCountMax)
            try spec.userUnlistens(from: query, in: 1)
            try spec.expectLimbo([])
            try spec.expectWatched(0)
            spec.userWrites(Cast.set("alcove"), in: 1)
            try spec.expectSnapshot(
                of: query, added: [Cast.pending("alcove")],
                removed: query.limit == nil ? [] : [Cast.hall], isFromCache: true,
                hasPendingWrites: true, in: 2)
            try spec.expectLimbo([])
        }
    }

    @Test func `what another target brings is shown, in doubt, and not looked up`() throws {
        let large = Cast.query(sizeFrom: 5)
        let shed = Cast.room("shed", size: 5, at: 1_001)
        let spec = try settled()
        spec.userListens(to: large, in: [3])
        try spec.userUnlistens(from: rooms, in: 1)
        try spec.watchAnswers(large, with: [shed], resumeToken: "r2", at: 1_001)
        try spec.expectSnapshot(of: rooms, added: [shed], isFromCache: true, in: 2)
        try spec.expectSnapshot(of: large, added: [shed], isFromCache: false, in: 3)
        try spec.expectLimbo([])
        try spec.expectWatched(1)
    }

    @Test func `what another target takes away is shown, and the doubt ends with it`() throws {
        let spec = try doubtful()
        spec.userListens(to: hall, in: [3])
        try spec.watchDeniesExistence(of: Cast.attic.key, at: 1_002)
        try spec.userUnlistens(from: rooms, in: 1)
        spec.driver.forgetHeard()
        try spec.watchAnswers(hall, with: [], resumeToken: "r3", at: 1_003)
        try spec.expectSnapshot(of: rooms, removed: [Cast.hall], isFromCache: false, in: 2)
    }

    @Test func `who asks the backend again goes on from the token and is told no old news`() throws
    {
        let spec = try settled()
        try spec.userUnlistens(from: rooms, in: 1)
        spec.userListens(to: rooms, in: [3])
        try spec.expectListen(to: rooms, from: Cast.token("r1"), expectedCount: 2)
        try spec.expectSnapshot(of: rooms, isFromCache: true, in: 2)
        try spec.expectSnapshot(
            of: rooms, added: [Cast.attic, Cast.hall], isFromCache: true, in: 3)
        try spec.watchAcknowledges(rooms)
        try spec.watchMarksCurrent(rooms, resumeToken: "r2", at: 1_001)
        try spec.expectSnapshot(of: rooms, isFromCache: false, in: 2)
        try spec.expectSnapshot(of: rooms, isFromCache: false, in: 3)
        try spec.expectSilence()
    }

    @Test func `a read from the server is not answered by what the cache still shows`() throws {
        let spec = try settled()
        try spec.userUnlistens(from: rooms, in: 1)
        let read = spec.session(3) { spec.driver.read(rooms, from: .server) }
        #expect(spec.driver.answer(to: read) == nil)
        let shed = Cast.room("shed", at: 1_001)
        try spec.watchAcknowledges(rooms)
        try spec.watchSends([shed], to: rooms)
        try spec.watchMarksCurrent(rooms, resumeToken: "r2", at: 1_001)
        #expect(spec.driver.answer(to: read)?.documents.count == 3)
        #expect(spec.driver.answer(to: read)?.isFromCache == false)
        try spec.expectWatched(0)
    }

    @Test func `what was in doubt is looked up again once the target is current again`() throws {
        let spec = try doubtful()
        try spec.userUnlistens(from: rooms, in: 1)
        spec.userListens(to: rooms, in: [3])
        try spec.expectListen(to: rooms, from: Cast.token("r2"), expectedCount: 0)
        try spec.expectLimbo([])
        try spec.watchAcknowledges(rooms)
        try spec.watchSends([Cast.attic], to: rooms)
        try spec.watchMarksCurrent(rooms, resumeToken: "r3", at: 1_002)
        try spec.expectLimbo([Cast.hall.key])
        spec.driver.forgetHeard()
        try spec.watchDeniesExistence(of: Cast.hall.key, at: 1_003)
        try spec.expectSnapshot(of: rooms, removed: [Cast.hall], isFromCache: false, in: 2)
        try spec.expectSnapshot(of: rooms, removed: [Cast.hall], isFromCache: false, in: 3)
    }

    @Test func `offline, the last who asks the backend leaves nothing to be asked later`() throws {
        let spec = try doubtful()
        spec.driver.setNetwork(isEnabled: false)
        try spec.userUnlistens(from: rooms, in: 1)
        try spec.expectLimbo([])
        spec.driver.setNetwork(isEnabled: true)
        #expect(spec.driver.upstream.watch == nil)
        spec.driver.forgetHeard()
        spec.userListens(to: rooms, in: [3])
        try spec.expectListen(to: rooms, from: Cast.token("r2"), expectedCount: 0)
        try spec.expectSnapshot(
            of: rooms, added: [Cast.attic, Cast.hall], isFromCache: true, in: 3)
        try spec.expectSilence()
    }

    @Test func `a mirror query that asks the backend makes the other begin anew with it`() throws {
        func two(_ direction: OrderBy.Direction, _ end: Query.Limit.End) -> Query {
            var query = Cast.rooms
            query.explicitOrderBys = [OrderBy(FieldPath(["size"]), direction)]
            query.limit = .init(2, end)
            return query
        }
        let first = two(.ascending, .first)
        let last = two(.descending, .last)
        let spec = try settled(first)
        try spec.userUnlistens(from: first, in: 1)
        spec.userListens(to: last, in: [3])
        try spec.expectWatched(1)
        try spec.expectSnapshot(of: first, isFromCache: true, in: 2)
        try spec.expectSnapshot(
            of: last, added: [Cast.hall, Cast.attic], isFromCache: true, in: 3)
        try spec.watchAcknowledges(last)
        try spec.watchMarksCurrent(last, resumeToken: "r2", at: 1_001)
        try spec.expectSnapshot(of: first, isFromCache: false, in: 2)
        try spec.expectSnapshot(of: last, isFromCache: false, in: 3)
    }

    @Test func `a mirror query keeps the lookups that it shares with one that ends`() throws {
        var first = Cast.first(2)
        first.explicitOrderBys = [OrderBy(FieldPath(["size"]), .ascending)]
        var last = first
        last.explicitOrderBys = [OrderBy(FieldPath(["size"]), .descending)]
        last.limit = .init(2, .last)
        let spec = try settled(first)
        spec.userListens(to: last, in: [3])
        try spec.watchResets(first)
        try spec.watchMarksCurrent(first, resumeToken: "r2", at: 1_001)
        try spec.expectWatched(3)
        try spec.userUnlistens(from: first, in: 1)
        try spec.expectWatched(3)
        try spec.userUnlistens(from: first, in: 2)
        try spec.expectLimbo([Cast.attic.key, Cast.hall.key])
        try spec.userUnlistens(from: last, in: 3)
        try spec.expectLimbo([])
        try spec.expectWatched(0)
    }
}
