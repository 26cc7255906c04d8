import HearthModel
import HearthTesting
import Testing

/// What a count with names of the unchanged documents makes of the cache.
struct BloomFilterSpecs {
    private let rooms = Cast.rooms

    private func name(_ key: DocumentKey) -> String {
        DocumentName(database: StoryReader.database, key: key).description
    }

    private func withTwoRooms() throws -> FirestoreSpec {
        let spec = try FirestoreSpec()
        spec.userListens(to: rooms)
        try spec.watchAnswers(rooms, with: [Cast.attic, Cast.hall], resumeToken: "r1", at: 1_000)
        try spec.expectSnapshot(of: rooms, added: [Cast.attic, Cast.hall], isFromCache: false)
        try spec.watchCloses()
        try spec.watchAcknowledges(rooms)
        return spec
    }

    @Test func `documents whose names are not among the unchanged come into limbo`() throws {
        let spec = try withTwoRooms()
        try spec.watchFilters(
            rooms, count: 1, unchanged: BloomFilter(containing: [name(Cast.hall.key)]))
        try spec.watchMarksCurrent(rooms, resumeToken: "r2", at: 1_001)
        try spec.expectSnapshot(of: rooms, isFromCache: true)
        try spec.expectLimbo([Cast.attic.key])
        try spec.expectListen(to: rooms, from: Cast.token("r1"), expectedCount: 2)
    }

    @Test func `a filter that explains too little makes the target start anew`() throws {
        let spec = try withTwoRooms()
        let names = [name(Cast.hall.key), name(Cast.attic.key)]
        try spec.watchFilters(rooms, count: 1, unchanged: BloomFilter(containing: names))
        try spec.watchMarksCurrent(rooms, resumeToken: "r2", at: 1_001)
        try spec.expectLimbo([])
        try spec.expectListen(to: rooms, purpose: .existenceFilterMismatchBloom)
    }

    @Test func `whatever happens before a target is told anew, nothing is certain or looked up`()
        throws
    {
        let spec = try withTwoRooms()
        let names = [name(Cast.hall.key), name(Cast.attic.key)]
        try spec.watchFilters(rooms, count: 1, unchanged: BloomFilter(containing: names))
        try spec.watchMarksCurrent(rooms, resumeToken: "r2", at: 1_001)
        try spec.expectSnapshot(of: rooms, isFromCache: true)
        spec.userWrites(Cast.set("shed"))
        try spec.expectSnapshot(
            of: rooms, added: [Cast.pending("shed")], isFromCache: true, hasPendingWrites: true)
        try spec.expectLimbo([])
        // Nothing of the backend's is shown then, and the results are in doubt all the same.
        for room in [Cast.attic, Cast.hall] {
            spec.userWrites(Mutation(key: room.key, kind: .delete))
            try spec.expectSnapshot(
                of: rooms, removed: [room], isFromCache: true, hasPendingWrites: true)
        }
        try spec.watchAnswers(rooms, with: [Cast.hall], resumeToken: "r3", at: 1_002)
        try spec.expectSnapshot(of: rooms, isFromCache: false, hasPendingWrites: true)
        try spec.expectLimbo([])
    }

    @Test func `a count that fits needs no filter`() throws {
        let spec = try withTwoRooms()
        try spec.watchFilters(rooms, count: 2, unchanged: BloomFilter(containing: [String]()))
        try spec.watchMarksCurrent(rooms, resumeToken: "r2", at: 1_001)
        try spec.expectLimbo([])
        try spec.expectListen(to: rooms, from: Cast.token("r1"), expectedCount: 2)
    }

    @Test func `a document sent on this stream counts with the unchanged`() throws {
        let spec = try withTwoRooms()
        let shed = Cast.room("shed", at: 1_001)
        try spec.watchSends([shed], to: rooms)
        try spec.watchFilters(
            rooms, count: 2, unchanged: BloomFilter(containing: [name(Cast.hall.key)]))
        try spec.watchMarksCurrent(rooms, resumeToken: "r2", at: 1_002)
        try spec.expectSnapshot(of: rooms, added: [shed], isFromCache: true)
        try spec.expectLimbo([Cast.attic.key])
    }

    @Test func `a missing filter makes the target start anew`() throws {
        let spec = try withTwoRooms()
        try spec.watchFilters(rooms, count: 1)
        try spec.watchReachesSnapshot(at: 1_001)
        try spec.expectListen(to: rooms, purpose: .existenceFilterMismatch)
    }
}
