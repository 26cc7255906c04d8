import HearthEngine
import HearthFirestore
import HearthModel
import Testing

/// What the specs of markers share: an engine that may make markers, and what the engine sends.
protocol MarkerStage {}

extension MarkerStage {
    var lost: HearthError { HearthError(code: .unavailable, message: "Gone.") }
    var exists: HearthError { HearthError(code: .alreadyExists, message: "The mark is there.") }
    var denied: HearthError { HearthError(code: .permissionDenied, message: "No marks.") }
    var marks: ResourcePath { ResourcePath(["marks"]) }

    func increment(_ number: UInt64) -> WriteRequest {
        WriteRequest(
            id: RequestID(session: 1, number: number), writer: Writer(uid: 7, gid: 7, pid: 7),
            mutations: [
                Mutation(
                    key: key("counters/all"), kind: .patch(.empty, .empty),
                    transforms: [
                        FieldTransform(
                            field: FieldPath(["n"]), operation: .increment(.integer(1)))
                    ])
            ])
    }

    func limits(
        markers: Bool = true, _ inDoubt: LostAnswerPolicy.InDoubt = .resend
    ) -> QueueLimits {
        var limits = QueueLimits()
        if markers { limits.lostAnswers.markers = marks }
        limits.lostAnswers.inDoubt = inDoubt
        return limits
    }

    /// What a turn sent on the write stream.
    func sent(_ actions: [FirestoreEngine.Action]) -> [[Mutation]] {
        actions.compactMap {
            if case .upstream(.write(_, _, let mutations, _)) = $0 { mutations } else { nil }
        }
    }

    /// What a turn asked the backend beside the streams.
    func calls(
        _ actions: [FirestoreEngine.Action]
    ) -> [(id: RequestID, call: BackendCall)] {
        actions.compactMap {
            if case .upstream(.call(let id, let call, _)) = $0 { (id, call) } else { nil }
        }
    }

    func answer(_ count: Int, at microseconds: Int64) -> WriteAnswer {
        let result = Mutation.Result(
            version: version(microseconds), transformResults: [.integer(1)])
        return WriteAnswer(
            token: [9], committedAt: version(microseconds),
            results: [Mutation.Result(version: version(microseconds))]
                + Array(repeating: result, count: count - 1))
    }

    /// Answers the two questions whether markers may be made.
    func allow(_ bench: inout EngineBench) throws {
        let write = try #require(calls(bench.actions).first)
        guard case .commit(let trial) = write.call else {
            Issue.record("\(write)")
            return
        }
        #expect(trial.map(\.kind) == [.set(.empty), .delete])
        try bench.take(.upstream(.called(write.id, .committed(at: version(1), []))))
        let read = try #require(calls(bench.actions).first)
        try bench.take(
            .upstream(.called(read.id, .read([.missing(trial[0].key, at: version(1))]))))
    }

    func markedBench() throws -> EngineBench {
        var bench = try EngineBench()
        try bench.take(.setQueueLimits(limits()))
        try allow(&bench)
        return bench
    }

    /// A write that leaves no room for a marker.
    func full(_ precondition: Precondition = .none) -> WriteRequest {
        let mutations = (0..<11).map { index in
            Mutation(
                key: key("files/\(index)"),
                kind: .set(["b": .bytes([UInt8](repeating: 1, count: 950_000))]),
                precondition: precondition)
        }
        return WriteRequest(
            id: RequestID(session: 1, number: 1), writer: Writer(uid: 7, gid: 7, pid: 7),
            mutations: mutations)
    }
}
