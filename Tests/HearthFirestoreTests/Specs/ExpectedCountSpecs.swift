import HearthModel
import HearthTesting
import Testing

/// A listen that resumes tells the count of cached documents, so that the backend can tell whether
/// the cached documents are still right.
struct ExpectedCountSpecs {
    private let rooms = Cast.rooms

    private func withTwoRooms() throws -> FirestoreSpec {
        let spec = try FirestoreSpec()
        spec.userListens(to: rooms)
        try spec.expectListen(to: rooms, expectedCount: nil)
        try spec.watchAnswers(
            rooms, with: [Cast.attic, Cast.hall], resumeToken: "r1", at: 1_000)
        try spec.expectSnapshot(of: rooms, added: [Cast.attic, Cast.hall], isFromCache: false)
        return spec
    }

    @Test func `a listen from the start expects nothing, one after a break counts the cache`()
        throws
    {
        let spec = try withTwoRooms()
        try spec.watchCloses()
        try spec.expectListen(to: rooms, from: Cast.token("r1"), expectedCount: 2)
    }

    @Test func `a listen to a known query counts the cache`() throws {
        let spec = try withTwoRooms()
        try spec.userUnlistens(from: rooms)
        spec.userListens(to: rooms)
        try spec.expectListen(to: rooms, from: Cast.token("r1"), expectedCount: 2)
    }

    @Test func `a local write that matches does not count`() throws {
        let spec = try withTwoRooms()
        spec.userWrites(
            Mutation(key: Cast.key("shed"), kind: .set(MapValue([("size", .integer(9))]))))
        try spec.userUnlistens(from: rooms)
        spec.userListens(to: rooms)
        try spec.expectListen(to: rooms, from: Cast.token("r1"), expectedCount: 2)
    }

    @Test func `a document in limbo does not count`() throws {
        let spec = try withTwoRooms()
        try spec.watchCloses()
        try spec.watchAcknowledges(rooms)
        try spec.watchTakes([Cast.hall.key], from: rooms)
        try spec.watchMarksCurrent(rooms, resumeToken: "r2", at: 1_001)
        try spec.expectLimbo([Cast.hall.key])
        try spec.watchCloses()
        try spec.expectListen(to: rooms, from: Cast.token("r2"), expectedCount: 1)
    }

    @Test func `a listen after a mismatch starts anew and expects nothing`() throws {
        let spec = try withTwoRooms()
        try spec.watchFilters(rooms, count: 1)
        try spec.watchReachesSnapshot(at: 1_001)
        try spec.expectListen(to: rooms, expectedCount: nil, purpose: .existenceFilterMismatch)
    }
}
