import HearthEngine
import HearthFirestore
import HearthModel
import Testing

/// What becomes of a batch whose marker tells that the backend applied the batch, and of the marker.
struct MarkerAnswerSpecs: MarkerStage {
    private let hall = key("rooms/hall")
    private let id = RequestID(session: 1, number: 1)

    private func write(_ precondition: Precondition = .none) -> WriteRequest {
        WriteRequest(
            id: id, writer: Writer(uid: 7, gid: 7, pid: 7),
            mutations: [
                Mutation(key: hall, kind: .set(["n": .integer(1)]), precondition: precondition)
            ], conditions: .judged)
    }

    /// Loses the answer of the one batch on the way, and has the second copy fail over the marker.
    ///
    /// - Returns: The batch's writes, the marker's first.
    private func loseAnswer(_ bench: inout EngineBench) throws -> [Mutation] {
        try bench.openWriteStream(1)
        let writes = try #require(sent(bench.actions).first)
        try bench.refuse(1, lost)
        try bench.take(.timerFired(.writeBackoff))
        try bench.openWriteStream(2)
        return writes
    }

    /// Answers what the backend is asked about a batch.
    private func answer(
        _ bench: inout EngineBench, _ writes: [Mutation], markedAt marked: Int64,
        _ documents: [Document]
    ) throws {
        let question = try #require(calls(bench.actions).first)
        #expect(question.call == .read(writes.map(\.key)))
        guard case .set(let fields)? = writes.first?.kind else {
            Issue.record("The marker is not set")
            return
        }
        let found = [Document.found(writes[0].key, at: version(marked), fields)] + documents
        try bench.take(.upstream(.called(question.id, .read(found))))
    }

    /// A set to what is there already changes nothing, so the document keeps its older version.
    @Test(arguments: [(3_000, 3_000), (4_000, 4_000), (9_000, 4_000)])
    func `a document has the version that was found, unless somebody has changed it since`(
        found: Int64, told: Int64
    ) throws {
        var bench = try markedBench()
        try bench.take(.write(write()))
        let writes = try loseAnswer(&bench)
        try bench.refuse(2, exists)
        try answer(
            &bench, writes, markedAt: 4_000, [.found(hall, at: version(found), ["n": .integer(1)])])
        let outcome = WriteOutcome.committed(at: version(4_000), updatedAt: [version(told)])
        #expect(bench.actions.contains(.settle(id, BatchID(1), outcome)))
        #expect(bench.actions.contains(.note(.batchCommitted(BatchID(1)))))
    }

    @Test func `a batch in doubt whose condition holds no more is asked for before it is given up`()
        throws
    {
        var bench = try markedBench()
        try bench.take(.write(write()))
        let promise = bench.actions.compactMap { action -> PromisedWrite? in
            if case .result(_, .promised(let promise)) = action { promise } else { nil }
        }.first
        let promisedAt = try #require(promise).promisedAt
        try bench.take(.write(write(.updateTime(SnapshotVersion(promisedAt)))))
        try bench.openWriteStream(1)
        try bench.take(.upstream(.writeAnswered(StreamNumber(1), answer(2, at: 3_000))))
        let writes = try #require(sent(bench.actions).first)
        try bench.refuse(1, lost)
        // As if the store had forgotten the promise meanwhile.
        let gone = SettledPromise(promisedAt: promisedAt, batch: BatchID(1), outcome: .rejected)
        _ = try bench.store.transaction { transaction throws(StoreError) in
            try transaction.setPromise(gone)
        }
        try bench.take(.timerFired(.writeBackoff))
        try bench.openWriteStream(2)
        #expect(sent(bench.actions).isEmpty)
        try answer(
            &bench, writes, markedAt: 4_000, [.found(hall, at: version(4_000), ["n": .integer(1)])])
        #expect(bench.actions.contains(.note(.batchCommitted(BatchID(2)))))
        #expect(try bench.read { try $0.deadLetter(BatchID(2)) } == nil)
    }

    /// A copy may still be on the way, whatever the wall clock says.
    @Test func `a clock that is put right lets no marker go`() throws {
        var bench = try markedBench()
        try bench.take(.write(increment(1)))
        try bench.openWriteStream(1)
        try bench.take(.upstream(.writeAnswered(StreamNumber(1), answer(2, at: 5_000))))
        bench.clockError = .seconds(86_400)
        #expect(calls(try bench.take(.timerFired(.markers))).isEmpty)
        bench.clockError = .seconds(-86_400)
        bench.now = bench.now.advanced(by: .seconds(3_720))
        #expect(calls(try bench.take(.timerFired(.markers))).count == 1)
    }
}
