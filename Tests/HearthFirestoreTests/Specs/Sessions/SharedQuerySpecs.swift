import HearthModel
import HearthTesting
import Testing

/// One query and several programs: a single target at the backend, and each program gets the
/// snapshots that it asked for.
struct SharedQuerySpecs {
    private let rooms = Cast.rooms
    private let halls = Query(path: ResourcePath(["halls"]))

    private func shared(on backing: StoryBacking = .memory) throws -> FirestoreSpec {
        let spec = try FirestoreSpec(on: backing)
        spec.userListens(to: rooms, in: [1, 2])
        try spec.watchAnswers(rooms, with: [Cast.hall], resumeToken: "r1", at: 1_000)
        for session: UInt64 in [1, 2] {
            try spec.expectSnapshot(of: rooms, added: [Cast.hall], isFromCache: false, in: session)
        }
        try spec.expectSilence()
        return spec
    }

    @Test func `programs share one listen, and a late one has the result at once`() throws {
        let spec = try shared()
        spec.userListens(to: rooms, in: [3])
        try spec.expectSnapshot(of: rooms, added: [Cast.hall], isFromCache: false, in: 3)
        try spec.expectSilence()
        try spec.expectWatchRequests(1)
        try spec.watchSends([Cast.attic], to: rooms)
        try spec.watchReachesSnapshot(at: 1_001)
        for session: UInt64 in [1, 2, 3] {
            try spec.expectSnapshot(of: rooms, added: [Cast.attic], isFromCache: false, in: session)
        }
        try spec.expectSilence()
    }

    @Test func `a target is watched until the last program lets go, and resumes for the next`()
        throws
    {
        let spec = try shared()
        try spec.userUnlistens(from: rooms, in: 1)
        try spec.expectListen(to: rooms)
        spec.programEnds(2)
        try spec.expectNoListen(to: rooms)
        spec.userListens(to: rooms, in: [3])
        try spec.expectSnapshot(of: rooms, added: [Cast.hall], isFromCache: true, in: 3)
        try spec.expectListen(to: rooms, from: Cast.token("r1"), expectedCount: 1)
        try spec.expectSilence()
    }

    @Test func `only who listens to a query hears of it`() throws {
        let spec = try FirestoreSpec()
        spec.userListens(to: rooms, in: [1, 3])
        spec.userListens(to: halls, in: [2, 3])
        try spec.expectWatched(2)
        try spec.watchAnswers(rooms, with: [Cast.hall], resumeToken: "r1", at: 1_000)
        try spec.expectSnapshot(of: rooms, added: [Cast.hall], isFromCache: false, in: 1)
        try spec.expectSnapshot(of: rooms, added: [Cast.hall], isFromCache: false, in: 3)
        try spec.expectSilence()
        try spec.watchAnswers(halls, with: [], resumeToken: "h1", at: 1_001)
        try spec.expectSnapshot(of: halls, isFromCache: false, in: 2)
        try spec.expectSnapshot(of: halls, isFromCache: false, in: 3)
        try spec.expectSilence()
    }

    @Test func `a refusal ends everybody's listener, and one program's new attempt is its own`()
        throws
    {
        let spec = try shared()
        try spec.watchRemoves(
            rooms, cause: HearthError(code: .resourceExhausted, message: "Too many."))
        try spec.expectError(of: rooms, .resourceExhausted, in: 1)
        try spec.expectError(of: rooms, .resourceExhausted, in: 2)
        spec.userListens(to: rooms, in: [2])
        try spec.expectSnapshot(of: rooms, added: [Cast.hall], isFromCache: true, in: 2)
        try spec.expectListen(to: rooms, from: Cast.token("r1"), expectedCount: 1)
        try spec.watchAnswers(rooms, with: [], resumeToken: "r2", at: 1_001)
        try spec.expectSnapshot(of: rooms, isFromCache: false, in: 2)
        try spec.expectSilence()
    }

