import HearthModel
import Testing

@testable import HearthBackend

/// How much of anything the backend takes.
struct LimitTests {
    private func refusal(_ writes: [Mutation]) -> String? {
        var spec = BackendSpec()
        do {
            _ = try spec.tryCommit(writes)
            return nil
        } catch let error as HearthError {
            return error.code == .invalidArgument ? error.message : "\(error)"
        } catch {
            return "\(error)"
        }
    }

    private func nested(_ depth: Int) -> Value {
        (1..<depth).reduce(.map(["x": .integer(1)])) { inner, _ in .map(["m": inner]) }
    }

    @Test func `maps lie in each other twenty deep and no deeper`() {
        #expect(refusal([.set("c/a", ["m": nested(20)])]) == nil)
        #expect(
            refusal([.set("c/a", ["m": nested(21)])])
                == "Property m contains an invalid nested entity.")
    }

    @Test func `a vector holds numbers, at least one, and lies in no array`() {
        #expect(refusal([.set("c/a", ["v": .vector([1, .infinity])])]) == nil)
        #expect(
            refusal([.set("c/a", ["v": .vector([])])]) == "Cannot have a zero length vector.")
        #expect(
            refusal([.set("c/a", ["v": .vector([1, .nan])])])
                == "Vector cannot contain NaN values.")
        #expect(
            refusal([.set("c/a", ["v": .array([.vector([1])])])])
                == "Cannot convert a vector value in an array value.")
    }

    /// A daemon sends these to Firestore, which may take them.
    @Test func `what only an emulator is known to refuse is refused by the emulator alone`() throws
    {
        let whole = Value.map(["__type__": .string("__vector__"), "value": .array([.integer(1)])])
        let collection = DocumentName(database: BackendSpec.database, path: ResourcePath(["c"]))
        let fields: [MapValue] = [
            ["v": whole], ["v": .vector([.nan])], ["v": .array([.vector([1])])],
            ["v": .reference(collection)],
        ]
        let nested = [["a", "b"], ["a"]].map {
            FieldTransform(field: FieldPath($0), operation: .increment(.integer(1)))
        }
        let writes =
            fields.map { Mutation.set("c/a", $0) } + [.set("c/a", [:], .none, nested[0], nested[1])]
        for write in writes {
            #expect(refusal([write]) != nil)
            try WriteRules.check(write, in: BackendSpec.database, by: .firestore)
        }
        let text = Value.map(["__type__": .string("__vector__"), "value": .array([.string("1")])])
        let bad: [MapValue] = [
            ["v": text], ["v": .vector([])], ["v": .vector(Array(repeating: 1, count: 2_049))],
            ["v": .array([.array([])])],
        ]
        for fields in bad {
            #expect(throws: HearthError.self) {
                try WriteRules.check(
                    .set("c/a", fields), in: BackendSpec.database, by: .firestore)
            }
        }
    }

    @Test func `a value ends at 1,048,487 bytes`() {
        func text(_ count: Int) -> Value { .string(String(repeating: "x", count: count)) }
        #expect(refusal([.set("c/a", ["f": text(1_048_487)])]) == nil)
        #expect(
            refusal([.set("c/a", ["f": text(1_048_488)])])
                == "The value of property \"f\" is longer than 1048487 bytes.")
        let message = refusal([.set("c/a", ["f": text(600_000), "g": text(600_000)])])
        #expect(message?.contains("exceeds the maximum allowed size of 1048576 bytes") ?? false)
    }

    @Test func `a commit ends at ten megabytes, a document alone does not`() {
        let text = Value.string(String(repeating: "x", count: 1_000_000))
        let writes = (0..<10).map { Mutation.set("c/\($0)", ["f": text]) }
        #expect(refusal(writes) == nil)
        #expect(
            refusal(writes + [.set("c/10", ["f": text])])
                == "Transaction too big. Decrease transaction size.")
    }

    @Test func `thousands of small writes are one commit`() {
        #expect(refusal((0..<3_000).map { Mutation.set("c/\($0)", ["n": .integer(1)]) }) == nil)
    }

    @Test func `a document has forty thousand index entries at most`() {
        func array(_ count: Int) -> MapValue {
            ["f": .array(Array(repeating: .boolean(true), count: count))]
        }
        #expect(refusal([.set("c/a", array(39_998))]) == nil)
        #expect(
            refusal([.set("c/a", array(39_999))]) == "too many index entries for entity /c/a")
    }

    private func name(_ count: Int) -> String { String(repeating: "n", count: count) }

    @Test func `the index entries of a document take eight megabytes at most`() {
        // By the document's name 2 + 1,401 + 16 bytes, by its parent's 16, by the field 6, by the
        // value 1, and 32 more: 1,474, in both directions.
        func fields(_ count: Int) -> MapValue {
            MapValue((0..<count).map { ("f\(1_000 + $0)", .boolean(true)) })
        }
        let path = "c/\(name(1_400))"
        #expect(8_388_608 / (2 * 1_474) == 2_845)
        #expect(refusal([.set(path, fields(2_845))]) == nil)
        #expect(
            refusal([.set(path, fields(2_846))])
                == "too many index value bytes for index entries for entity /\(path)")
        // Elements of an array have one each, and the fields of a map theirs.
        let inside: MapValue = ["m": .map(fields(2_845))]
        #expect(
            refusal([.set(path, inside)])
                == "too many index value bytes for index entries for entity /\(path)")
        let elements = MapValue([("a", .array(Array(repeating: .null, count: 5_690)))])
        #expect(refusal([.set(path, elements)]) == nil)
        #expect(refusal([.set("c/a", fields(9_000))]) == nil)
    }

    @Test func `an index entry takes 7,680 bytes at most, of a value the first 1,500`() {
        func text(_ count: Int) -> MapValue { ["f": .string(String(repeating: "x", count: count))] }
        // By the names 4,425 and 3,022 bytes, by the field 2, and 32 more: 199 are left.
        let deep = "c/\(name(1_500))/c/\(name(1_500))/c/\(name(1_400))"
        #expect(refusal([.set(deep, text(198))]) == nil)
        #expect(
            refusal([.set(deep, text(199))]) == "Index entry on f is larger than 7680 bytes.")
        #expect(
            refusal([.set(deep, ["m": .map(text(197))])])
                == "Index entry on m is larger than 7680 bytes.")
        #expect(
            refusal([.set(deep, ["a": .array([.string(name(100)), .null])])]) == nil)
        let shallow = "c/\(name(1_500))/c/\(name(1_000))"
        #expect(refusal([.set(shallow, text(500_000))]) == nil)
    }

    @Test func `names of fields and documents have their lengths`() {
        #expect(refusal([.set("c/a", MapValue([(name(1_500), .null)]))]) == nil)
        #expect(refusal([.set("c/a", MapValue([(name(1_501), .null)]))]) != nil)
        #expect(refusal([.set("c/\(name(1_500))", [:])]) == nil)
        #expect(refusal([.set("c/\(name(1_501))", [:])]) != nil)
        let deep = (0..<5).map { _ in "\(name(1_300))" }.joined(separator: "/") + "/d"
        #expect(refusal([.set(deep, [:])]) == "The key path is longer than 6144 bytes.")
        let path = FieldPath([name(800), name(800)])
        let write = Mutation(
            key: key("c/a"), kind: .patch(.empty, FieldMask([path])))
        #expect(refusal([write]) == "The property path is longer than 1500 bytes.")
    }

    @Test func `a write has five hundred transforms at most`() {
        func write(_ count: Int) -> Mutation {
            Mutation(
                key: key("c/a"), kind: .patch(.empty, .empty),
                transforms: (0..<count).map {
                    FieldTransform(field: FieldPath(["f\($0)"]), operation: .serverTimestamp)
                })
        }
        #expect(refusal([write(500)]) == nil)
        #expect(refusal([write(501)]) != nil)
    }
}
