import HearthFirestore
import HearthModel
import HearthTesting
import Testing

/// One queue of writes and several programs: everyone sees a write at once, its writer alone is told
/// of its fate, and everyone may wait for it.
struct SharedWriteSpecs {
    private let rooms = Cast.rooms
    private let attic = Cast.pending("attic", size: 5)

    /// Two programs listen, and the second has written.
    private func written(on backing: StoryBacking = .memory) throws -> FirestoreSpec {
        let spec = try FirestoreSpec(on: backing)
        spec.userListens(to: rooms, in: [1, 2])
        try spec.watchAnswers(rooms, with: [Cast.hall], resumeToken: "r1", at: 1_000)
        spec.driver.forgetHeard()
        spec.userWrites(Cast.set("attic", size: 5), in: 2)
        for session: UInt64 in [1, 2] {
            try spec.expectSnapshot(
                of: rooms, added: [attic], isFromCache: false, hasPendingWrites: true, in: session)
        }
        try spec.expectSilence()
        return spec
    }

    @Test func `a refused write is taken back everywhere, and its writer alone is told`() throws {
        let spec = try written()
        try spec.writeFails(.permissionDenied)
        try spec.expectAnswers(to: [2], rejected: [attic.key])
        for session: UInt64 in [1, 2] {
            try spec.expectSnapshot(of: rooms, removed: [attic], isFromCache: false, in: session)
        }
        try spec.expectSilence()
    }

    @Test func `a committed write stays as it is shown until the watch stream has named it`() throws
    {
        let spec = try written()
        try spec.writeIsCommitted(at: 1_500)
        try spec.expectAnswers(to: [2], acknowledged: [attic.key])
        try spec.expectSilence()
        let synced = Cast.room("attic", size: 5, at: 1_500)
        try spec.watchSends([synced], to: rooms)
        try spec.watchReachesSnapshot(at: 1_500)
        for session: UInt64 in [1, 2] {
            try spec.expectSnapshot(
                of: rooms, metadata: [synced], isFromCache: false, in: session)
        }
        try spec.expectSilence()
    }

    @Test func `a program waits for the writes of others so far, and for no later ones`() throws {
        let spec = try written()
        spec.userWaitsForWrites(in: 1)
        spec.userWrites(Cast.set("shed"), in: 2)
        spec.userWaitsForWrites(in: 3)
        try spec.expectEndedWaits(of: [])
        try spec.writeIsCommitted(at: 1_500)
        try spec.expectEndedWaits(of: [1])
        try spec.writeFails(.invalidArgument)
        try spec.expectEndedWaits(of: [3])
        spec.userWaitsForWrites(in: 4)
        try spec.expectEndedWaits(of: [4])
    }

    @Test func `a program's end ends neither its writes nor the waits of others`() throws {
        let spec = try written()
        spec.userWaitsForWrites(in: 1)
        spec.programEnds(2)
        try spec.writeIsCommitted(at: 1_500)
        try spec.expectEndedWaits(of: [1])
        try spec.expectSilence()
    }

    @Test func `a write outlives the daemon, and one that was answered is not sent again`() throws {
        let spec = try FirestoreSpec(on: .keptMemory())
        spec.driver.setNetwork(isEnabled: false)
        spec.userWrites(Cast.set("attic"), in: 1)
        spec.userWrites(Cast.set("shed"), in: 2)
        #expect(spec.driver.upstream.sent.isEmpty)
        try spec.driver.restart()
        #expect(spec.driver.upstream.sent == [[Cast.set("attic")], [Cast.set("shed")]])
        try spec.writeIsCommitted(at: 1_000)
        try spec.driver.restart()
        #expect(spec.driver.upstream.sent == [[Cast.set("shed")]])
    }

    @Test func `another user's writes are shown to every program, and the former's to none`() throws
    {
        let spec = try written()
        spec.driver.changeUser(to: UserID("ann"))
        for session: UInt64 in [1, 2] {
            try spec.expectSnapshot(of: rooms, removed: [attic], isFromCache: false, in: session)
        }
        spec.userWrites(Cast.set("shed"), in: 1)
        spec.driver.forgetHeard()
        spec.driver.changeUser(to: .unauthenticated)
        for session: UInt64 in [1, 2] {
            try spec.expectSnapshot(
                of: rooms, added: [attic], removed: [Cast.pending("shed")], isFromCache: false,
                hasPendingWrites: true, in: session)
        }
    }

    @Test func `a commit that could not be stored is told to its writer when the store works`()
        throws
    {
        let spec = try written()
        spec.driver.store.failing = [.acknowledgeBatch]
        try spec.writeIsCommitted(at: 1_500)
        try spec.expectAnswers(to: [])
        spec.driver.store.failing = []
        spec.driver.fire(upTo: .storeRetry)
        try spec.expectAnswers(to: [2], acknowledged: [attic.key])
        #expect(spec.driver.upstream.sent.isEmpty)
    }

    @Test func `a change that could not be stored reaches everybody when the store works`() throws {
        let spec = try written()
        spec.driver.store.failing = [.applyRemoteEvent]
        let shed = Cast.room("shed", at: 1_100)
        try spec.watchSends([shed], to: rooms)
        try spec.watchReachesSnapshot(at: 1_100)
        spec.driver.forgetHeard()
        spec.driver.store.failing = []
        spec.driver.fire(upTo: .storeRetry)
        try spec.expectListen(to: rooms, from: Cast.token("r1"), expectedCount: 1)
        try spec.watchAnswers(rooms, with: [shed], resumeToken: "r2", at: 1_100)
        for session: UInt64 in [1, 2] {
            try spec.expectSnapshot(
                of: rooms, added: [shed], isFromCache: false, hasPendingWrites: true, in: session)
        }
    }

    @Test func `a listen that cannot be stored fails for its own program alone`() throws {
        let spec = try written()
        let large = Cast.query(sizeFrom: 3)
        spec.driver.store.failing = [.allocateTarget]
        spec.userListens(to: large, in: [3])
        try spec.expectError(of: large, .unavailable, in: 3)
        try spec.expectSilence()
        spec.driver.store.failing = []
        spec.userListens(to: large, in: [3])
        try spec.expectSnapshot(
            of: large, added: [attic], isFromCache: true, hasPendingWrites: true, in: 3)
        try spec.expectListen(to: rooms)
    }
}
