import HearthModel
import Testing

@testable import HearthBackend

/// Targets that could be misunderstood.
struct WatchRequestTests {
    private static func offset(_ offset: Int, _ query: StructuredQuery) -> StructuredQuery {
        var query = query
        query.offset = offset
        return query
    }

    @Test(arguments: [
        offset(1, .all("c")), offset(1, .all("c").limited(to: 2)),
        offset(2, .all("c").ordered(by: "x")),
    ])
    func `a listen with an offset is refused and never silently another`(
        query: StructuredQuery
    ) throws {
        var spec = BackendSpec()
        for number in 1...4 { try spec.put("c/\(number)", ["x": .integer(Int64(number))]) }
        let refused: [Told] = [.added([2]), .removed([2], .invalidArgument)]
        #expect(try spec.listen(2, .query(query)) == refused)
        // From wherever it goes on, too.
        let moment = try spec.view().moment
        #expect(try spec.listen(2, .query(query), from: .readTime(moment)) == refused)
        let token = try #require(spec.backend.token(at: moment))
        #expect(
            try spec.listen(2, .query(query), from: .token(token), expecting: 1) == refused)
        // The stream lives on, and an offset of nothing is none.
        #expect(try spec.listen(2, .query(Self.offset(0, query))).last == .snapshot)
    }

    @Test func `a document that a target names twice is told once`() throws {
        var spec = BackendSpec()
        try spec.put("c/a", ["x": .integer(1)])
        let keys = [key("c/a"), key("c/b"), key("c/a"), key("c/b")]
        #expect(
            try spec.listen(2, .documents(keys)) == [
                .added([2]), .document("c/a", in: [2]), .deleted("c/b", left: [2]), .current([2]),
                .snapshot,
            ])
        try spec.put("c/b", ["x": .integer(2)])
        #expect(spec.take() == [.document("c/b", in: [2]), .snapshot])
        let moment = try spec.view().moment
        // A paused stream whose history is forgotten is told every name anew, once.
        spec.backend.pause(BackendSpec.stream)
        try spec.put("c/a", ["x": .integer(3)])
        spec.backend.forgetHistory()
        spec.backend.resume(BackendSpec.stream, at: spec.now)
        let told = spec.take()
        #expect(told.filter { $0 == .document("c/a", in: [2]) }.count == 1)
        #expect(told.filter { $0 == .document("c/b", in: [2]) }.count == 1)
        // And so is one that resumes.
        let other = StreamID(2)
        let resumed = try spec.listen(4, .documents(keys), on: other, from: .readTime(moment))
        #expect(resumed.filter { $0 == .document("c/a", in: [4]) }.count == 1)
    }
}
