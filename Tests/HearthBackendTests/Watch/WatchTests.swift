import HearthModel
import Testing

@testable import HearthBackend

struct WatchTests {
    @Test func `a fresh target hears its documents then current then a snapshot`() throws {
        var spec = BackendSpec()
        try spec.put("c/a", ["x": .integer(1)])
        try spec.put("d/b", [:])
        #expect(
            try spec.listen(2, .query(.all("c"))) == [
                .added([2]), .document("c/a", in: [2]), .current([2]), .snapshot,
            ])
    }

    @Test func `a commit tells only what changed, then one snapshot`() throws {
        var spec = BackendSpec()
        for path in ["c/a", "c/b", "c/c"] { try spec.put(path, ["x": .integer(1)]) }
        _ = try spec.listen(2, .query(.all("c")))
        try spec.put("c/b", ["x": .integer(2)])
        #expect(spec.take() == [.document("c/b", in: [2]), .snapshot])
        try spec.delete("c/c")
        #expect(spec.take() == [.deleted("c/c", left: [2]), .snapshot])
        try spec.put("d/a", [:])
        #expect(spec.take() == [])
    }

    @Test func `a document in several targets is told once with all their names`() throws {
        var spec = BackendSpec()
        try spec.put("c/a", ["x": .integer(1)])
        _ = try spec.listen(2, .query(.all("c")))
        _ = try spec.listen(
            4, .query(.all("c").filtered(.field(FieldPath(["x"]), .equal, .integer(1)))))
        _ = try spec.listen(6, .documents([key("c/a")]))
        try spec.put("c/a", ["x": .integer(1), "y": .null])
        #expect(spec.take() == [.document("c/a", in: [2, 4, 6]), .snapshot])
        try spec.put("c/a", ["x": .integer(2)])
        #expect(spec.take() == [.document("c/a", in: [2, 6], left: [4]), .snapshot])
        try spec.delete("c/a")
        #expect(spec.take() == [.deleted("c/a", left: [2, 6]), .snapshot])
    }

    @Test func `a document that leaves a filter is told with what it became`() throws {
        var spec = BackendSpec()
        try spec.put("c/a", ["x": .integer(1)])
        _ = try spec.listen(
            2, .query(.all("c").filtered(.field(FieldPath(["x"]), .equal, .integer(1)))))
        try spec.put("c/a", ["x": .integer(2)])
        #expect(spec.take() == [.document("c/a", in: [], left: [2]), .snapshot])
    }

    @Test func `a limit's window is refilled after a delete`() throws {
        var spec = BackendSpec()
        for number in 1...4 { try spec.put("c/\(number)", ["x": .integer(Int64(number))]) }
        _ = try spec.listen(2, .query(.all("c").ordered(by: "x").limited(to: 2)))
        try spec.delete("c/1")
        #expect(
            spec.take() == [
                .deleted("c/1", left: [2]), .document("c/3", in: [2]), .snapshot,
            ])
        try spec.put("c/0", ["x": .integer(0)])
        #expect(
            spec.take() == [.document("c/0", in: [2]), .gone("c/3", left: [2]), .snapshot])
        try spec.put("c/4", ["x": .integer(5)])
        #expect(spec.take() == [])
        try spec.put("c/4", ["x": .integer(-1)])
        #expect(
            spec.take() == [.document("c/4", in: [2]), .gone("c/2", left: [2]), .snapshot])
    }

    @Test func `a refused query ends its target and not the stream`() throws {
        var spec = BackendSpec()
        let bad = StructuredQuery.all("c").filtered(
            .field(FieldPath(["x"]), .isIn, .integer(1)))
        #expect(
            try spec.listen(2, .query(bad)) == [.added([2]), .removed([2], .invalidArgument)])
        #expect(try spec.listen(2, .query(.all("c"))).last == .snapshot)
    }

    @Test func `a name in use ends the stream`() throws {
        var spec = BackendSpec()
        _ = try spec.listen(2, .query(.all("c")))
        #expect(throws: HearthError.self) { try spec.listen(2, .query(.all("d"))) }
        #expect(throws: HearthError.self) { try spec.listen(0, .query(.all("d"))) }
    }

    @Test func `a target without a name is given one`() throws {
        var spec = BackendSpec()
        #expect(try spec.listen(0, .query(.all("c"))).first == .added([1]))
        #expect(try spec.listen(0, .query(.all("c"))).first == .added([2]))
    }

    @Test func `once ends the target after the snapshot`() throws {
        var spec = BackendSpec()
        #expect(
            try spec.listen(2, .query(.all("c")), once: true) == [
                .added([2]), .current([2]), .snapshot, .removed([2], nil),
            ])
        try spec.put("c/a", [:])
        #expect(spec.take() == [])
    }

    @Test func `a target that was taken away hears no more`() throws {
        var spec = BackendSpec()
        _ = try spec.listen(2, .query(.all("c")))
        spec.backend.unwatch(WireTargetID(2), on: BackendSpec.stream)
        spec.backend.unwatch(WireTargetID(4), on: BackendSpec.stream)
        #expect(spec.take() == [.removed([2], nil)])
        try spec.put("c/a", [:])
        #expect(spec.take() == [])
    }

    @Test func `documents that do not exist are told as deleted`() throws {
        var spec = BackendSpec()
        #expect(
            try spec.listen(2, .documents([key("c/a")])) == [
                .added([2]), .deleted("c/a", left: [2]), .current([2]), .snapshot,
            ])
        try spec.put("c/a", [:])
        #expect(spec.take() == [.document("c/a", in: [2]), .snapshot])
    }

    @Test func `groups and kindless queries hear of documents at their depth`() throws {
        var spec = BackendSpec()
        let group = StructuredQuery(
            parent: key("p/1").path, source: .init(collectionID: "g", allDescendants: true))
        _ = try spec.listen(2, .query(group))
        _ = try spec.listen(4, .query(StructuredQuery(parent: key("p/1").path, source: nil)))
        try spec.put("p/1/g/1", [:])
        #expect(spec.take() == [.document("p/1/g/1", in: [2, 4]), .snapshot])
        try spec.put("p/1/h/1", [:])
        #expect(spec.take() == [.document("p/1/h/1", in: [4]), .snapshot])
        try spec.put("p/2/g/1", [:])
        #expect(spec.take() == [])
    }

    @Test func `a select shows only its fields`() throws {
        var spec = BackendSpec()
        var query = StructuredQuery.all("c")
        query.projection = [FieldPath(["x"])]
        _ = try spec.listen(2, .query(query))
        try spec.put("c/a", ["x": .integer(1), "y": .integer(2)])
        spec.act()
        guard case .document(let change)? = spec.delivered[BackendSpec.stream]?.first else {
            Issue.record("No document came")
            return
        }
        #expect(change.document?.fields == ["x": .integer(1)])
    }

    @Test func `a document that leaves a window is told with the moment of it`() throws {
        var spec = BackendSpec()
        for number in 1...3 { try spec.put("c/\(number)", ["x": .integer(Int64(number))]) }
        _ = try spec.listen(2, .query(.all("c").ordered(by: "x").limited(to: 2)))
        let version = try spec.put("c/0", ["x": .integer(0)]).version
        let moments = spec.takeMessages().compactMap { message -> SnapshotVersion? in
            guard case .document(let change) = message, change.document == nil else { return nil }
            return change.readAt
        }
        #expect(moments == [version])
    }
}
