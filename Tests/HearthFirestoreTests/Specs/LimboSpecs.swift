import HearthFirestore
import HearthModel
import HearthTesting
import Testing

struct LimboSpecs {
    private let rooms = Cast.rooms

    @Test func `a document the backend stopped naming is looked up, then removed`() throws {
        let spec = try FirestoreSpec()
        spec.userListens(to: rooms)
        try spec.watchAnswers(rooms, with: [Cast.hall], resumeToken: "r1", at: 1_000)
        try spec.expectSnapshot(of: rooms, added: [Cast.hall], isFromCache: false)
        try spec.watchResets(rooms)
        try spec.watchMarksCurrent(rooms, resumeToken: "r2", at: 1_001)
        try spec.expectLimbo([Cast.hall.key])
        try spec.expectListen(to: Query(document: Cast.hall.key), purpose: .limboResolution)
        try spec.expectSnapshot(of: rooms, isFromCache: true)
        try spec.watchDeniesExistence(of: Cast.hall.key, at: 1_002)
        try spec.expectSnapshot(of: rooms, removed: [Cast.hall], isFromCache: false)
        try spec.expectLimbo([])
        try spec.expectNoListen(to: Query(document: Cast.hall.key))
    }

    @Test func `no more documents are looked up at a time than allowed`() throws {
        let spec = try FirestoreSpec(limboResolutionCountMax: 1)
        spec.userListens(to: rooms)
        try spec.watchAnswers(rooms, with: [Cast.attic, Cast.hall], resumeToken: "r1", at: 1_000)
        try spec.watchResets(rooms)
        try spec.watchMarksCurrent(rooms, resumeToken: "r2", at: 1_001)
        try spec.expectLimbo([Cast.attic.key], waiting: [Cast.hall.key])
        try spec.watchDeniesExistence(of: Cast.attic.key, at: 1_002)
        try spec.expectLimbo([Cast.hall.key])
    }

    @Test func `a waiting lookup is dropped with the last view that needs it`() throws {
        let spec = try FirestoreSpec(limboResolutionCountMax: 1)
        spec.userListens(to: rooms)
        try spec.watchAnswers(rooms, with: [Cast.attic, Cast.hall], resumeToken: "r1", at: 1_000)
        try spec.watchResets(rooms)
        try spec.watchMarksCurrent(rooms, resumeToken: "r2", at: 1_001)
        try spec.userUnlistens(from: rooms)
        try spec.expectLimbo([])
        try spec.expectNoListen(to: Query(document: Cast.attic.key))
    }

    @Test func `two views share one lookup, which lasts as long as one of them`() throws {
        let large = Cast.query(sizeFrom: 1)
        let spec = try FirestoreSpec()
        spec.userListens(to: rooms)
        try spec.watchAnswers(rooms, with: [Cast.hall], resumeToken: "r1", at: 1_000)
        spec.userListens(to: large)
        try spec.watchAnswers(large, with: [], resumeToken: "r2", at: 1_001)
        try spec.watchResets(rooms)
        try spec.watchMarksCurrent(rooms, resumeToken: "r3", at: 1_002)
        try spec.expectLimbo([Cast.hall.key])
        try spec.userUnlistens(from: large)
        try spec.expectLimbo([Cast.hall.key])
        try spec.userUnlistens(from: rooms)
        try spec.expectLimbo([])
    }

    @Test func `a document in limbo with a local write is not looked up`() throws {
        let spec = try FirestoreSpec()
        spec.userListens(to: rooms)
        try spec.watchAnswers(rooms, with: [Cast.hall], resumeToken: "r1", at: 1_000)
        spec.userWrites(
            Mutation(key: Cast.hall.key, kind: .set(MapValue([("size", .integer(5))]))))
        try spec.watchResets(rooms)
        try spec.watchMarksCurrent(rooms, resumeToken: "r2", at: 1_001)
        try spec.expectLimbo([])
    }

