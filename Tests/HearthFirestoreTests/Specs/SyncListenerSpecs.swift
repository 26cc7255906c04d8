import HearthFirestore
import HearthModel
import HearthTesting
import Testing

/// Who wants to know when everybody has been told is told once for each turn, and last.
struct SyncListenerSpecs {
    private let rooms = Cast.rooms
    private let large = Cast.query(sizeFrom: 1)

    private func listening() throws -> FirestoreSpec {
        let spec = try FirestoreSpec()
        spec.userListens(to: rooms)
        spec.userListens(to: large)
        spec.driver.listenToSync()
        try expectOne(spec)
        return spec
    }

    private func expectOne(_ spec: FirestoreSpec) throws {
        #expect(spec.driver.snapshotsInSyncCount == 1)
        spec.driver.forgetHeard()
    }

    /// The places of snapshots and of the news that all have been told, in the order done.
    private func places(_ spec: FirestoreSpec) -> [Bool] {
        spec.driver.actions.compactMap { action in
            switch action {
            case .emit: false
            case .inSync: true
            default: nil
            }
        }
    }

    @Test func `one change for two queries is told once, after both`() throws {
        let spec = try listening()
        spec.userWrites(Cast.set("hall"))
        #expect(places(spec) == [false, false, true])
        try expectOne(spec)
    }

    @Test func `an event for two queries is told once, after both`() throws {
        let spec = try listening()
        try spec.watchAcknowledges(rooms)
        try spec.watchAcknowledges(large)
        try spec.watchSends([Cast.hall], to: rooms)
        try spec.watchSends([Cast.hall], to: large)
        #expect(places(spec).isEmpty)
        try spec.watchMarksCurrent(rooms, resumeToken: "r1", at: 1_000)
        #expect(places(spec) == [false, false, true])
    }

    @Test func `one turn that tells twice is told of once`() throws {
        let spec = try listening()
        spec.userWrites(Cast.set("hall"))
        spec.driver.forgetHeard()
        // Listeners that waited for a first snapshot, and listeners whose result is no longer
        // complete.
        spec.userListens(to: Cast.first(1), includeMetadataChanges: false)
        try spec.watchAnswers(rooms, with: [], resumeToken: "r1", at: 1_000)
        let halls = Query(path: ResourcePath(["halls"]))
        spec.userListens(to: halls)
        spec.driver.forgetHeard()
        spec.driver.setNetwork(isEnabled: false)
        #expect(places(spec) == [false, false, true])
    }

    @Test func `a turn in which nobody is told of anything is not told of`() throws {
        let spec = try listening()
        try spec.watchAcknowledges(rooms)
        spec.driver.changeUser(to: UserID("ann"))
        #expect(spec.driver.snapshotsInSyncCount == 0)
    }

    @Test func `every such listener is told, and none after its end`() throws {
        let spec = try listening()
        spec.session(2) { spec.driver.listenToSync() }
        spec.driver.forgetHeard()
        spec.userWrites(Cast.set("hall"))
        #expect(spec.driver.snapshotsInSyncCount == 2)
        spec.driver.forgetHeard()
        spec.programEnds(2)
        spec.userWrites(Cast.set("attic"))
        try expectOne(spec)
        #expect(spec.driver.unlistenToSync())
        spec.userWrites(Cast.set("shed"))
        #expect(spec.driver.snapshotsInSyncCount == 0)
    }
}
