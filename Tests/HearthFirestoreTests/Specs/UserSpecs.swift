import HearthFirestore
import HearthModel
import HearthTesting
import Testing

/// Several Firebase users on one cache: each has a queue and overlays of their own.
struct UserSpecs {
    private let ann = UserID("ann")
    private let bob = UserID("bob")
    private let rooms = Cast.rooms

    private func local(_ name: String, size: Int64) -> Document {
        var document = Cast.room(name, size: size)
        document.markLocalMutations()
        return document
    }

    private func set(_ name: String, size: Int64) -> Mutation {
        Mutation(key: Cast.key(name), kind: .set(MapValue([("size", .integer(size))])))
    }

    @Test func `writes wait for their user, and come back with them`() throws {
        let spec = try FirestoreSpec()
        spec.driver.setNetwork(isEnabled: false)
        spec.driver.changeUser(to: ann)
        spec.userListens(to: rooms)
        spec.driver.forgetHeard()
        spec.userWrites(set("hall", size: 1))
        let hall = local("hall", size: 1)
        try spec.expectSnapshot(of: rooms, added: [hall], isFromCache: true, hasPendingWrites: true)
        spec.driver.changeUser(to: bob)
        try spec.expectSnapshot(of: rooms, removed: [hall], isFromCache: true)
        spec.userWrites(set("attic", size: 2))
        spec.driver.forgetHeard()
        spec.driver.changeUser(to: ann)
        try spec.expectSnapshot(
            of: rooms, added: [hall], removed: [local("attic", size: 2)], isFromCache: true,
            hasPendingWrites: true)
        #expect(spec.driver.engine.user == ann)
    }

    @Test func `a refusal that could not be stored is stored in its own user's queue`() throws {
        let spec = try FirestoreSpec()
        spec.driver.changeUser(to: ann)
        spec.userWrites(set("hall", size: 1))
        spec.driver.store.failing = [.rejectBatch]
        try spec.writeFails(.permissionDenied)
        spec.driver.changeUser(to: bob)
        spec.driver.store.failing = []
        spec.driver.fire(upTo: .storeRetry)
        #expect(spec.driver.rejectedDocuments == [Cast.key("hall")])
        spec.driver.changeUser(to: ann)
        #expect(spec.driver.engine.outstandingWriteCount == 0)
        #expect(spec.driver.upstream.sent.isEmpty)
    }

    @Test func `overlays are computed anew for a user who comes back`() throws {
        let spec = try FirestoreSpec()
        spec.driver.changeUser(to: ann)
        let patch = Mutation(
            key: Cast.key("hall"),
            kind: .patch(MapValue([("size", .integer(7))]), FieldMask([FieldPath(["size"])])),
            precondition: .exists(true))
        spec.userWrites(patch)
        spec.driver.changeUser(to: bob)
        spec.userListens(to: rooms)
        try spec.watchAnswers(rooms, with: [Cast.hall], resumeToken: "r1", at: 1_000)
        try spec.expectSnapshot(of: rooms, added: [Cast.hall], isFromCache: false)
        spec.driver.changeUser(to: ann)
        try spec.expectSnapshot(
            of: rooms, modified: [local("hall", size: 7)], isFromCache: false,
            hasPendingWrites: true)
    }

    @Test func `waiting for writes ends with its user`() throws {
        let spec = try FirestoreSpec()
        spec.driver.setNetwork(isEnabled: false)
        spec.userWrites(set("hall", size: 1))
        spec.driver.waitForPendingWrites()
        spec.driver.forgetHeard()
        spec.driver.changeUser(to: ann)
        let refusals = spec.driver.actions.compactMap { action -> StatusCode? in
            if case .refuse(_, let error) = action { error.code } else { nil }
        }
        #expect(refusals == [.cancelled])
        #expect(spec.driver.pendingWritesWaitCount == 0)
    }

    // MARK: While the store fails

    /// Ann has written to the hall, and listens; then the store fails to change the user.
    private func annStays() throws -> FirestoreSpec {
        let spec = try FirestoreSpec()
        spec.driver.changeUser(to: ann)
        spec.userWrites(set("hall", size: 1))
        spec.userListens(to: rooms)
        spec.driver.forgetHeard()
        spec.driver.store.failing = [.changeUser]
        return spec
    }

    @Test func `who signs in last is the user when the store works again`() throws {
        let spec = try annStays()
        spec.driver.changeUser(to: bob)
        spec.driver.changeUser(to: ann)
        try spec.expectWatched(0)
        try spec.expectSilence()
        spec.driver.store.failing = []
        spec.driver.fire(upTo: .storeRetry)
        let hall = local("hall", size: 1)
        try spec.expectSnapshot(of: rooms, removed: [hall], isFromCache: true)
        try spec.expectSnapshot(of: rooms, added: [hall], isFromCache: true, hasPendingWrites: true)
        try spec.expectSilence()
        #expect(spec.driver.engine.user == ann)
        try spec.expectListen(to: rooms)
        #expect(spec.driver.upstream.sent.map { $0.map(\.key) } == [[Cast.key("hall")]])
    }

