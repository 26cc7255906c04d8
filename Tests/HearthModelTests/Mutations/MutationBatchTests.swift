import HearthModel
import Testing

struct MutationBatchTests {
    private let now = Timestamp(seconds: 9, nanoseconds: 0)

    private func increment(_ name: String) -> Mutation {
        Mutation(
            key: key(name), kind: .patch([:], .empty),
            transforms: [FieldTransform(field: field("n"), operation: .increment(.integer(1)))])
    }

    private func set(_ name: String, _ number: Int64) -> Mutation {
        Mutation(key: key(name), kind: .set(["n": .integer(number)]))
    }

    private func batch(_ mutations: [Mutation], base: [Mutation] = []) -> MutationBatch {
        MutationBatch(id: BatchID(1), writtenAt: now, baseMutations: base, mutations: mutations)
    }

    @Test func `a batch names each document once, in the user's order`() {
        let batch = batch([set("c/b", 1), set("c/a", 1), increment("c/b")])
        #expect(batch.keys == [key("c/b"), key("c/a")])
    }

    @Test func `a batch is shown write by write, each in its own document`() {
        let batch = batch([set("c/a", 5), set("c/b", 9), increment("c/a"), increment("c/a")])
        var document = Document.invalid(key("c/a"))
        #expect(batch.apply(to: &document, mask: .empty) == nil)
        #expect(document.fields == ["n": .integer(7)])
        var other = found("c/x", ["n": .integer(0)])
        #expect(batch.apply(to: &other, mask: mask("q")) == mask("q"))
        #expect(other == found("c/x", ["n": .integer(0)]))
    }

    @Test func `an increment computed again starts from its base`() throws {
        let remote = found("c/a", ["n": .integer(5)])
        let base = try #require(increment("c/a").baseMutation(for: remote))
        let batch = batch([increment("c/a")], base: [base])
        // The backend has applied the increment already; computing again must not count it twice.
        var document = found("c/a", ["n": .integer(6), "x": .null])
        let mask = batch.apply(to: &document, mask: .empty)
        #expect(document.fields == ["n": .integer(6), "x": .null])
        #expect(mask == FieldMask([field("n")]))
    }

    @Test func `an acknowledgement goes to each write by its place`() throws {
        let batch = batch([set("c/b", 1), increment("c/a"), increment("c/b")])
        let results = [
            Mutation.Result(version: version(30)),
            .init(version: version(30), transformResults: [.integer(100)]),
            .init(version: version(30), transformResults: [.integer(200)]),
        ]
        var a = found("c/a", ["n": .integer(0)])
        try batch.applyAcknowledged(to: &a, results)
        #expect(a.fields == ["n": .integer(100)])
        var b = Document.invalid(key("c/b"))
        try batch.applyAcknowledged(to: &b, results)
        #expect(b.fields == ["n": .integer(200)])
        #expect(b.version == version(30) && b.hasCommittedMutations)
    }
}
