import HearthFirestore
import HearthModel
import HearthTesting
import Testing

/// What one program puts into the cache is there for all: bundles, named queries, indexes.
struct SharedCacheSpecs {
    private let rooms = Cast.rooms
    private let hall = Cast.room("hall", at: 500)

    private var bundle: Bundle {
        Bundle(
            record: BundleRecord(id: "b", createdAt: FirestoreSpec.version(500), version: 1),
            entries: [Bundle.Entry(document: hall, queries: ["all rooms"])],
            namedQueries: [
                NamedQuery(name: "all rooms", query: rooms, readAt: FirestoreSpec.version(500))
            ], byteCount: 100)
    }

    @Test func `a bundle that one program loads is shown to another's listener`() throws {
        let spec = try FirestoreSpec()
        spec.userListens(to: rooms, in: [2])
        try spec.expectSilence()
        spec.session(1) { spec.driver.load(bundle) }
        try spec.expectSnapshot(of: rooms, added: [hall], isFromCache: true, in: 2)
        try spec.expectSilence()
        spec.programEnds(1)
        spec.userListens(to: rooms, in: [3])
        try spec.expectSnapshot(of: rooms, added: [hall], isFromCache: true, in: 3)
    }

    @Test func `a query of a bundle is resumed by the bundle's time, whoever loaded it`() throws {
        let spec = try FirestoreSpec()
        spec.session(1) { spec.driver.load(bundle) }
        spec.programEnds(1)
        spec.userListens(to: rooms, in: [2])
        try spec.expectSnapshot(of: rooms, added: [hall], isFromCache: true, in: 2)
        try spec.expectListen(
            to: rooms, from: .readTime(FirestoreSpec.version(500)), expectedCount: 1)
        try spec.watchAnswers(rooms, with: [], resumeToken: "r1", at: 1_000)
        try spec.expectSnapshot(of: rooms, isFromCache: false, in: 2)
        try spec.expectLimbo([])
    }

    @Test func `an index that one program makes is there for all, also after a restart`() throws {
        let spec = try FirestoreSpec(on: .sqlite())
        let index = try #require(FieldIndex("rooms", [.init(FieldPath(["size"]))]))
        spec.session(1) { spec.driver.setIndexes([index]) }
        #expect(spec.session(2) { spec.driver.indexes() } == [index])
        try spec.driver.restart()
        #expect(spec.session(3) { spec.driver.indexes() } == [index])
    }
}