    @Test func `an open lookup is asked for again after the stream broke`() throws {
        let spec = try FirestoreSpec()
        spec.userListens(to: rooms)
        try spec.watchAnswers(rooms, with: [Cast.hall], resumeToken: "r1", at: 1_000)
        try spec.watchResets(rooms)
        try spec.watchMarksCurrent(rooms, resumeToken: "r2", at: 1_001)
        try spec.watchCloses()
        try spec.expectListen(to: Query(document: Cast.hall.key), purpose: .limboResolution)
        try spec.expectListen(to: rooms, from: Cast.token("r2"), expectedCount: 0)
    }

    // MARK: Lookups that something comes between

    private func lookingUp() throws -> FirestoreSpec {
        let spec = try FirestoreSpec()
        spec.userListens(to: rooms)
        try spec.watchAnswers(rooms, with: [Cast.attic, Cast.hall], resumeToken: "r1", at: 1_000)
        try spec.watchResets(rooms)
        try spec.watchSends([Cast.attic], to: rooms)
        try spec.watchMarksCurrent(rooms, resumeToken: "r2", at: 1_001)
        try spec.expectLimbo([Cast.hall.key])
        spec.driver.forgetHeard()
        return spec
    }

    private var hall: Query { Query(document: Cast.hall.key) }

    @Test func `a target that names the document after all ends the lookup`() throws {
        let spec = try lookingUp()
        try spec.watchResets(rooms)
        try spec.watchSends([Cast.attic, Cast.hall], to: rooms)
        try spec.watchMarksCurrent(rooms, resumeToken: "r3", at: 1_002)
        try spec.expectLimbo([])
        try spec.expectNoListen(to: hall)
        try spec.expectSnapshot(of: rooms, isFromCache: false)
    }

    @Test func `a target that is reset and not current yet leaves its lookups alone`() throws {
        let spec = try lookingUp()
        try spec.watchResets(rooms)
        try spec.watchReachesSnapshot(at: 1_002)
        try spec.expectLimbo([Cast.hall.key])
        try spec.watchDeniesExistence(of: Cast.hall.key, at: 1_003)
        try spec.expectSnapshot(of: rooms, removed: [Cast.hall], isFromCache: true)
        try spec.watchSends([Cast.attic], to: rooms)
        try spec.watchMarksCurrent(rooms, resumeToken: "r3", at: 1_004)
        try spec.expectSnapshot(of: rooms, isFromCache: false)
        try spec.expectLimbo([])
    }

    @Test func `a lookup that is reset after it named the document counts for nothing`() throws {
        let spec = try lookingUp()
        try spec.watchAcknowledges(hall)
        try spec.watchSends([Cast.hall], to: hall)
        try spec.watchReachesSnapshot(at: 1_002)
        try spec.watchResets(hall)
        try spec.watchMarksCurrent(hall, resumeToken: "l", at: 1_003)
        try spec.watchReachesSnapshot(at: 1_004)
        try spec.expectSnapshot(of: rooms, removed: [Cast.hall], isFromCache: false)
        try spec.expectLimbo([])
    }

    @Test func `a lookup whose count is zero tells that the document is gone`() throws {
        let spec = try lookingUp()
        try spec.watchAcknowledges(hall)
        try spec.watchFilters(hall, count: 0)
        try spec.watchReachesSnapshot(at: 1_002)
        try spec.expectSnapshot(of: rooms, removed: [Cast.hall], isFromCache: false)
        try spec.expectLimbo([])
    }

    @Test func `a wrong count of the query's target ends the doubt until the target is told anew`()
        throws
    {
        let spec = try lookingUp()
        try spec.watchFilters(rooms, count: 3)
        try spec.watchReachesSnapshot(at: 1_002)
        try spec.expectListen(to: rooms, purpose: .existenceFilterMismatch)
        try spec.watchAcknowledges(rooms, name: 1)
        let den = Cast.room("den")
        try spec.watchSends([Cast.attic, den, Cast.hall], to: rooms, name: 1)
        try spec.watchMarksCurrent(rooms, name: 1, resumeToken: "r3", at: 1_003)
        try spec.expectSnapshot(of: rooms, added: [den], isFromCache: false)
        try spec.expectLimbo([])
    }

