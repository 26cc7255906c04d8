import HearthFirestore
import HearthModel
import HearthTesting
import Testing

/// What the listeners of Google's SDKs hear in short stories that the other specs do not tell.
struct SDKHabitSpecs {
    private let rooms = Cast.rooms
    private let hall = Query(document: Cast.hall.key)

    /// Somebody listens to the rooms, and the backend has told of these.
    private func listening(to documents: [Document]) throws -> FirestoreSpec {
        let spec = try FirestoreSpec()
        spec.userListens(to: rooms)
        try spec.watchAnswers(rooms, with: documents, resumeToken: "r1", at: 1_000)
        try spec.expectSnapshot(of: rooms, added: documents, isFromCache: false)
        return spec
    }

    @Test func `a write is shown before the backend has told of the query, and stays shown`() throws
    {
        let spec = try FirestoreSpec()
        spec.userListens(to: rooms)
        spec.userWrites(Cast.set("hall"))
        try spec.expectSnapshot(
            of: rooms, added: [Cast.pending("hall")], isFromCache: true, hasPendingWrites: true)
        try spec.watchAnswers(rooms, with: [], resumeToken: "r1", at: 1_000)
        try spec.expectSnapshot(of: rooms, isFromCache: false, hasPendingWrites: true)
        try spec.expectLimbo([])
        try spec.expectSilence()
    }

    @Test func `a write behind a full limit is nobody's news, answered or not`() throws {
        let two = Cast.first(2)
        let spec = try FirestoreSpec()
        spec.userListens(to: two)
        try spec.watchAnswers(two, with: [Cast.attic, Cast.hall], resumeToken: "r1", at: 1_000)
        try spec.expectSnapshot(of: two, added: [Cast.attic, Cast.hall], isFromCache: false)
        spec.userWrites(Cast.set("yard"))
        try spec.writeIsCommitted(at: 2_000)
        try spec.watchReachesSnapshot(at: 2_000)
        try spec.expectSilence()
        try spec.expectLimbo([])
    }

    @Test func `an answered write is not sent again when the network comes back`() throws {
        let spec = try listening(to: [])
        spec.userWrites(Cast.set("hall"))
        try spec.expectSnapshot(
            of: rooms, added: [Cast.pending("hall")], isFromCache: false, hasPendingWrites: true)
        try spec.writeIsCommitted(at: 2_000)
        spec.driver.setNetwork(isEnabled: false)
        try spec.expectSnapshot(of: rooms, isFromCache: true, hasPendingWrites: true)
        let requestCount = spec.driver.upstream.writeRequestCount
        spec.driver.setNetwork(isEnabled: true)
        try spec.expectListen(to: rooms, from: Cast.token("r1"), expectedCount: 0)
        #expect(spec.driver.upstream.writeRequestCount == requestCount)
        let told = Cast.room("hall", at: 2_000)
        try spec.watchAnswers(rooms, with: [told], resumeToken: "r2", at: 3_000)
        try spec.expectSnapshot(of: rooms, metadata: [told], isFromCache: false)
        try spec.expectSilence()
    }

    @Test func `whoever listens after all others have gone waits for an attempt of their own`()
        throws
    {
        let spec = try FirestoreSpec()
        spec.userListens(to: rooms)
        try spec.watchCloses()
        try spec.expectSnapshot(of: rooms, isFromCache: true)
        try spec.userUnlistens(from: rooms)
        try spec.watchCloses()
        spec.userListens(to: rooms)
        try spec.expectSilence()
        try spec.watchCloses()
        try spec.expectSnapshot(of: rooms, isFromCache: true)
    }

    @Test func `a token for all listens counts for who listens again`() throws {
        let spec = try listening(to: [Cast.hall])
        let token = ResumeToken(Array("r5".utf8))
        try spec.watch(
            .target(
                .init(
                    kind: .noChange, targets: [], resumeToken: token,
                    readAt: FirestoreSpec.version(5_000))))
        try spec.userUnlistens(from: rooms)
        try spec.watchRemoves(rooms)
        spec.userListens(to: rooms)
        try spec.expectListen(to: rooms, from: Cast.token("r5"), expectedCount: 1)
        try spec.expectSnapshot(of: rooms, added: [Cast.hall], isFromCache: true)
    }

    // MARK: What is gone

