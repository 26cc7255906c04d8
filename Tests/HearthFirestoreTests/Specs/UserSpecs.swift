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
}
