import HearthModel
import Testing

@testable import HearthBackend

/// Which rules a read has to pass.
struct RulesOnReadsTests {
    private static func spec(_ body: String) throws -> BackendSpec {
        var spec = try BackendSpec(rules: body)
        try spec.put("c/a", ["pub": .boolean(true), "own": .string("alice"), "n": .integer(7)])
        try spec.put("c/b", ["pub": .boolean(false), "own": .string("bob"), "n": .integer(1)])
        return spec
    }

    private static func field(_ name: String, _ op: FieldFilter.Operator, _ value: Value) -> Filter
    {
        .field(FieldPath([name]), op, value)
    }

    @Test func `every document of a get must be allowed`() throws {
        var spec = try Self.spec("match /c/{x} { allow get: if resource.data.pub == true; }")
        #expect(spec.get("c/a", by: .alice) == .ok)
        #expect(spec.get("c/b", by: .alice) == .permissionDenied)
        #expect(spec.get("c/a", "c/b", by: .alice) == .permissionDenied)
        // Whether it exists is nobody's business either.
        #expect(spec.get("c/none", by: .alice) == .permissionDenied)
        #expect(spec.get("d/a", by: .alice) == .permissionDenied)
        #expect(try spec.list(.all("c"), by: .alice) == .permissionDenied)
    }

