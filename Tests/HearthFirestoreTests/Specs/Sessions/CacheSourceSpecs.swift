import HearthFirestore
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

    // MARK: Writes that are committed

    /// The hall as its write left it at the backend, before the watch stream has told of the write.
    private func committed(size: Int64, at microseconds: Int64) -> Document {
        var document = Cast.room("hall", size: size, at: microseconds)
        document.markCommittedMutations()
        return document
    }

    @Test func `a write that is committed is pending no more for the cache's listeners`() throws {
        let spec = try FirestoreSpec()
        spec.userListens(to: rooms, in: [1, 2], isCacheOnly: true)
        spec.userWrites(Cast.set("hall", size: 4))
        spec.driver.forgetHeard()
        try spec.writeIsCommitted(at: 1_000)
        try spec.expectSilence()
        spec.driver.fire(upTo: .settling)
        for session: UInt64 in [1, 2] {
            try spec.expectSnapshot(
                of: rooms, metadata: [committed(size: 4, at: 1_000)], isFromCache: true,
                in: session)
        }
        try spec.expectSilence()
        #expect(!spec.driver.timers.contains(.settling))
    }

    @Test func `what the backend made of a write is shown to the cache's listeners`() throws {
        let spec = try FirestoreSpec()
        spec.userListens(to: rooms, in: [1], isCacheOnly: true)
        let size = FieldPath(["size"])
        spec.userWrites(
            Mutation(
                key: Cast.hall.key, kind: .set([:]),
                transforms: [FieldTransform(field: size, operation: .increment(.integer(1)))]))
        spec.driver.forgetHeard()
        try spec.writeIsCommitted(at: 1_000, transformResults: [.integer(42)])
        spec.driver.fire(upTo: .settling)
        try spec.expectSnapshot(
            of: rooms, modified: [committed(size: 42, at: 1_000)], isFromCache: true)
    }

    @Test func `a commit of which the watch stream tells meanwhile is told once`() throws {
        let spec = try FirestoreSpec()
        let large = Cast.query(sizeFrom: 1)
        spec.userListens(to: rooms, in: [1], isCacheOnly: true)
        spec.userListens(to: large, in: [2])
        try spec.watchAnswers(large, with: [], resumeToken: "r1", at: 900)
        spec.userWrites(Cast.set("hall", size: 4), in: 2)
        try spec.writeIsCommitted(at: 1_000)
        spec.driver.forgetHeard()
        let hall = Cast.room("hall", size: 4, at: 1_000)
        try spec.watchSends([hall], to: large)
        try spec.watchReachesSnapshot(at: 1_000)
        try spec.expectSnapshot(of: rooms, metadata: [hall], isFromCache: true, in: 1)
        spec.driver.forgetHeard()
        spec.driver.fire(upTo: .settling)
        try spec.expectSilence()
    }

    @Test func `a commit is shown soon after the last who asked the backend has left`() throws {
        let spec = try FirestoreSpec()
        spec.userListens(to: rooms, in: [1], isCacheOnly: true)
        spec.userListens(to: rooms, in: [2])
        try spec.watchAnswers(rooms, with: [], resumeToken: "r1", at: 900)
        spec.userWrites(Cast.set("hall", size: 4), in: 2)
        try spec.writeIsCommitted(at: 1_000)
        #expect(!spec.driver.timers.contains(.settling))
        try spec.userUnlistens(from: rooms, in: 2)
        spec.driver.forgetHeard()
        spec.driver.fire(upTo: .settling)
        try spec.expectSnapshot(
            of: rooms, metadata: [committed(size: 4, at: 1_000)], isFromCache: false)
    }

    @Test func `a commit is shown although the store failed when it was time`() throws {
        let spec = try FirestoreSpec()
        spec.userListens(to: rooms, in: [1], isCacheOnly: true)
        spec.userWrites(Cast.set("hall", size: 4))
        try spec.writeIsCommitted(at: 1_000)
        spec.driver.forgetHeard()
        spec.driver.store.failsNextCommit = true
        spec.driver.fire(upTo: .settling)
        try spec.expectSilence()
        spec.driver.fire(upTo: .settling)
        try spec.expectSnapshot(
            of: rooms, metadata: [committed(size: 4, at: 1_000)], isFromCache: true)
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
