import HearthModel
import Testing

struct MutationTests {
    private let now = Timestamp(seconds: 9, nanoseconds: 0)
    private let name = key("c/a")

    private func mutation(
        _ kind: Mutation.Kind, _ precondition: Precondition = .none,
        _ transforms: [(String, FieldTransform.Operation)] = []
    ) -> Mutation {
        Mutation(
            key: name, kind: kind, precondition: precondition,
            transforms: transforms.map { FieldTransform(field: field($0.0), operation: $0.1) })
    }

    private func applied(
        _ mutation: Mutation, to document: Document, mask: FieldMask? = .empty
    ) -> (document: Document, mask: FieldMask?) {
        var document = document
        let mask = mutation.apply(to: &document, mask: mask, writtenAt: now)
        return (document, mask)
    }

    private func acknowledged(
        _ mutation: Mutation, on document: Document, _ results: [Value] = []
    ) throws -> Document {
        var document = document
        try mutation.applyAcknowledged(
            to: &document, .init(version: version(50), transformResults: results))
        return document
    }

    // MARK: Locally

    @Test func `a set replaces the document, whole`() {
        let old = found("c/a", ["a": .integer(1), "b": .integer(2)])
        let (document, mask) = applied(mutation(.set(["a": .null])), to: old)
        #expect(document.fields == ["a": .null])
        #expect(document.hasLocalMutations && document.version == .zero)
        #expect(mask == nil)
        #expect(applied(mutation(.set([:])), to: .invalid(name)).document.isFound)
    }

    @Test func `a patch changes the paths of its mask`() {
        let old = found(
            "c/a", ["a": .map(["x": .integer(1), "y": .integer(2)]), "b": .integer(3)])
        let patch = mutation(
            .patch(["a": .map(["x": .integer(9)]), "n": .integer(7)], mask("a.x", "b", "d.e")))
        let (document, touched) = applied(patch, to: old, mask: mask("z"))
        #expect(document.fields == ["a": .map(["x": .integer(9), "y": .integer(2)])])
        #expect(document.hasLocalMutations)
        #expect(touched == mask("a.x", "b", "d.e", "z"))
        #expect(applied(patch, to: old, mask: nil).mask == nil)
    }

    @Test func `a deletion leaves a document that is known to be missing`() {
        let (document, mask) = applied(mutation(.delete), to: found("c/a", ["a": .null]))
        #expect(document.isMissing && document.hasLocalMutations)
        #expect(mask == nil)
    }

    @Test func `a check changes nothing`() {
        let old = found("c/a", ["a": .null])
        let (document, mask) = applied(mutation(.verify, .exists(true)), to: old)
        #expect(document == old && mask == .empty)
    }

    @Test func `a failed precondition changes nothing`() throws {
        let old = Document.missing(name, at: version(3))
        for kind in [Mutation.Kind.set([:]), .patch([:], .empty), .delete] {
            let (document, touched) = applied(
                mutation(kind, .exists(true)), to: old, mask: mask("q"))
            #expect(document == old && touched == mask("q"))
        }
    }

    @Test func `transforms read the document as it was before`() {
        let old = found("c/a", ["n": .integer(5), "l": .array([.integer(1)])])
        let transforms: [(String, FieldTransform.Operation)] = [
            ("n", .increment(.integer(2))), ("l", .arrayUnion([.integer(3)])),
            ("deep.t", .serverTimestamp),
        ]
        let set = applied(mutation(.set(["n": .integer(100)]), .none, transforms), to: old)
        #expect(set.document[field("n")] == .integer(7))
        #expect(set.document[field("l")] == .array([.integer(1), .integer(3)]))
        let patch = applied(
            mutation(.patch(["n": .integer(100)], mask("n")), .none, transforms), to: old)
        #expect(patch.document[field("n")] == .integer(7))
        #expect(patch.mask == mask("n", "l", "deep.t"))
        let pending = PendingServerTimestamp(localWriteTime: now, previousValue: nil)
        #expect(patch.document[field("deep.t")] == .serverTimestamp(pending))
    }

    // MARK: Acknowledged

    @Test func `an acknowledged write is committed at the backend's time`() throws {
        let old = found("c/a", ["a": .integer(1)])
        let set = try acknowledged(mutation(.set(["b": .null])), on: old)
        #expect(set.fields == ["b": .null])
        #expect(set.hasCommittedMutations && set.version == version(50))
        let patch = try acknowledged(mutation(.patch([:], mask("a")), .exists(true)), on: old)
        #expect(patch.fields.isEmpty && patch.hasCommittedMutations)
        let deleted = try acknowledged(mutation(.delete), on: old)
        #expect(deleted.isMissing && deleted.hasCommittedMutations)
        #expect(deleted.version == version(50))
        #expect(try acknowledged(mutation(.verify), on: old) == old)
    }

    @Test func `an acknowledged patch of what we do not hold leaves an unknown document`() throws {
        let patch = mutation(.patch(["a": .null], mask("a")), .exists(true))
        for old in [Document.missing(name, at: version(3)), .invalid(name)] {
            let document = try acknowledged(patch, on: old)
            #expect(document == .unknown(name, at: version(50)))
        }
        let merge = mutation(.patch(["a": .null], mask("a")))
        #expect(try acknowledged(merge, on: .invalid(name)).isFound)
    }

    @Test func `the backend's results fill the transformed fields`() throws {
        let transforms: [(String, FieldTransform.Operation)] = [
            ("n", .increment(.integer(2))), ("l", .arrayUnion([.integer(3)])),
        ]
        let old = found("c/a", ["n": .integer(5), "l": .array([.integer(1)])])
        let document = try acknowledged(
            mutation(.patch([:], .empty), .none, transforms), on: old, [.integer(70), .null])
        #expect(document[field("n")] == .integer(70))
        #expect(document[field("l")] == .array([.integer(1), .integer(3)]))
    }

    @Test func `another number of results than transforms is the backend's fault`() {
        let increment = mutation(.set([:]), .none, [("n", .increment(.integer(2)))])
        for results in [[], [Value.integer(1), .integer(2)]] {
            #expect(throws: HearthError.self) {
                try acknowledged(increment, on: .invalid(name), results)
            }
        }
        #expect(throws: Never.self) {
            try acknowledged(mutation(.delete), on: .invalid(name), [.null])
        }
    }

    // MARK: Base mutations

    @Test func `a base mutation remembers the fields that are incremented`() {
        let old = found("c/a", ["n": .integer(5), "s": .string("x"), "d": .double(1)])
        let base = mutation(
            .patch([:], .empty), .none,
            [
                ("n", .increment(.integer(2))), ("s", .increment(.integer(2))),
                ("a.b", .increment(.integer(2))), ("d", .maximum(.integer(9))),
            ]
        ).baseMutation(for: old)
        let values: MapValue = [
            "n": .integer(5), "s": .integer(0), "a": .map(["b": .integer(0)]),
        ]
        #expect(base == mutation(.patch(values, mask("n", "s", "a.b")), .exists(true)))
        #expect(mutation(.set([:]), .none, [("t", .serverTimestamp)]).baseMutation(for: old) == nil)
        #expect(mutation(.delete).baseMutation(for: old) == nil)
    }
}
