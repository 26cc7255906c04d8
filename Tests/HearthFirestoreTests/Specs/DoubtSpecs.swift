import HearthEngine
import HearthFirestore
import HearthModel
import HearthTesting
import Testing

/// A batch is refused, and an earlier copy of the batch may be the reason.
struct DoubtSpecs {
    private let rooms = Cast.rooms
    private let lost = HearthError(code: .unavailable, message: "Gone.")
    private let create = Mutation(
        key: Cast.key("attic"), kind: .set(["size": .integer(5)]), precondition: .exists(false))
    private let attic = Cast.pending("attic", size: 5)
    private let synced = Cast.room("attic", size: 5, at: 1_500)

    /// The daemon died after it had sent a write; now the write goes again, and a program listens.
    private func restarted(_ write: Mutation) throws -> FirestoreSpec {
        let spec = try FirestoreSpec(on: .keptMemory())
        spec.userListens(to: rooms)
        try spec.watchAnswers(rooms, with: [Cast.hall], resumeToken: "r1", at: 1_000)
        spec.userWrites(write)
        #expect(spec.driver.upstream.sent == [[write]])
        try spec.driver.restart()
        spec.driver.forgetHeard()
        spec.userListens(to: rooms)
        #expect(spec.driver.upstream.sent == [[write]])
        return spec
    }

    /// What was asked beside the streams, if it is a read; the engine must ask no more than that.
    private func question(_ spec: FirestoreSpec) throws -> (id: RequestID, keys: [DocumentKey]) {
        let asked = spec.driver.upstream.takeCall()
        guard let (id, call) = asked, case .read(let keys) = call else {
            throw Unasked()
        }
        #expect(spec.driver.upstream.calls.isEmpty)
        return (id, keys)
    }

    private struct Unasked: Error {}

    private func answer(_ spec: FirestoreSpec, _ answer: BackendAnswer) throws {
        spec.driver.receive(.called(try question(spec).id, answer))
    }

    private func snapshots(_ spec: FirestoreSpec) throws -> [ViewSnapshot] {
        try spec.driver.heard.map { try $0.result.get() }
    }

    private func letter(_ spec: FirestoreSpec) -> DeadLetter? {
        let letter = try? spec.driver.store.transaction { transaction throws(StoreError) in
            try transaction.deadLetter(BatchID(1))
        }
        return letter ?? nil
    }

    @Test func `a document that the backend has is not taken from listeners and given back`()
        throws
    {
        let spec = try restarted(create)
        try spec.expectSnapshot(
            of: rooms, added: [attic, Cast.hall], isFromCache: true, hasPendingWrites: true)
        try spec.writeFails(.alreadyExists)
        try spec.expectSilence()
        #expect(letter(spec) == nil)
        #expect(try question(spec).keys == [create.key])
        spec.driver.forgetHeard()
    }

    @Test func `the documents of a refused batch become what the backend has, and no event lies`()
        throws
    {
        let spec = try restarted(create)
        spec.driver.forgetHeard()
        try spec.writeFails(.alreadyExists)
        try answer(spec, .read([synced]))
        #expect(letter(spec)?.mayHaveBeenApplied == true)
        #expect(letter(spec)?.error.code == .alreadyExists)
        try spec.watchAnswers(rooms, with: [synced], resumeToken: "r2", at: 1_600)
        let heard = try snapshots(spec)
        #expect(heard.allSatisfy { $0.documents.contains(attic.key) })
        #expect(heard.last?.isFromCache == false)
        #expect(heard.last.map { Array($0.mutatedKeys) } == [])
        #expect(heard.flatMap(\.rejectedWrites).map(\.batch) == [BatchID(1)])
    }

    /// The watch stream stands, so the view is current and the document is unknown to its target.
    @Test func `a current view does not doubt a document that the stream is about to name`() throws
    {
        let spec = try FirestoreSpec()
        spec.userListens(to: rooms)
        try spec.watchAnswers(rooms, with: [Cast.hall], resumeToken: "r1", at: 1_000)
        spec.userWrites(create)
        try spec.writeFails(.unavailable)
        spec.driver.forgetHeard()
        try spec.writeFails(.alreadyExists)
        try answer(spec, .read([synced]))
        try spec.expectLimbo([])
        var shown = synced
        shown.markCommittedMutations()
        try spec.expectSnapshot(of: rooms, metadata: [shown], isFromCache: false)
        try spec.watchSends([synced], to: rooms)
        try spec.watchReachesSnapshot(at: 1_500)
        try spec.expectSilence()
        try spec.expectLimbo([])
    }