    @Test func `a document that its own query does not find is missing for other queries`() throws {
        let spec = try listening(to: [Cast.attic, Cast.hall])
        try spec.userUnlistens(from: rooms)
        spec.userListens(to: hall)
        try spec.expectSnapshot(of: hall, added: [Cast.hall], isFromCache: true)
        try spec.watchAnswers(hall, with: [], resumeToken: "h1", at: 2_000)
        try spec.expectSnapshot(of: hall, removed: [Cast.hall], isFromCache: false)
        try spec.userUnlistens(from: hall)
        spec.userListens(to: rooms)
        try spec.expectListen(to: rooms, from: Cast.token("r1"), expectedCount: 2)
        try spec.expectSnapshot(of: rooms, added: [Cast.attic], isFromCache: true)
        try spec.watchAnswers(rooms, with: [], resumeToken: "r2", at: 3_000)
        try spec.expectSnapshot(of: rooms, isFromCache: false)
        try spec.expectLimbo([])
        try spec.expectSilence()
    }

    @Test func `a deletion in the cache hides older states, until a newer one is told`() throws {
        let spec = try FirestoreSpec()
        spec.userListens(to: hall)
        try spec.watchAnswers(hall, with: [Cast.hall], resumeToken: "h1", at: 1_000)
        try spec.expectSnapshot(of: hall, added: [Cast.hall], isFromCache: false)
        try spec.watchDeletes(Cast.hall.key, from: hall, at: 4_000)
        try spec.watchReachesSnapshot(at: 4_000)
        try spec.expectSnapshot(of: hall, removed: [Cast.hall], isFromCache: false)
        try spec.userUnlistens(from: hall)
        spec.userListens(to: rooms)
        try spec.expectSilence()
        try spec.watchAnswers(rooms, with: [Cast.hall], resumeToken: "r1", at: 5_000)
        try spec.expectSnapshot(of: rooms, isFromCache: false)
        let newer = Cast.room("hall", size: 3, at: 6_000)
        try spec.watchSends([newer], to: rooms)
        try spec.watchReachesSnapshot(at: 6_000)
        try spec.expectSnapshot(of: rooms, added: [newer], isFromCache: false)
        try spec.expectSilence()
    }

    @Test func `a count of zero tells a document's listener that the document is gone`() throws {
        let spec = try FirestoreSpec()
        spec.userListens(to: hall)
        try spec.watchAnswers(hall, with: [Cast.hall], resumeToken: "h1", at: 1_000)
        try spec.expectSnapshot(of: hall, added: [Cast.hall], isFromCache: false)
        try spec.watchFilters(hall, count: 0)
        try spec.watchReachesSnapshot(at: 2_000)
        try spec.expectSnapshot(of: hall, removed: [Cast.hall], isFromCache: false)
        try spec.expectSilence()
    }

    @Test func `a document taken from a query without a word is looked up`() throws {
        let spec = try listening(to: [Cast.attic, Cast.hall])
        try spec.watchTakes([Cast.hall.key], from: rooms)
        try spec.watchReachesSnapshot(at: 2_000)
        try spec.expectLimbo([Cast.hall.key])
        try spec.expectSnapshot(of: rooms, isFromCache: true)
        try spec.watchDeniesExistence(of: Cast.hall.key, at: 3_000)
        try spec.expectSnapshot(of: rooms, removed: [Cast.hall], isFromCache: false)
        try spec.expectLimbo([])
    }

    // MARK: Counts

    @Test func `a count is of what the snapshot will have`() throws {
        let spec = try listening(to: [Cast.hall])
        try spec.watchSends([Cast.attic], to: rooms)
        try spec.watchFilters(rooms, count: 2)
        try spec.watchReachesSnapshot(at: 2_000)
        try spec.expectSnapshot(of: rooms, added: [Cast.attic], isFromCache: false)
        try spec.expectListen(to: rooms)
        try spec.expectSilence()
    }

    @Test func `a wrong count lets nobody trust what the query had found before`() throws {
        let spec = try listening(to: [Cast.attic, Cast.hall])
        try spec.watchFilters(rooms, count: 1)
        try spec.watchReachesSnapshot(at: 2_000)
        try spec.expectSnapshot(of: rooms, isFromCache: true)
        try spec.expectListen(to: rooms, purpose: .existenceFilterMismatch)
        try spec.userUnlistens(from: rooms)
        spec.userListens(to: rooms)
        try spec.expectSnapshot(of: rooms, added: [Cast.attic, Cast.hall], isFromCache: true)
        try spec.expectListen(to: rooms)
    }
}
