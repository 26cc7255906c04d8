import HearthEngine
import HearthFirestore
import HearthModel
import HearthTesting
import Testing

/// A write that is rejected: everyone who had seen the write hears which batch was rejected and
/// why, together with the snapshot that undoes the write.
struct RejectedWriteSpecs {
    private let rooms = Cast.rooms
    private let hall = Query(document: Cast.hall.key)

    /// Two programs see the hall; the first writes to it.
    private func written(size: Int64 = 5) throws -> FirestoreSpec {
        let spec = try FirestoreSpec()
        spec.userListens(to: rooms, in: [1, 2])
        try spec.watchAnswers(rooms, with: [Cast.hall], resumeToken: "r1", at: 1_000)
        spec.userWrites(Cast.set("hall", size: size), in: 1)
        spec.driver.forgetHeard()
        return spec
    }

    private func snapshots(_ spec: FirestoreSpec, in session: UInt64) throws -> [ViewSnapshot] {
        try spec.driver.heard.filter { $0.session == session }.map { try $0.result.get() }
    }

    private func rejected(_ snapshot: ViewSnapshot) -> [String] {
        snapshot.rejectedWrites.map { "\($0.batch) \($0.error.code.name)" }
    }

    @Test func `every listener that saw the write is told which it was, and why`() throws {
        let spec = try written()
        try spec.writeFails(.permissionDenied)
        for session: UInt64 in [1, 2] {
            let told = try snapshots(spec, in: session)
            #expect(told.map(rejected) == [["1 \(StatusCode.permissionDenied.name)"]])
            #expect(told.first?.documents.documents == [Cast.hall])
        }
        spec.driver.forgetHeard()
        let changed = Cast.room("hall", size: 9, at: 1_001)
        try spec.watchSends([changed], to: rooms)
        try spec.watchReachesSnapshot(at: 1_001)
        #expect(try snapshots(spec, in: 2).map(rejected) == [[]])
    }

    @Test func `a commit, and somebody else's change, are no rejection`() throws {
        let spec = try written()
        try spec.writeIsCommitted(at: 1_001)
        try spec.watchSends([Cast.room("hall", size: 5, at: 1_001)], to: rooms)
        try spec.watchReachesSnapshot(at: 1_001)
        let told = try snapshots(spec, in: 2)
        #expect(!told.isEmpty && told.allSatisfy { $0.rejectedWrites.isEmpty })
    }

    @Test func `who was not woken for a flag hears of the rejection with the next change`() throws {
        let spec = try FirestoreSpec()
        spec.userListens(to: rooms, in: [2], includeMetadataChanges: false)
        try spec.watchAnswers(rooms, with: [Cast.hall], resumeToken: "r1", at: 1_000)
        spec.userWrites(Cast.set("hall"), in: 1)  // What it holds already.
        spec.driver.forgetHeard()
        try spec.writeFails(.permissionDenied)
        try spec.expectSilence()
        try spec.watchSends([Cast.attic], to: rooms)
        try spec.watchReachesSnapshot(at: 1_001)
        let told = try snapshots(spec, in: 2)
        #expect(told.map(rejected) == [["1 \(StatusCode.permissionDenied.name)"]])
    }

    @Test func `who comes later, or sees nothing of the write, hears nothing of it`() throws {
        let spec = try written()
        let attic = Query(document: Cast.attic.key)
        spec.userListens(to: attic, in: [3])
        try spec.watchAnswers(attic, with: [], resumeToken: "a1", at: 1_001)
        spec.driver.forgetHeard()
        try spec.writeFails(.permissionDenied)
        #expect(try snapshots(spec, in: 3).isEmpty)
        spec.userListens(to: rooms, in: [4])
        #expect(try snapshots(spec, in: 4).map(rejected) == [[]])
    }

    @Test func `a write that an administrator takes back is told likewise`() throws {
        let spec = try FirestoreSpec()
        spec.driver.setNetwork(isEnabled: false)
        spec.userListens(to: rooms, in: [2])
        spec.userWrites(Cast.set("hall"), in: 1)
        spec.driver.forgetHeard()
        let order = RequestID(session: 9, number: 1)
        spec.driver.take(.steerQueue(order, .cancel([BatchID(1)]), by: 0))
        #expect(
            try snapshots(spec, in: 2).map(rejected) == [["1 \(StatusCode.cancelled.name)"]])
    }

    @Test func `a rejection that the store could not note is told when it can`() throws {
        let spec = try written()
        spec.driver.store.failing = [.rejectBatch]
        try spec.writeFails(.permissionDenied)
        spec.driver.store.failing = []
        spec.driver.fire(upTo: .storeRetry)
        let told = try snapshots(spec, in: 2).flatMap(rejected)
        #expect(told == ["1 \(StatusCode.permissionDenied.name)"])
    }
}