    @Test(
        arguments: [
            ["bob", "bob"], ["bob", "ann", "bob"], ["bob", "cid", "ann"],
            ["ann", "bob", "cid", "bob"],
        ])
    func `several who sign in end with the last, whose writes alone are shown`(
        names: [String]
    ) throws {
        let spec = try FirestoreSpec()
        spec.driver.setNetwork(isEnabled: false)
        for name in ["cid", "bob", "ann"] {
            spec.driver.changeUser(to: UserID(name))
            spec.userWrites(set(name, size: 1))
        }
        spec.userListens(to: rooms)
        spec.driver.store.failing = [.changeUser]
        for name in names {
            spec.driver.changeUser(to: UserID(name))
            // Whatever else is done meanwhile changes nothing of it.
            spec.driver.setNetwork(isEnabled: true)
            spec.driver.setNetwork(isEnabled: false)
        }
        spec.driver.fire(upTo: .storeRetry)
        spec.driver.store.failing = []
        spec.driver.fire(upTo: .storeRetry)
        let last = try #require(names.last)
        #expect(spec.driver.engine.user == UserID(last))
        let shown = try #require(spec.driver.heard.last).result.get()
        #expect(shown.documents.documents == [local(last, size: 1)])
        #expect(shown.hasPendingWrites)
        spec.driver.setNetwork(isEnabled: true)
        #expect(spec.driver.upstream.sent.map { $0.map(\.key) } == [[Cast.key(last)]])
    }

    @Test func `a write is not taken for one who has signed out`() throws {
        let spec = try annStays()
        spec.driver.changeUser(to: bob)
        spec.userWrites(set("attic", size: 2))
        #expect(spec.driver.rejectedDocuments == [Cast.attic.key])
        spec.driver.store.failing = []
        spec.driver.fire(upTo: .storeRetry)
        spec.userWrites(set("attic", size: 2))
        #expect(spec.driver.upstream.sent.map { $0.map(\.key) } == [[Cast.attic.key]])
        spec.driver.changeUser(to: ann)
        #expect(spec.driver.upstream.sent.map { $0.map(\.key) } == [[Cast.hall.key]])
    }

    @Test func `who signed in last is the user after a restart too`() throws {
        let spec = try annStays()
        spec.driver.changeUser(to: bob)
        spec.driver.store.failing = []
        try spec.driver.restart()
        spec.userListens(to: rooms)
        #expect(spec.driver.engine.user == bob)
        #expect(spec.driver.heard.allSatisfy { (try? $0.result.get().documents.isEmpty) == true })
    }

    // MARK: Writes on their way

    /// A write of ann's that the backend has been sent, and whose answer has not come.
    private func underWay() throws -> FirestoreSpec {
        let spec = try FirestoreSpec()
        spec.driver.changeUser(to: ann)
        spec.userListens(to: rooms)
        try spec.watchAnswers(rooms, with: [], resumeToken: "r1", at: 1_000)
        spec.userWrites(set("hall", size: 1))
        #expect(spec.driver.upstream.sent.count == 1)
        spec.driver.forgetHeard()
        return spec
    }

    @Test func `a write on its way does not go on as somebody else's`() throws {
        let spec = try underWay()
        let stream = try #require(spec.driver.upstream.write)
        spec.driver.changeUser(to: bob)
        #expect(spec.driver.upstream.write == nil)
        try spec.expectSnapshot(of: rooms, removed: [local("hall", size: 1)], isFromCache: false)
        // The answer to ann comes late, and is no answer to bob.
        spec.userWrites(set("attic", size: 2))
        spec.driver.take(
            .upstream(
                .writeAnswered(
                    stream,
                    WriteAnswer(
                        token: [9], committedAt: FirestoreSpec.version(2_000),
                        results: [.init(version: FirestoreSpec.version(2_000))]))))
        #expect(spec.driver.acknowledgedDocuments.isEmpty)
        #expect(spec.driver.upstream.sent.map { $0.map(\.key) } == [[Cast.key("attic")]])
    }

    @Test func `a write on its way is sent again when its user comes back`() throws {
        let spec = try underWay()
        spec.driver.changeUser(to: bob)
        spec.driver.changeUser(to: ann)
        #expect(spec.driver.upstream.sent.map { $0.map(\.key) } == [[Cast.key("hall")]])
        try spec.writeIsCommitted(at: 2_000)
        #expect(spec.driver.acknowledgedDocuments == [Cast.key("hall")])
        #expect(spec.driver.engine.outstandingWriteCount == 0)
    }

    @Test func `streams start anew for the same user's new credentials, and nothing is lost`()
        throws
    {
        let spec = try underWay()
        let (watch, write) = (spec.driver.upstream.watch, spec.driver.upstream.write)
        spec.driver.changeUser(to: ann)
        #expect(spec.driver.upstream.watch != watch)
        #expect(spec.driver.upstream.write != write)
        try spec.expectListen(to: rooms, from: Cast.token("r1"), expectedCount: 0)
        #expect(spec.driver.upstream.sent.map { $0.map(\.key) } == [[Cast.key("hall")]])
        try spec.expectSilence()
        try spec.writeIsCommitted(at: 2_000)
        #expect(spec.driver.acknowledgedDocuments == [Cast.key("hall")])
    }
}
