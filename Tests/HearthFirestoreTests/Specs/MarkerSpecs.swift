import HearthEngine
import HearthFirestore
import HearthModel
import Testing

/// Batches that are marked in the backend, or put aside when their answer is lost.
struct MarkerSpecs: MarkerStage {
    /// Sends a marked batch twice: the first answer is lost, and the second says that the mark is there.
    ///
    /// - Returns: What the backend is asked then, and the writes as they were sent first.
    private func sendTwice(
        _ bench: inout EngineBench
    ) throws -> (question: RequestID, writes: [Mutation]) {
        try bench.take(.write(increment(1)))
        try bench.openWriteStream(1)
        let writes = try #require(sent(bench.actions).first)
        try bench.refuse(1, lost)
        try bench.take(.timerFired(.writeBackoff))
        try bench.openWriteStream(2)
        try bench.refuse(2, exists)
        return (try #require(calls(bench.actions).first).id, writes)
    }

    @Test func `every batch carries a marker, whatever it holds`() throws {
        var bench = try markedBench()
        try bench.take(.write(increment(1)))
        try bench.take(.write(request(2)))
        try bench.openWriteStream(1)
        let batches = sent(bench.actions)
        #expect(batches.map(\.count) == [2, 2])
        let marker = try #require(batches.first?.first)
        #expect(marker.key.collection == marks)
        #expect(marker.key.documentID.hasSuffix("--1"))
        #expect(marker.precondition == .exists(false))
        try bench.take(.upstream(.writeAnswered(StreamNumber(1), answer(2, at: 5_000))))
        let outcome = WriteOutcome.committed(at: version(5_000), updatedAt: [version(5_000)])
        #expect(
            bench.actions.contains(
                .settle(RequestID(session: 1, number: 1), BatchID(1), outcome)))
    }

