import HearthModel
import Testing

@testable import HearthBackend

struct ResumeTests {
    private let x = FieldPath(["x"])

    /// Listens, and returns the token of the last snapshot.
    private func token(_ spec: inout BackendSpec, _ query: StructuredQuery) throws -> ResumePoint {
        let stream = StreamID(99)
        spec.backend.open(stream, in: BackendSpec.database)
        try spec.backend.watch(
            WatchRequest(targetID: WireTargetID(2), subject: .query(query)), on: stream,
            at: spec.now)
        spec.act()
        defer { spec.backend.close(stream) }
        guard case .target(let change)? = spec.delivered[stream]?.last,
            let token = change.resumeToken
        else { throw HearthError(code: .internalError, message: "No token") }
        _ = spec.take(stream)
        return .token(token)
    }

    @Test func `a resumed target hears only what changed since`() throws {
        var spec = BackendSpec()
        for path in ["c/a", "c/b", "c/c", "c/d"] { try spec.put(path, ["x": .integer(1)]) }
        let query = StructuredQuery.all("c").filtered(.field(x, .equal, .integer(1)))
        let point = try token(&spec, query)
        try spec.put("c/a", ["x": .integer(1), "y": .null])
        try spec.delete("c/b")
        try spec.put("c/c", ["x": .integer(2)])
        try spec.put("c/e", ["x": .integer(1)])
        try spec.put("c/f", ["x": .integer(3)])
        #expect(
            try spec.listen(4, .query(query), from: point) == [
                .added([4]), .document("c/a", in: [4]), .deleted("c/b", left: [4]),
                .document("c/c", in: [], left: [4]), .document("c/e", in: [4]), .current([4]),
                .snapshot,
            ])
    }

    @Test func `a resumed limit hears what its window became`() throws {
        var spec = BackendSpec()
        for number in 1...4 { try spec.put("c/\(number)", ["x": .integer(Int64(number))]) }
        let query = StructuredQuery.all("c").ordered(by: "x").limited(to: 2)
        let point = try token(&spec, query)
        try spec.delete("c/1")
        #expect(
            try spec.listen(4, .query(query), from: point) == [
                .added([4]), .deleted("c/1", left: [4]), .document("c/3", in: [4]), .current([4]),
                .snapshot,
            ])
    }

    @Test func `a read time resumes as a token does`() throws {
        var spec = BackendSpec()
        let version = try spec.put("c/a", [:]).version
        try spec.put("c/b", [:])
        #expect(
            try spec.listen(2, .query(.all("c")), from: .readTime(version)) == [
                .added([2]), .document("c/b", in: [2]), .current([2]), .snapshot,
            ])
    }

    @Test func `a token of another history resets the target`() throws {
        var spec = BackendSpec()
        try spec.put("c/a", [:])
        let foreign = try #require(ResumeToken(Array(repeating: 1, count: 16)))
        #expect(
            try spec.listen(2, .query(.all("c")), from: .token(foreign)) == [
                .added([2]), .reset([2]), .document("c/a", in: [2]), .current([2]), .snapshot,
            ])
    }

    @Test func `a token or a read time that is still to come resets the target`() throws {
        var ahead = BackendSpec()
        ahead.wait(.seconds(5))
        let token = try token(&ahead, .all("c"))
        let points = [token, .readTime(SnapshotVersion(ahead.now))]
        var spec = BackendSpec()
        try spec.put("c/a", [:])
        for (number, point) in zip([2, 4] as [Int32], points) {
            let told = try spec.listen(number, .query(.all("c")), from: point)
            #expect(
                told == [
                    .added([number]), .reset([number]), .document("c/a", in: [number]),
                    .current([number]), .snapshot,
                ])
            let named = try spec.listen(number + 4, .documents([key("c/a")]), from: point)
            #expect(
                named == [
                    .added([number + 4]), .document("c/a", in: [number + 4]),
                    .current([number + 4]), .snapshot,
                ])
        }
    }

    @Test func `a token too old resets, or filters if the client counts`() throws {
        var settings = BackendSettings()
        settings.historyCommitCountMax = 2
        var spec = BackendSpec(settings)
        for path in ["c/a", "c/b", "c/c"] { try spec.put(path, [:]) }
        let point = try token(&spec, .all("c"))
        try spec.delete("c/b")
        for number in 0..<3 { try spec.put("c/c", ["n": .integer(Int64(number))]) }
        #expect(try spec.listen(2, .query(.all("c")), from: point)[1] == .reset([2]))
        _ = try spec.listen(4, .query(.all("c")), from: .start)
        let told = try spec.listen(6, .query(.all("c")), from: point, expecting: 3)
        #expect(
            told == [
                .added([6]), .document("c/c", in: [6]), .filter(6, 2), .current([6]), .snapshot,
            ])
    }

    @Test func `a client that counts otherwise is told how many there are`() throws {
        var spec = BackendSpec()
        for path in ["c/a", "c/b", "c/c"] { try spec.put(path, [:]) }
        let point = try token(&spec, .all("c"))
        try spec.delete("c/a")
        try spec.put("c/b", ["n": .integer(1)])
        // The token is good, but whoever counts four has kept what is not in the result.
        #expect(
            try spec.listen(2, .query(.all("c")), from: point, expecting: 4) == [
                .added([2]), .deleted("c/a", left: [2]), .document("c/b", in: [2]), .filter(2, 2),
                .current([2]), .snapshot,
            ])
        #expect(
            try !spec.listen(4, .query(.all("c")), from: point, expecting: 3).contains(
                .filter(4, 2))
        )
        let limited = StructuredQuery.all("c").limited(to: 1)
        let early = try token(&spec, limited)
        #expect(
            try spec.listen(6, .query(limited), from: early, expecting: 2).contains(.filter(6, 1)))
    }

    @Test func `the filter's names tell which documents are gone`() throws {
        var settings = BackendSettings()
        settings.historyCommitCountMax = 1
        var spec = BackendSpec(settings)
        for path in ["c/a", "c/b"] { try spec.put(path, [:]) }
        let point = try token(&spec, .all("c"))
        try spec.delete("c/b")
        try spec.put("d/x", [:])
        try spec.put("d/y", [:])
        spec.backend.open(BackendSpec.stream, in: BackendSpec.database)
        var request = WatchRequest(targetID: WireTargetID(2), subject: .query(.all("c")))
        request.resumePoint = point
        request.expectedCount = 2
        try spec.backend.watch(request, on: BackendSpec.stream, at: spec.now)
        spec.act()
        let filters = (spec.delivered[BackendSpec.stream] ?? []).compactMap { change in
            if case .existenceFilter(let filter) = change { filter } else { nil }
        }
        let names = try #require(filters.first?.unchangedNames)
        let root = BackendSpec.database.documentsName
        #expect(names.mightContain("\(root)/c/a"))
        #expect(!names.mightContain("\(root)/c/b"))
    }

    @Test func `a token is good after a restart`() throws {
        var spec = BackendSpec()
        try spec.put("c/a", ["x": .integer(1)])
        try spec.put("c/b", ["x": .integer(1)])
        let point = try token(&spec, .all("c"))
        try spec.delete("c/a")
        try spec.put("c/b", ["x": .integer(2)])
        var restarted = BackendSpec()
        restarted.now = spec.now
        restarted.backend = Backend(identity: 7, run: 2, clock: spec.backend.clock)
        let versions = spec.saves.compactMap { save in
            if case .version(let document) = save { document } else { nil }
        }
        restarted.backend.restore(versions, in: BackendSpec.database, historyStart: .zero)
        #expect(
            try restarted.listen(2, .query(.all("c")), from: point) == [
                .added([2]), .deleted("c/a", left: [2]), .document("c/b", in: [2]),
                .current([2]), .snapshot,
            ])
    }

    @Test func `a paused stream is told the difference and no more`() throws {
        var spec = BackendSpec()
        try spec.put("c/a", [:])
        _ = try spec.listen(2, .query(.all("c")))
        _ = try spec.listen(4, .documents([key("c/a"), key("c/b")]))
        spec.backend.pause(BackendSpec.stream)
        for number in 0..<10 { try spec.put("c/b", ["n": .integer(Int64(number))]) }
        try spec.delete("c/a")
        #expect(spec.take() == [])
        spec.backend.resume(BackendSpec.stream, at: spec.now)
        #expect(
            spec.take() == [
                .document("c/b", in: [2, 4]), .deleted("c/a", left: [2, 4]), .snapshot,
            ])
        try spec.put("c/c", [:])
        #expect(spec.take() == [.document("c/c", in: [2]), .snapshot])
    }
}
