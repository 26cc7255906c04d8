import HearthModel
import HearthTesting
import Testing

/// Listeners to the cache alone beside others: they see the same, and ask nothing of the backend.
struct CacheSourceSpecs {
    private let rooms = Cast.rooms

    @Test func `a query that only the cache is asked for is not watched`() throws {
        let spec = try FirestoreSpec()
        spec.userListens(to: rooms, in: [1, 2], isCacheOnly: true)
        try spec.expectSnapshot(of: rooms, isFromCache: true, in: 1)
        try spec.expectSnapshot(of: rooms, isFromCache: true, in: 2)
        #expect(spec.driver.upstream.watch == nil)
        try spec.userUnlistens(from: rooms, in: 1)
        try spec.userUnlistens(from: rooms, in: 2)
        #expect(spec.driver.upstream.watch == nil)
    }

    @Test func `listeners with either source hear the same, in every program`() throws {
        let spec = try FirestoreSpec()
        spec.userListens(to: rooms, in: [1])
        try spec.watchAnswers(rooms, with: [Cast.hall], resumeToken: "r1", at: 1_000)
        try spec.expectSnapshot(of: rooms, added: [Cast.hall], isFromCache: false, in: 1)
        spec.userListens(to: rooms, in: [1, 2], isCacheOnly: true)
        for session: UInt64 in [1, 2] {
            try spec.expectSnapshot(of: rooms, added: [Cast.hall], isFromCache: false, in: session)
        }
        try spec.watchSends([Cast.attic], to: rooms)
        try spec.watchReachesSnapshot(at: 1_001)
        for session: UInt64 in [1, 1, 2] {
            try spec.expectSnapshot(of: rooms, added: [Cast.attic], isFromCache: false, in: session)
        }
        try spec.expectSilence()
        try spec.expectWatchRequests(1)
    }

    @Test func `watching goes on as long as one program wants the server`() throws {
        let spec = try FirestoreSpec()
        spec.userListens(to: rooms, in: [1], isCacheOnly: true)
        spec.userListens(to: rooms, in: [2, 3])
        try spec.watchAnswers(rooms, with: [Cast.hall], resumeToken: "r1", at: 1_000)
        try spec.userUnlistens(from: rooms, in: 2)
        try spec.expectListen(to: rooms)
        spec.programEnds(3)
        try spec.expectNoListen(to: rooms)
        spec.driver.forgetHeard()
        spec.userWrites(Cast.set("attic", size: 4), in: 2)
        try spec.expectSnapshot(
            of: rooms, added: [Cast.pending("attic", size: 4)], isFromCache: false,
            hasPendingWrites: true, in: 1)
        try spec.expectSilence()
        spec.userListens(to: rooms, in: [4])
        try spec.expectListen(to: rooms, from: Cast.token("r1"), expectedCount: 1)
    }

    @Test func `a local write reaches the cache's listeners of every program`() throws {
        let spec = try FirestoreSpec()
        spec.userListens(to: rooms, in: [1, 2], isCacheOnly: true)
        spec.driver.forgetHeard()
        spec.userWrites(Cast.set("attic", size: 4), in: 3)
        for session: UInt64 in [1, 2] {
            try spec.expectSnapshot(
                of: rooms, added: [Cast.pending("attic", size: 4)], isFromCache: true,
                hasPendingWrites: true, in: session)
        }
    }
}
