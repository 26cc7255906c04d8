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
}