    @Test func `a document that the lookup finds stays in doubt until its target names it`() throws
    {
        let spec = try lookingUp()
        let changed = Cast.room("hall", size: 7, at: 1_002)
        try spec.watchAnswers(hall, with: [changed], resumeToken: "l", at: 1_002)
        try spec.expectSnapshot(of: rooms, modified: [changed], isFromCache: true)
        try spec.expectLimbo([Cast.hall.key])
        try spec.watchSends([changed], to: rooms)
        try spec.watchReachesSnapshot(at: 1_003)
        try spec.expectSnapshot(of: rooms, isFromCache: false)
        try spec.expectNoListen(to: hall)
    }

    // MARK: Acknowledged writes that nobody names

    private func acknowledged(at microseconds: Int64) throws -> FirestoreSpec {
        let spec = try FirestoreSpec()
        spec.userListens(to: rooms)
        try spec.watchAnswers(rooms, with: [], resumeToken: "r1", at: 1_000)
        try spec.expectSnapshot(of: rooms, isFromCache: false)
        spec.userWrites(Mutation(key: Cast.hall.key, kind: .set(Cast.hall.fields)))
        var local = Cast.hall
        local.markLocalMutations()
        try spec.expectSnapshot(
            of: rooms, added: [local], isFromCache: false, hasPendingWrites: true)
        try spec.writeIsCommitted(at: microseconds)
        try spec.expectSilence()
        return spec
    }

    @Test func `an acknowledged write that the backend has not named by then is looked up`() throws
    {
        let spec = try acknowledged(at: 2_000)
        try spec.watchReachesSnapshot(at: 1_999)
        try spec.expectLimbo([])
        try spec.watchReachesSnapshot(at: 2_000)
        try spec.expectLimbo([Cast.hall.key])
        try spec.expectSnapshot(of: rooms, isFromCache: true, hasPendingWrites: true)
        // Another writer had deleted it before the watch stream could tell of either.
        try spec.watchDeniesExistence(of: Cast.hall.key, at: 2_001)
        var local = Cast.hall
        local.markLocalMutations()
        try spec.expectSnapshot(of: rooms, removed: [local], isFromCache: false)
        try spec.expectLimbo([])
    }

    @Test func `an acknowledged write is not looked up while its target catches up`() throws {
        let spec = try acknowledged(at: 2_000)
        try spec.watchCloses()
        try spec.watchAcknowledges(rooms)
        try spec.watchReachesSnapshot(at: 3_000)
        try spec.expectSnapshot(of: rooms, isFromCache: true, hasPendingWrites: true)
        try spec.expectLimbo([])
        let hall = Cast.room("hall", at: 2_000)
        try spec.watchSends([hall], to: rooms)
        try spec.watchMarksCurrent(rooms, resumeToken: "r2", at: 3_001)
        try spec.expectSnapshot(of: rooms, metadata: [hall], isFromCache: false)
        try spec.expectLimbo([])
    }

    @Test func `an acknowledged write that a refused one had hidden is looked up at once`() throws {
        let spec = try acknowledged(at: 2_000)
        spec.userWrites(Mutation(key: Cast.hall.key, kind: .delete))
        spec.driver.forgetHeard()
        // Another writer had deleted it too.
        try spec.watchReachesSnapshot(at: 2_001)
        try spec.expectSilence()
        try spec.writeFails(.permissionDenied)
        try spec.expectLimbo([Cast.hall.key])
        let heard = try #require(spec.driver.heard.first).result.get()
        #expect(heard.isFromCache)
        try spec.watchDeniesExistence(of: Cast.hall.key, at: 2_002)
        let last = try #require(spec.driver.heard.last).result.get()
        #expect(!last.isFromCache)
        #expect(last.documents.isEmpty)
    }

    @Test func `an acknowledged document that is written again waits for that write`() throws {
        let spec = try acknowledged(at: 2_000)
        try spec.watchReachesSnapshot(at: 2_000)
        try spec.expectLimbo([Cast.hall.key])
        spec.userWrites(Mutation(key: Cast.hall.key, kind: .set(Cast.hall.fields)))
        try spec.expectLimbo([])
        try spec.writeIsCommitted(at: 3_000)
        try spec.watchReachesSnapshot(at: 2_999)
        try spec.expectLimbo([])
        try spec.watchReachesSnapshot(at: 3_000)
        try spec.expectLimbo([Cast.hall.key])
    }