    @Test func `a stream that passes the document without naming it has the document looked up`()
        throws
    {
        let spec = try FirestoreSpec()
        spec.userListens(to: rooms)
        try spec.watchAnswers(rooms, with: [Cast.hall], resumeToken: "r1", at: 1_000)
        spec.userWrites(create)
        try spec.writeFails(.unavailable)
        try spec.writeFails(.alreadyExists)
        try answer(spec, .read([synced]))
        try spec.watchReachesSnapshot(at: 1_600)
        try spec.expectLimbo([create.key])
    }

    @Test func `a write that somebody else forestalled is rolled back to what that one wrote`()
        throws
    {
        let spec = try restarted(create)
        spec.driver.forgetHeard()
        try spec.writeFails(.alreadyExists)
        let other = Cast.room("attic", size: 9, at: 1_400)
        try answer(spec, .read([other]))
        let last = try #require(try snapshots(spec).last)
        #expect(last.documents[attic.key]?.fields == other.fields)
        #expect(Array(last.mutatedKeys) == [])
        #expect(last.rejectedWrites.map(\.batch) == [BatchID(1)])
    }

    @Test func `a write to a document that is gone is rolled back`() throws {
        let spec = try restarted(create)
        spec.driver.forgetHeard()
        try spec.writeFails(.alreadyExists)
        try answer(spec, .read([.missing(create.key, at: FirestoreSpec.version(1_600))]))
        try spec.expectSnapshot(of: rooms, removed: [attic], isFromCache: true)
    }

    /// Else a batch would wait for good, and the queue behind it.
    @Test(arguments: [StatusCode.unavailable, .permissionDenied, .deadlineExceeded])
    func `a read that fails leaves the refusal as it is`(code: StatusCode) throws {
        let spec = try restarted(create)
        spec.userWrites(Cast.set("shed"))
        spec.driver.forgetHeard()
        try spec.writeFails(.alreadyExists)
        try answer(spec, .failed(HearthError(code: code, message: "No.")))
        #expect(letter(spec)?.mayHaveBeenApplied == true)
        let last = try #require(try snapshots(spec).last)
        #expect(!last.documents.contains(attic.key))
        #expect(spec.driver.upstream.sent.map { $0.map(\.key) } == [[Cast.key("shed")]])
    }

    @Test func `a first copy that is refused, and a refusal of another kind, ask nothing`() throws {
        let first = try FirestoreSpec()
        first.userWrites(create)
        try first.writeFails(.alreadyExists)
        #expect(letter(first)?.mayHaveBeenApplied == false)
        let denied = try restarted(create)
        try denied.writeFails(.permissionDenied)
        #expect(letter(denied)?.mayHaveBeenApplied == true)
        let plain = try restarted(Cast.set("attic", size: 5))
        try plain.writeFails(.failedPrecondition)
        #expect(letter(plain)?.mayHaveBeenApplied == true)
        #expect([first, denied, plain].allSatisfy { $0.driver.upstream.calls.isEmpty })
    }

    @Test func `the queue stands until the read is answered, and goes on then`() throws {
        let spec = try restarted(create)
        spec.userWrites(Cast.set("shed"))
        try spec.writeFails(.alreadyExists)
        #expect(spec.driver.upstream.sent.isEmpty)
        try answer(spec, .read([synced]))
        #expect(spec.driver.upstream.sent.map { $0.map(\.key) } == [[Cast.key("shed")]])
    }

    @Test func `a store that fails at the answer lets the batch be refused again`() throws {
        let spec = try restarted(create)
        try spec.writeFails(.alreadyExists)
        spec.driver.store.failing = [.rejectBatch]
        try answer(spec, .read([synced]))
        spec.driver.store.failing = []
        #expect(spec.driver.upstream.sent.isEmpty)
        spec.driver.fire(upTo: .filling)
        #expect(letter(spec) == nil)
        #expect(spec.driver.upstream.sent == [[create]])
        try spec.writeFails(.alreadyExists)
        try answer(spec, .read([synced]))
        #expect(letter(spec)?.mayHaveBeenApplied == true)
    }

    @Test func `a store that fails when the read has failed has the batch rejected later`() throws {
        let spec = try restarted(create)
        try spec.writeFails(.alreadyExists)
        spec.driver.store.failing = [.rejectBatch]
        try answer(spec, .failed(HearthError(code: .unavailable, message: "No.")))
        #expect(letter(spec) == nil)
        spec.driver.store.failing = []
        spec.driver.fire(upTo: .storeRetry)
        #expect(letter(spec)?.mayHaveBeenApplied == true)
        #expect(spec.driver.upstream.sent.isEmpty)
    }
}