    /// The first copy was applied and its answer lost, so the second fails over the marker.
    @Test func `a batch whose marker is there is acknowledged, not rejected`() throws {
        var bench = try markedBench()
        try bench.take(.write(increment(1)))
        try bench.openWriteStream(1)
        let first = try #require(sent(bench.actions).first)
        try bench.refuse(1, lost)
        try bench.take(.timerFired(.writeBackoff))
        try bench.openWriteStream(2)
        #expect(sent(bench.actions) == [first])
        try bench.refuse(2, exists)
        #expect(!bench.actions.contains { if case .settle = $0 { true } else { false } })
        let question = try #require(calls(bench.actions).first)
        #expect(question.call == .read([first[0].key, key("counters/all")]))
        guard case .set(let fields) = first[0].kind else {
            Issue.record("The marker is not set")
            return
        }
        let found: [Document] = [
            .found(first[0].key, at: version(4_000), fields),
            .found(key("counters/all"), at: version(4_000), ["n": .integer(1)]),
        ]
        try bench.take(.upstream(.called(question.id, .read(found))))
        #expect(
            bench.actions.contains(
                .settle(
                    RequestID(session: 1, number: 1), BatchID(1),
                    .committed(at: version(4_000), updatedAt: [version(4_000)]))))
        #expect(try bench.read { try $0.highestBatchID(of: .unauthenticated) } == nil)
        #expect(try bench.read { try $0.deadLetter(BatchID(1)) } == nil)
        let document = try bench.read { try $0.remoteDocument(key("counters/all")) }
        #expect(document.fields["n"] == .integer(1))
    }

    @Test func `a batch that fails without its marker is rejected, in doubt`() throws {
        var bench = try markedBench()
        let (question, first) = try sendTwice(&bench)
        let missing: [Document] = [
            .missing(first[0].key, at: version(4_000)),
            .missing(key("counters/all"), at: version(4_000)),
        ]
        try bench.take(.upstream(.called(question, .read(missing))))
        let letter = try #require(try bench.read { try $0.deadLetter(BatchID(1)) })
        #expect(letter.error == exists)
        #expect(letter.mayHaveBeenApplied)
    }

    /// Else it would be sent and asked for without end.
    @Test func `a batch whose marker may not be read any more is rejected, in doubt`() throws {
        var bench = try markedBench()
        let (question, _) = try sendTwice(&bench)
        try bench.take(.upstream(.called(question, .failed(denied))))
        let letter = try #require(try bench.read { try $0.deadLetter(BatchID(1)) })
        #expect(letter.mayHaveBeenApplied)
    }

    @Test func `a question that got lost is asked again, after a while`() throws {
        var bench = try markedBench()
        let (question, _) = try sendTwice(&bench)
        try bench.take(.upstream(.called(question, .failed(lost))))
        #expect(try bench.read { try $0.deadLetter(BatchID(1)) } == nil)
        try bench.take(.timerFired(.writeBackoff))
        try bench.openWriteStream(3)
        #expect(sent(bench.actions).map(\.count) == [2])
        try bench.refuse(3, exists)
        #expect(calls(bench.actions).count == 1)
    }

    @Test func `a queue that was cleared forgets where its markers lay, in memory and on disk`()
        throws
    {
        var bench = try markedBench()
        try bench.take(.write(increment(1)))
        try bench.openWriteStream(1)
        try bench.take(.upstream(.writeAnswered(StreamNumber(1), answer(2, at: 5_000))))
        try bench.take(.setNetwork(isEnabled: false))
        try bench.take(.clearPersistence(RequestID(session: 1, number: 9)))
        try bench.take(.setNetwork(isEnabled: true))
        try allow(&bench)
        try bench.take(.write(increment(2)))
        try bench.openWriteStream(2)
        #expect(sent(bench.actions).map(\.count) == [2])
        #expect(
            try bench.read { try $0.markerEras(of: .unauthenticated) }
                == [MarkerEra(from: BatchID(2), in: marks)])
    }

    @Test func `a batch is sent again with the marker it had, whatever is configured now`() throws {
        var bench = try markedBench()
        try bench.take(.write(increment(1)))
        try bench.openWriteStream(1)
        let first = try #require(sent(bench.actions).first)
        var after = try EngineBench(on: bench.store)
        try after.openWriteStream(1)
        #expect(sent(after.actions) == [first])
        try after.take(.upstream(.writeAnswered(StreamNumber(1), answer(2, at: 5_000))))
        try after.take(.write(increment(2)))
        #expect(sent(after.actions).map(\.count) == [1])
    }

    @Test func `a batch that was sent without a marker gets none later`() throws {
        var bench = try EngineBench()
        try bench.take(.write(increment(1)))
        try bench.openWriteStream(1)
        try bench.take(.setQueueLimits(limits()))
        try allow(&bench)
        try bench.refuse(1, lost)
        try bench.take(.write(increment(2)))
        try bench.take(.timerFired(.writeBackoff))
        try bench.openWriteStream(2)
        #expect(sent(bench.actions).map(\.count) == [1])
        try bench.take(.upstream(.writeAnswered(StreamNumber(2), answer(1, at: 5_000))))
        #expect(sent(bench.actions).map(\.count) == [2])
    }

    @Test func `rules that refuse markers are told, and nothing waits for them`() throws {
        var bench = try EngineBench()
        try bench.take(.setQueueLimits(limits()))
        let trial = try #require(calls(bench.actions).first)
        try bench.take(.write(increment(1)))
        try bench.openWriteStream(1)
        #expect(sent(bench.actions).isEmpty)  // Until it is known.
        try bench.take(.upstream(.called(trial.id, .failed(denied))))
        #expect(bench.actions.contains(.note(.markersDenied(denied))))
        #expect(sent(bench.actions).map(\.count) == [1])
    }

    @Test func `what waits for leave to make markers goes when no markers are wanted any more`()
        throws
    {
        var bench = try EngineBench()
        try bench.take(.setQueueLimits(limits()))
        try bench.take(.write(increment(1)))
        try bench.openWriteStream(1)
        #expect(sent(bench.actions).isEmpty)
        try bench.take(.setQueueLimits(limits(markers: false)))
        #expect(bench.actions.contains(.schedule(.filling, after: .zero)))
        try bench.take(.timerFired(.filling))
        #expect(sent(bench.actions).map(\.count) == [1])
    }

    @Test func `a trial that got lost is made again`() throws {
        var bench = try EngineBench()
        try bench.take(.setQueueLimits(limits()))
        let trial = try #require(calls(bench.actions).first)
        try bench.take(.upstream(.called(trial.id, .failed(lost))))
        #expect(bench.actions.contains(.schedule(.markers, after: .seconds(2))))
        try bench.take(.timerFired(.markers))
        try allow(&bench)
        try bench.take(.write(increment(1)))
        try bench.openWriteStream(1)
        #expect(sent(bench.actions).map(\.count) == [2])
    }

    @Test func `what is in doubt and holds only once can be put aside, and nothing else is`() throws
    {
        var bench = try EngineBench()
        try bench.take(.setQueueLimits(limits(markers: false, .deadLetter)))
        try bench.take(.write(increment(1)))
        try bench.take(.write(request(2)))
        try bench.openWriteStream(1)
        try bench.refuse(1, lost)
        try bench.take(.write(increment(3)))
        try bench.take(.timerFired(.writeBackoff))
        try bench.openWriteStream(2)
        let letter = try #require(try bench.read { try $0.deadLetter(BatchID(1)) })
        #expect(letter.error.code == .unknown)
        #expect(letter.mayHaveBeenApplied)
        #expect(bench.actions.contains(.note(.batchInDoubt(BatchID(1), letter.error))))
        #expect(sent(bench.actions) == [request(2).mutations])
        try bench.commit(2, at: 1_000)
        #expect(sent(bench.actions) == [increment(3).mutations])
    }

    @Test(arguments: LostAnswerPolicy.InDoubt.allCases)
    func `a batch that is full already gets no marker, and in doubt goes as configured`(
        inDoubt: LostAnswerPolicy.InDoubt
    ) throws {
        var bench = try EngineBench()
        try bench.take(.setQueueLimits(limits(inDoubt)))
        try allow(&bench)
        let full = full(.exists(false))
        let mutations = full.mutations
        try bench.take(.write(full))
        try bench.openWriteStream(1)
        #expect(sent(bench.actions) == [mutations])
        try bench.refuse(1, lost)
        try bench.take(.timerFired(.writeBackoff))
        try bench.openWriteStream(2)
        #expect(sent(bench.actions) == (inDoubt == .resend ? [mutations] : []))
        let letter = try bench.read { try $0.deadLetter(BatchID(1)) }
        #expect(letter?.mayHaveBeenApplied == (inDoubt == .resend ? nil : true))
    }

    @Test func `a marker goes an hour after the answer, and not before`() throws {
        var bench = try markedBench()
        try bench.take(.write(increment(1)))
        try bench.openWriteStream(1)
        let marker = try #require(sent(bench.actions).first?.first)
        try bench.take(.upstream(.writeAnswered(StreamNumber(1), answer(2, at: 5_000))))
        #expect(bench.actions.contains(.schedule(.markers, after: .seconds(60))))
        bench.now = bench.now.advanced(by: .seconds(3_590))
        #expect(calls(try bench.take(.timerFired(.markers))).isEmpty)
        bench.now = bench.now.advanced(by: .seconds(130))
        let calls = calls(try bench.take(.timerFired(.markers)))
        #expect(calls.map(\.call) == [.commit([Mutation(key: marker.key, kind: .delete)])])
    }

    /// An hour after a restart, with a marked batch in the queue.
    private func nextRun() throws -> (bench: EngineBench, marker: DocumentKey, prefix: String) {
        var before = try markedBench()
        try before.take(.write(increment(1)))
        try before.openWriteStream(1)
        let marker = try #require(sent(before.actions).first?.first?.key)
        var after = try EngineBench(on: before.store)
        after.now = after.now.advanced(by: .seconds(3_700))
        return (after, marker, String(marker.documentID.dropLast()))
    }

    @Test func `markers of an earlier run go too, but for those of batches that wait`() throws {
        var (after, marker, prefix) = try nextRun()
        let listing = try #require(calls(try after.take(.timerFired(.markers))).first)
        guard case .run(let query) = listing.call else {
            Issue.record("\(listing)")
            return
        }
        #expect(query.source?.collectionID == "marks")
        let old = key("marks/\(prefix)0")
        let found: [Document] = [marker, old, key("marks/other--0")].map {
            .found($0, at: version(1), [:])
        }
        let deletes = calls(try after.take(.upstream(.called(listing.id, .read(found)))))
        #expect(deletes.map(\.call) == [.commit([Mutation(key: old, kind: .delete)])])
    }

    @Test func `leftover markers are listed page by page, without a pause`() throws {
        var (after, _, prefix) = try nextRun()
        var listing = try #require(calls(try after.take(.timerFired(.markers))).first)
        let page = (1_000..<1_500).map { key("marks/\(prefix)\($0)") }
        let answered = BackendAnswer.read(page.map { .found($0, at: version(1), [:]) })
        let next = calls(try after.take(.upstream(.called(listing.id, answered))))
        #expect(next.first?.call == .commit(page.map { Mutation(key: $0, kind: .delete) }))
        listing = try #require(next.last)
        guard case .run(let query) = listing.call else {
            Issue.record("\(listing)")
            return
        }
        #expect(query.startAt?.isInclusive == false)
        #expect(calls(try after.take(.upstream(.called(listing.id, .read([]))))).isEmpty)
    }

    @Test func `two daemons of one user never share a marker`() throws {
        var names: Set<String> = []
        for seed in [UInt64(1), 2] {
            var bench = try EngineBench(seed: seed)
            try bench.take(.setQueueLimits(limits()))
            try allow(&bench)
            try bench.take(.write(increment(1)))
            try bench.openWriteStream(1)
            if let marker = sent(bench.actions).first?.first { names.insert("\(marker.key)") }
        }
        #expect(names.count == 2)
    }

    @Test func `nobody can listen to markers`() throws {
        var bench = try markedBench()
        let id = ListenerID(session: 1, number: 1)
        for query in [collection("marks"), Query(document: key("marks/one"))] {
            let actions = try bench.take(.listen(id, query, ListenOptions()))
            guard case .fail(id, let error)? = actions.first else {
                Issue.record("\(actions)")
                continue
            }
            #expect(error.code == .invalidArgument)
        }
        #expect(!(try bench.take(.listen(id, collection("rooms"), ListenOptions())).isEmpty))
    }

    @Test func `only an increment and a precondition make a difference the second time`() {
        func batch(_ mutation: Mutation) -> Bool {
            MutationBatch(id: BatchID(1), writtenAt: start, mutations: [mutation]).isIdempotent
        }
        func transform(_ operation: FieldTransform.Operation) -> Mutation {
            Mutation(
                key: key("r/a"), kind: .patch(.empty, .empty),
                transforms: [FieldTransform(field: FieldPath(["n"]), operation: operation)])
        }
        #expect(batch(Mutation(key: key("r/a"), kind: .set(["n": .null]))))
        #expect(batch(Mutation(key: key("r/a"), kind: .delete)))
        #expect(batch(transform(.arrayUnion([.null]))))
        #expect(batch(transform(.arrayRemove([.null]))))
        #expect(batch(transform(.maximum(.integer(1)))))
        #expect(batch(transform(.minimum(.integer(1)))))
        #expect(batch(transform(.serverTimestamp)))
        #expect(!batch(transform(.increment(.integer(1)))))
        #expect(!batch(Mutation(key: key("r/a"), kind: .delete, precondition: .exists(true))))
    }
}
