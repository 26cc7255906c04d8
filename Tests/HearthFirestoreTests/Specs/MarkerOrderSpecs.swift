import HearthEngine
import HearthFirestore
import HearthModel
import Testing

/// Batches with markers in one queue: none undoes another, and no program touches the markers.
struct MarkerOrderSpecs: MarkerStage {
    @Test func `nothing is sent behind a batch without room for a marker until its answer comes`()
        throws
    {
        var bench = try markedBench()
        let full = full()
        try bench.take(.write(full))
        try bench.take(.write(request(2)))
        try bench.openWriteStream(1)
        #expect(sent(bench.actions) == [full.mutations])
        try bench.take(.upstream(.writeAnswered(StreamNumber(1), answer(11, at: 5_000))))
        #expect(sent(bench.actions).map(\.count) == [2])
    }

    /// Both were applied and both answers lost. The set must not undo the increment behind it.
    @Test func `a set whose marker is there is not applied again over what came behind it`() throws
    {
        var bench = try markedBench()
        try bench.take(.write(request(1)))
        try bench.take(.write(increment(2)))
        try bench.openWriteStream(1)
        let first = sent(bench.actions)
        #expect(first.count == 2)
        try bench.refuse(1, lost)
        try bench.take(.timerFired(.writeBackoff))
        try bench.openWriteStream(2)
        #expect(sent(bench.actions) == [first[0]])
        #expect(first[0].first?.precondition == .exists(false))
        try bench.refuse(2, exists)
        let question = try #require(calls(bench.actions).first)
        guard case .set(let fields)? = first[0].first?.kind else {
            Issue.record("The marker is not set")
            return
        }
        let keys = first[0].map(\.key)
        try bench.take(
            .upstream(
                .called(
                    question.id,
                    .read(keys.map { .found($0, at: version(4_000), fields) }))))
        #expect(
            bench.actions.contains(
                .settle(
                    RequestID(session: 1, number: 1), BatchID(1),
                    .committed(at: version(4_000), updatedAt: [version(4_000)]))))
    }

    @Test func `a program neither reads nor writes markers`() throws {
        var bench = try markedBench()
        let id = RequestID(session: 1, number: 1)
        let mark = Mutation(key: key("marks/one"), kind: .set(.empty))
        let write = WriteRequest(
            id: id, writer: Writer(uid: 7, gid: 7, pid: 7), mutations: [mark])
        let count = AggregateRequest(
            query: collection("marks"),
            aggregations: [Aggregation(alias: "n", operation: .count(upTo: nil))],
            source: .server)
        let inputs: [FirestoreEngine.Input] = [
            .write(write), .aggregate(id, count), .readForTransaction(id, [mark.key]),
            .read(id, [mark.key], .server),
        ]
        for input in inputs {
            let refusals = try bench.take(input).compactMap {
                if case .refuse(id, let error) = $0 { error.code } else { nil }
            }
            #expect(refusals == [.invalidArgument], "\(input)")
        }
        let ends = try bench.take(.commitTransaction(id, [mark])).compactMap {
            if case .result(id, .commitFailed(let error, false)) = $0 { error.code } else { nil }
        }
        #expect(ends == [.invalidArgument])
        #expect(sent(bench.actions).isEmpty)
    }
}
