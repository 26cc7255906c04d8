import HearthEngine
import HearthModel
import Testing

@testable import HearthFirestore

/// When documents were made, while the batches that made them wait.
struct CreationSpecs {
    private let hall = key("rooms/hall")

    private func local(_ bench: EngineBench) throws -> Document {
        try bench.read { try bench.engine.local.localDocument(hall, $0) }
    }

    /// Writes the hall, and returns what it is promised.
    private func write(
        _ number: UInt64, _ kind: Mutation.Kind, _ precondition: Precondition = .none,
        in bench: inout EngineBench
    ) throws -> SnapshotVersion {
        let actions = try bench.take(
            .write(
                WriteRequest(
                    id: RequestID(session: 1, number: number),
                    writer: Writer(uid: 1, gid: 1, pid: 1),
                    mutations: [Mutation(key: hall, kind: kind, precondition: precondition)],
                    conditions: .judged)))
        for case .result(_, .promised(let promise)) in actions {
            return SnapshotVersion(promise.promisedAt)
        }
        Issue.record("No promise: \(actions)")
        return .zero
    }

    private let patch = Mutation.Kind.patch(
        MapValue([("n", .integer(2))]), FieldMask([FieldPath(["n"])]))

    @Test func `a document that batches have made was made by the first, also over a restart`()
        throws
    {
        let store = MemoryStore()
        var bench = try EngineBench(on: store)
        let first = try write(1, .set([:]), in: &bench)
        #expect(try local(bench).createdAt == first)
        let second = try write(2, patch, in: &bench)
        #expect(try local(bench).promisedAt == second.timestamp)
        #expect(try local(bench).createdAt == first)
        var after = try EngineBench(on: store)
        _ = try write(3, .set(["n": .integer(3)]), in: &after)
        #expect(try local(after).createdAt == first)
    }

    @Test func `the backend's time of a creation takes the promise's place`() throws {
        var bench = try EngineBench()
        _ = try write(1, .set([:]), .exists(false), in: &bench)
        _ = try write(2, patch, in: &bench)
        try bench.openWriteStream(1)
        try bench.commit(1, at: 5_000_000_000_000_000)
        #expect(try local(bench).hasLocalMutations)
        #expect(try local(bench).createdAt == version(5_000_000_000_000_000))
        _ = try write(3, patch, in: &bench)
        try bench.commit(1, at: 6_000_000_000_000_000)
        try bench.commit(1, at: 7_000_000_000_000_000)
        #expect(try local(bench).createdAt == version(5_000_000_000_000_000))
    }

    @Test func `a document that is deleted and made again is made anew`() throws {
        let store = MemoryStore()
        try store.transaction { transaction throws(StoreError) in
            var known = Document.found(hall, at: version(1_000), [:], createdAt: version(500))
            known.readAt = version(1_000)
            try transaction.setRemoteDocument(known)
        }
        var bench = try EngineBench(on: store)
        _ = try write(1, patch, in: &bench)
        #expect(try local(bench).createdAt == version(500))
        _ = try write(2, .delete, in: &bench)
        let again = try write(3, .set([:]), in: &bench)
        #expect(try local(bench).createdAt == again)
        _ = try write(4, patch, in: &bench)
        #expect(try local(bench).createdAt == again)
    }
}
