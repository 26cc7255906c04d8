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

    @Test(arguments: [1, 7, 8, 9, 300])
    func `many writes are shown and acknowledged as few are, each in its own document`(
        count: Int
    ) throws {
        let names = (0..<5).map { "c/\($0)" }
        let writes = (0..<count).map { number in
            let name = names[number * number % 5]
            return number % 3 == 0 ? set(name, Int64(number)) : increment(name)
        }
        let bases = writes.filter { !$0.transforms.isEmpty }.compactMap {
            $0.baseMutation(for: found("\($0.key)", ["n": .integer(40)]))
        }
        let many = batch(writes, base: bases)
        let answeredCount = count - count / 4
        let results = writes[..<answeredCount].enumerated().map { place, write in
            Mutation.Result(
                version: version(30),
                transformResults: write.transforms.isEmpty ? [] : [.integer(Int64(place))])
        }
        for name in names + ["c/x"] {
            var (document, expected) = (
                found(name, ["n": .integer(40)]), found(name, ["n": .integer(40)])
            )
            let mask = many.apply(to: &document, mask: .empty)
            var expectedMask: FieldMask? = .empty
            for write in (bases + writes) where write.key == key(name) {
                expectedMask = write.apply(to: &expected, mask: expectedMask, writtenAt: now)
            }
            #expect(document == expected && mask == expectedMask)

            let place = writes[..<answeredCount].lastIndex { $0.key == key(name) }
            #expect(many.lastPlace(of: key(name), before: answeredCount) == place)
            var (acknowledged, told) = (found(name, [:]), found(name, [:]))
            try many.applyAcknowledged(to: &acknowledged, results)
            for (write, result) in zip(writes, results) where write.key == key(name) {
                try write.applyAcknowledged(to: &told, result)
            }
            #expect(acknowledged == told)
        }
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