    // MARK: Answers that come after the backend has passed the commit

    /// Somebody wrote to attic and hall in one batch, which the backend committed at 1,500; somebody else
    /// has deleted the hall. The watch stream has told of all that up to 2,000; the answer comes now.
    private func lateAnswer(to names: [String]) throws -> FirestoreSpec {
        let spec = try FirestoreSpec()
        spec.userListens(to: rooms)
        try spec.watchAnswers(rooms, with: [], resumeToken: "r1", at: 1_000)
        spec.driver.write(names.map { Cast.set($0) })
        if names.contains("attic") {
            try spec.watchSends([Cast.room("attic", at: 1_500)], to: rooms)
        }
        try spec.watchReachesSnapshot(at: 2_000)
        spec.driver.forgetHeard()
        try spec.writeIsCommitted(at: 1_500)
        return spec
    }

    @Test func `who is told of a late answer is not told that the backend has confirmed it all`()
        throws
    {
        let spec = try lateAnswer(to: ["attic", "hall"])
        try spec.expectSnapshot(
            of: rooms, metadata: [Cast.room("attic", at: 1_500)], isFromCache: true,
            hasPendingWrites: true)
        try spec.expectLimbo([Cast.hall.key])
        try spec.watchDeniesExistence(of: Cast.hall.key, at: 2_001)
        try spec.expectSnapshot(of: rooms, removed: [Cast.pending("hall")], isFromCache: false)
        try spec.expectLimbo([])
    }

    @Test func `a late answer with no other news is followed by a lookup, soon`() throws {
        let spec = try lateAnswer(to: ["hall"])
        try spec.expectSilence()
        try spec.expectLimbo([])
        spec.driver.fire(upTo: .settling)
        try spec.expectSnapshot(of: rooms, isFromCache: true, hasPendingWrites: true)
        try spec.expectLimbo([Cast.hall.key])
        #expect(!spec.driver.timers.contains(.settling))
        try spec.watchDeniesExistence(of: Cast.hall.key, at: 2_001)
        try spec.expectSnapshot(of: rooms, removed: [Cast.pending("hall")], isFromCache: false)
    }

    @Test func `who comes right after a late answer hears of the doubt at once`() throws {
        let spec = try lateAnswer(to: ["hall"])
        spec.userListens(to: rooms, in: [2])
        try spec.expectSnapshot(of: rooms, isFromCache: true, hasPendingWrites: true, in: 1)
        try spec.expectSnapshot(
            of: rooms, added: [Cast.pending("hall")], isFromCache: true, hasPendingWrites: true,
            in: 2)
        try spec.expectLimbo([Cast.hall.key])
    }

    @Test func `an answer that the backend has not passed waits for it, and for no clock`() throws {
        let spec = try acknowledged(at: 2_000)
        #expect(!spec.driver.timers.contains(.settling))
    }

    @Test func `of a listener's own document the backend's silence is enough, once it is time`()
        throws
    {
        let hall = Query(document: Cast.hall.key)
        let spec = try FirestoreSpec()
        spec.userListens(to: hall)
        try spec.watchAnswers(hall, with: [], resumeToken: "r1", at: 1_000)
        try spec.expectSnapshot(of: hall, isFromCache: false)
        spec.userWrites(Cast.set("hall", size: 5))
        let pending = Cast.pending("hall", size: 5)
        try spec.expectSnapshot(
            of: hall, added: [pending], isFromCache: false, hasPendingWrites: true)
        try spec.writeIsCommitted(at: 1_500)
        try spec.watchReachesSnapshot(at: 1_400)
        try spec.expectSilence()
        try spec.watchReachesSnapshot(at: 1_600)
        try spec.expectSnapshot(of: hall, removed: [pending], isFromCache: false)
        try spec.expectLimbo([])
        try spec.expectSilence()
    }
}