    @Test func `a query is allowed if its filters prove the rules, whatever it finds`() throws {
        var spec = try Self.spec(
            """
            match /c/{x} {
              allow list: if resource.data.pub == true || resource.data.own == request.auth.uid;
            }
            """)
        let isPublic = Self.field("pub", .equal, .boolean(true))
        let isOwn = Self.field("own", .equal, .string("alice"))
        let all = StructuredQuery.all("c")
        #expect(try spec.list(all, by: .alice) == .permissionDenied)
        #expect(try spec.list(all.filtered(isPublic), by: .nobody) == .ok)
        #expect(try spec.list(all.filtered(isOwn), by: .alice) == .ok)
        #expect(try spec.list(all.filtered(isOwn), by: .bob) == .permissionDenied)
        #expect(try spec.list(all.filtered(.or([isPublic, isOwn])), by: .alice) == .ok)
        #expect(
            try spec.list(all.filtered(.or([isPublic, isOwn])), by: .bob) == .permissionDenied)
        let small = Self.field("n", .lessThan, .integer(3))
        #expect(try spec.list(all.filtered(.and([small, isOwn])), by: .alice) == .ok)
        #expect(
            try spec.list(all.filtered(.and([small, .or([isPublic, isOwn])])), by: .alice) == .ok)
        let names = Value.array([.string("alice"), .string("bob")])
        let listed = Self.field("own", .isIn, names)
        #expect(try spec.list(all.filtered(listed), by: .alice) == .permissionDenied)
        #expect(try spec.list(all.filtered(.and([listed, isPublic])), by: .alice) == .ok)
    }

    @Test func `unary filters prove what they test`() throws {
        var spec = try Self.spec("match /c/{x} { allow list: if resource.data.own == null; }")
        let own = FieldPath(["own"])
        let all = StructuredQuery.all("c")
        let isNull = Filter.unary(UnaryFilter(field: own, op: .isNull))
        let isNotNull = Filter.unary(UnaryFilter(field: own, op: .isNotNull))
        #expect(try spec.list(all.filtered(isNull), by: .alice) == .ok)
        #expect(try spec.list(all.filtered(isNotNull), by: .alice) == .permissionDenied)
        try spec.setRules("match /c/{x} { allow list: if resource.data.own != null; }")
        #expect(try spec.list(all.filtered(isNull), by: .alice) == .permissionDenied)
        #expect(try spec.list(all.filtered(isNotNull), by: .alice) == .ok)
    }

    @Test func `an equality beside other comparisons proves only what it says`() throws {
        var spec = try Self.spec("match /c/{x} { allow list: if resource.data.n in [5, 6]; }")
        let all = StructuredQuery.all("c")
        let five = Self.field("n", .equal, .integer(5))
        let listed = Self.field("n", .isIn, .array([.integer(5), .integer(6)]))
        let large = Self.field("n", .greaterThan, .integer(3))
        #expect(try spec.list(all.filtered(five), by: .alice) == .ok)
        #expect(try spec.list(all.filtered(listed), by: .alice) == .ok)
        #expect(try spec.list(all.filtered(.or([five, listed])), by: .alice) == .ok)
        #expect(try spec.list(all.filtered(.and([five, large])), by: .alice) == .permissionDenied)
        #expect(
            try spec.list(all.filtered(.and([listed, five])), by: .alice) == .permissionDenied)
        try spec.setRules("match /c/{x} { allow list: if resource.data.n == 5; }")
        #expect(try spec.list(all.filtered(.and([listed, five])), by: .alice) == .ok)
        #expect(try spec.list(all.filtered(listed), by: .alice) == .permissionDenied)
    }

    @Test func `a comparison with null finds nothing and proves no null`() throws {
        var spec = try Self.spec("match /c/{x} { allow list: if resource.data.n == null; }")
        let all = StructuredQuery.all("c")
        let equal = Self.field("n", .equal, .null)
        let listed = Self.field("n", .isIn, .array([.null]))
        #expect(try spec.list(all.filtered(equal), by: .alice) == .permissionDenied)
        #expect(try spec.list(all.filtered(listed), by: .alice) == .permissionDenied)
        try spec.setRules("match /c/{x} { allow list: if resource.data.n != null; }")
        #expect(try spec.list(all.filtered(equal), by: .alice) == .ok)
    }

    @Test func `a query for all collections needs a rule for everything`() throws {
        let everything = StructuredQuery(parent: .root, source: nil)
        var spec = try Self.spec("match /c/{x} { allow read; }")
        #expect(try spec.list(everything, by: .alice) == .permissionDenied)
        try spec.setRules("match /{all=**} { allow read; }")
        #expect(try spec.list(everything, by: .alice) == .ok)
    }

    @Test func `a transaction that begins with a refused read is not left open`() throws {
        var spec = try Self.spec("match /c/{x} { allow get: if x == 'a'; }")
        #expect(throws: HearthError.self) {
            try spec.backend.read(
                .documents([key("c/b")]), in: BackendSpec.database,
                .newTransaction(.pessimistic), by: .alice, at: spec.now)
        }
        #expect(spec.commit(.set("c/b", [:]), by: .admin) == .ok)
    }

    @Test func `rules look at documents as they were at the time of the read`() throws {
        var spec = try Self.spec(
            "match /c/{x} { allow get: if get(/databases/$(database)/documents/f/f).data.on; }")
        try spec.put("f/f", ["on": .boolean(true)])
        let then = spec.now
        spec.wait(.seconds(1))
        try spec.put("f/f", ["on": .boolean(false)])
        #expect(spec.get("c/a", by: .alice) == .permissionDenied)
        _ = try spec.backend.read(
            .documents([key("c/a")]), in: BackendSpec.database, .readTime(then), by: .alice,
            at: spec.now)
    }

    @Test func `a refused target is removed with its cause`() throws {
        var spec = try Self.spec("match /c/{x} { allow read: if request.auth.uid == 'alice'; }")
        spec.backend.open(StreamID(7), in: BackendSpec.database, by: .bob)
        spec.backend.open(StreamID(8), in: BackendSpec.database, by: .alice)
        let refused = try spec.listen(2, .query(.all("c")), on: StreamID(7))
        #expect(refused == [.added([2]), .removed([2], .permissionDenied)])
        let document = try spec.listen(4, .documents([key("c/a")]), on: StreamID(7))
        #expect(document == [.added([4]), .removed([4], .permissionDenied)])
        let told = try spec.listen(2, .query(.all("c")), on: StreamID(8))
        #expect(told.last == .snapshot)
        try spec.put("c/z", [:])
        #expect(spec.take(StreamID(7)).isEmpty)
        #expect(spec.take(StreamID(8)) == [.document("c/z", in: [2]), .snapshot])
    }

    @Test func `a target that a change makes forbidden is removed in place of its news`() throws {
        var spec = try Self.spec(
            """
            match /c/{x} {
              allow get: if resource.data.pub == true;
              allow list: if get(/databases/$(database)/documents/f/f).data.on == true;
            }
            """)
        try spec.put("f/f", ["on": .boolean(true)])
        spec.backend.open(StreamID(7), in: BackendSpec.database, by: .bob)
        _ = try spec.listen(2, .documents([key("c/a")]), on: StreamID(7))
        _ = try spec.listen(4, .query(.all("c")), on: StreamID(7))
        try spec.put("c/a", ["pub": .boolean(false)])
        #expect(
            spec.take(StreamID(7))
                == [.document("c/a", in: [4]), .removed([2], .permissionDenied), .snapshot])
        // The rules judge a query when the query has news, not when a document changes that the
        // rule looks at.
        try spec.put("f/f", ["on": .boolean(false)])
        #expect(spec.take(StreamID(7)).isEmpty)
        try spec.put("c/b", ["n": .integer(2)])
        #expect(spec.take(StreamID(7)) == [.removed([4], .permissionDenied), .snapshot])
        try spec.put("c/b", ["n": .integer(3)])
        #expect(spec.take(StreamID(7)).isEmpty)
    }

    @Test func `a document that leaves a query does not tell what has become of it`() throws {
        var spec = try Self.spec("match /c/{x} { allow list: if resource.data.pub == true; }")
        let bob = StreamID(7)
        spec.backend.open(bob, in: BackendSpec.database, by: .bob)
        let isPublic = Self.field("pub", .equal, .boolean(true))
        let query = StructuredQuery.all("c").filtered(isPublic)
        _ = try spec.listen(2, .query(query), on: bob)
        let shown = try spec.put("c/b", ["pub": .boolean(true)]).version
        #expect(spec.take(bob) == [.document("c/b", in: [2]), .snapshot])
        try spec.put("c/b", ["pub": .boolean(false), "secret": .integer(7)])
        #expect(spec.take(bob) == [.gone("c/b", left: [2]), .snapshot])
        let resumed = try spec.listen(4, .query(query), on: bob, from: .readTime(shown))
        #expect(resumed.contains(.gone("c/b", left: [4])))
        spec.backend.pause(bob)
        try spec.put("c/a", ["pub": .boolean(false), "secret": .integer(7)])
        spec.backend.resume(bob, at: spec.now)
        #expect(spec.take(bob) == [.gone("c/a", left: [2, 4]), .snapshot])
    }

    @Test func `a document that leaves a query tells its content to who may get it`() throws {
        var spec = try Self.spec(
            "match /c/{x} { allow list: if resource.data.pub == true; allow get; }")
        let bob = StreamID(7)
        spec.backend.open(bob, in: BackendSpec.database, by: .bob)
        let isPublic = Self.field("pub", .equal, .boolean(true))
        _ = try spec.listen(2, .query(StructuredQuery.all("c").filtered(isPublic)), on: bob)
        try spec.put("c/b", ["pub": .boolean(true)])
        _ = spec.take(bob)
        try spec.put("c/b", ["pub": .boolean(false)])
        #expect(spec.take(bob) == [.document("c/b", in: [], left: [2]), .snapshot])
    }

    private static let switched = """
        match /c/{x} {
          allow read: if get(/databases/$(database)/documents/f/f).data.on == true;
        }
        match /d/{x} { allow read; }
        """

    /// A stream of bob's that watches `c`, a document of it and `d`, and then is paused.
    private static func pausedSpec(_ settings: BackendSettings = .init()) throws -> BackendSpec {
        var spec = BackendSpec(settings)
        try spec.setRules(switched)
        try spec.put("f/f", ["on": .boolean(true)])
        try spec.put("c/a", ["n": .integer(1)])
        try spec.put("d/a", ["n": .integer(1)])
        spec.backend.open(StreamID(7), in: BackendSpec.database, by: .bob)
        _ = try spec.listen(2, .query(.all("c")), on: StreamID(7))
        _ = try spec.listen(4, .documents([key("c/a")]), on: StreamID(7))
        _ = try spec.listen(6, .query(.all("d")), on: StreamID(7))
        spec.backend.pause(StreamID(7))
        return spec
    }

    @Test func `what a paused stream has missed is held against what rules look at now`() throws {
        var spec = try Self.pausedSpec()
        try spec.put("c/a", ["n": .integer(2)])
        try spec.put("d/a", ["n": .integer(2)])
        try spec.put("f/f", ["on": .boolean(false)])
        spec.backend.resume(StreamID(7), at: spec.now)
        #expect(
            spec.take(StreamID(7)) == [
                .document("d/a", in: [6]), .removed([2], .permissionDenied),
                .removed([4], .permissionDenied), .snapshot,
            ])
        // They are gone, and not only silent.
        try spec.put("f/f", ["on": .boolean(true)])
        try spec.put("c/a", ["n": .integer(3)])
        #expect(spec.take(StreamID(7)).isEmpty)
        try spec.put("d/a", ["n": .integer(3)])
        #expect(spec.take(StreamID(7)) == [.document("d/a", in: [6]), .snapshot])
    }

    @Test func `what a paused stream has missed is held against the rules of now`() throws {
        var spec = try Self.pausedSpec()
        try spec.put("c/a", ["n": .integer(2)])
        try spec.setRules("match /c/{x} { allow get; }")
        spec.backend.resume(StreamID(7), at: spec.now)
        #expect(
            spec.take(StreamID(7)) == [
                .document("c/a", in: [4]), .removed([2], .permissionDenied), .snapshot,
            ])
        // It had no news of `d`, so nobody asked; now it has.
        try spec.put("d/a", ["n": .integer(2)])
        #expect(spec.take(StreamID(7)) == [.removed([6], .permissionDenied), .snapshot])
    }

    @Test func `a paused stream is told anew only what rules allow`() throws {
        var settings = BackendSettings()
        settings.historyCommitCountMax = 3
        var spec = try Self.pausedSpec(settings)
        for number in 0..<8 { try spec.put("d/\(number)", ["n": .integer(Int64(number))]) }
        try spec.put("f/f", ["on": .boolean(false)])
        spec.backend.resume(StreamID(7), at: spec.now)
        let told = spec.take(StreamID(7))
        #expect(told.first == .reset([6]))
        #expect(
            told.suffix(4) == [
                .current([6]), .removed([2], .permissionDenied), .removed([4], .permissionDenied),
                .snapshot,
            ])
        let documents = told.dropFirst().dropLast(4)
        #expect(documents.count == 9)
        #expect(
            documents.allSatisfy {
                if case .document(let path, in: [6], left: []) = $0 {
                    path.hasPrefix("d/")
                } else {
                    false
                }
            })
    }

    @Test func `a paused stream of the admin is told all`() throws {
        var spec = try BackendSpec(rules: Self.switched)
        try spec.put("f/f", ["on": .boolean(false)])
        _ = try spec.listen(2, .query(.all("c")))
        spec.backend.pause(BackendSpec.stream)
        try spec.put("c/a", [:])
        spec.backend.resume(BackendSpec.stream, at: spec.now)
        #expect(spec.take() == [.document("c/a", in: [2]), .snapshot])
    }
}
