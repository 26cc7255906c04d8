import HearthEngine
import HearthFirestore
import HearthModel
import HearthTesting
import Testing

/// The cache is forgotten on request, with the queue, but not under anybody's feet.
struct ClearingSpecs {
    private let rooms = Cast.rooms
    private let id = RequestID(session: 9, number: 1)

    private func refusal(_ spec: FirestoreSpec) -> StatusCode? {
        for case .refuse(id, let error) in spec.driver.actions { return error.code }
        return nil
    }

    private func filled(on backing: StoryBacking) throws -> FirestoreSpec {
        let spec = try FirestoreSpec(on: backing)
        spec.userListens(to: rooms)
        try spec.watchAnswers(rooms, with: [Cast.hall], resumeToken: "r1", at: 1_000)
        spec.driver.setNetwork(isEnabled: false)
        spec.userWrites(Cast.set("attic"))
        spec.driver.forgetHeard()
        return spec
    }

    @Test(arguments: [StoryBacking.memory, .sqlite()])
    func `while somebody listens it is refused, and nothing is lost`(backing: StoryBacking) throws {
        let spec = try filled(on: backing)
        spec.driver.take(.clearPersistence(id))
        #expect(refusal(spec) == .failedPrecondition)
        #expect(!spec.driver.actions.contains(.complete(id)))
        spec.driver.setNetwork(isEnabled: true)
        #expect(spec.driver.upstream.sent == [[Cast.set("attic")]])
        try spec.expectListen(to: rooms, from: Cast.token("r1"), expectedCount: 1)
    }

    @Test(arguments: [StoryBacking.memory, .sqlite()])
    func `when nobody does it is empty, and the queue too`(backing: StoryBacking) throws {
        let spec = try filled(on: backing)
        spec.driver.setIndexes([])
        try spec.userUnlistens(from: rooms)
        spec.driver.take(.clearPersistence(id))
        #expect(spec.driver.actions.contains(.complete(id)))
        spec.userListens(to: rooms)
        try spec.expectSnapshot(of: rooms, isFromCache: true)
        spec.driver.setNetwork(isEnabled: true)
        try spec.expectListen(to: rooms)
        #expect(spec.driver.upstream.write == nil)
        try spec.watchAnswers(rooms, with: [Cast.hall], resumeToken: "r2", at: 1_000)
        try spec.expectSnapshot(of: rooms, added: [Cast.hall], isFromCache: false)
        spec.userWrites(Cast.set("shed"))
        #expect(spec.driver.upstream.sent == [[Cast.set("shed")]])
    }

    @Test func `a store that cannot be emptied keeps everything, and the caller is told`() throws {
        let spec = try filled(on: .memory)
        try spec.userUnlistens(from: rooms)
        spec.driver.store.failsNextCommit = true
        spec.driver.take(.clearPersistence(id))
        #expect(refusal(spec) == .unavailable)
        spec.userListens(to: rooms)
        try spec.expectSnapshot(
            of: rooms, added: [Cast.pending("attic"), Cast.hall], isFromCache: true,
            hasPendingWrites: true)
    }
}