    @Test func `a result that one program's delete has emptied is shown to the next at once`()
        throws
    {
        let spec = try shared()
        try spec.userUnlistens(from: rooms, in: 1)
        try spec.userUnlistens(from: rooms, in: 2)
        spec.userWrites(Mutation(key: Cast.hall.key, kind: .delete), in: 1)
        spec.userListens(to: rooms, in: [2])
        try spec.expectSnapshot(of: rooms, isFromCache: true, in: 2)
        try spec.writeIsCommitted(at: 1_500)
        let gone = Document.missing(Cast.hall.key, at: FirestoreSpec.version(1_500))
        try spec.watchAnswers(rooms, with: [gone], resumeToken: "r2", at: 1_500)
        try spec.expectSnapshot(of: rooms, isFromCache: false, in: 2)
        try spec.expectSilence()
    }

    @Test func `a query goes on from where another program left it`() throws {
        let spec = try FirestoreSpec()
        spec.userListens(to: rooms, in: [1])
        try spec.watchAnswers(rooms, with: [Cast.hall], resumeToken: "r1", at: 1_000)
        try spec.userUnlistens(from: rooms, in: 1)
        spec.driver.forgetHeard()
        spec.userListens(to: rooms, in: [2])
        try spec.expectSnapshot(of: rooms, added: [Cast.hall], isFromCache: true, in: 2)
        try spec.watchAnswers(rooms, with: [], resumeToken: "r2", at: 1_100)
        try spec.expectSnapshot(of: rooms, isFromCache: false, in: 2)
        spec.userWrites(Mutation(key: Cast.hall.key, kind: .delete), in: 1)
        try spec.expectSnapshot(of: rooms, removed: [Cast.hall], isFromCache: false, in: 2)
        try spec.writeIsCommitted(at: 1_200)
        let gone = Document.missing(Cast.hall.key, at: FirestoreSpec.version(1_200))
        try spec.watchSends([gone], to: rooms)
        try spec.watchReachesSnapshot(at: 1_200)
        try spec.expectSilence()
        spec.userWrites(Cast.set("hall", size: 2), in: 1)
        try spec.expectSnapshot(
            of: rooms, added: [Cast.pending("hall", size: 2)], isFromCache: false,
            hasPendingWrites: true, in: 2)
        try spec.expectSilence()
    }

    @Test func `after a restart programs share the target again, from where it was`() throws {
        let spec = try shared(on: .keptMemory())
        try spec.driver.restart()
        spec.userListens(to: rooms, in: [2, 1])
        for session: UInt64 in [1, 2] {
            try spec.expectSnapshot(of: rooms, added: [Cast.hall], isFromCache: true, in: session)
        }
        try spec.expectWatched(1)
        try spec.expectListen(to: rooms, from: Cast.token("r1"), expectedCount: 1)
        try spec.watchAnswers(rooms, with: [], resumeToken: "r2", at: 1_001)
        for session: UInt64 in [1, 2] {
            try spec.expectSnapshot(of: rooms, isFromCache: false, in: session)
        }
        try spec.expectSilence()
    }

    @Test func `what is in limbo is looked up again after a restart`() throws {
        let spec = try shared(on: .keptMemory())
        try spec.watchResets(rooms)
        try spec.watchMarksCurrent(rooms, resumeToken: "r2", at: 1_001)
        try spec.expectLimbo([Cast.hall.key])
        try spec.driver.restart()
        spec.driver.forgetHeard()
        spec.userListens(to: rooms, in: [1, 2])
        try spec.watchAnswers(rooms, with: [], resumeToken: "r3", at: 1_002)
        try spec.expectLimbo([Cast.hall.key])
        spec.driver.forgetHeard()
        try spec.watchDeniesExistence(of: Cast.hall.key, at: 1_003)
        for session: UInt64 in [1, 2] {
            try spec.expectSnapshot(
                of: rooms, removed: [Cast.hall], isFromCache: false, in: session)
        }
        try spec.expectLimbo([])
    }
}
