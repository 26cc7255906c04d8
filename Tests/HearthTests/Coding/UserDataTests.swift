import HearthModel
import HearthWire
import Testing

@testable import Hearth

struct UserDataTests {
    private let firestore = Firestore(settings: FirestoreSettings(socketPath: "/nowhere"))

    private func key() throws -> DocumentKey { try DocumentKey(parsing: "rooms/hall") }

    private func path(_ text: String) throws -> HearthModel.FieldPath {
        try HearthModel.FieldPath(dotted: text)
    }

    @Test func `every type of a programmer's value becomes one of Firestore's`() throws {
        let none: Int? = nil
        let some: Int? = 4
        let data: [String: Any] = [
            "int": 1, "int8": Int8(-2), "uint": UInt32(3), "optional": some as Any,
            "nil": none as Any, "null": FirestoreNull(), "double": 1.5, "float": Float(0.5),
            "bool": true, "text": "x", "bytes": [UInt8(1), 2],
            "time": Hearth.Timestamp(seconds: 1, nanoseconds: 1_999),
            "point": Hearth.GeoPoint(latitude: 1, longitude: 2),
            "vector": FieldValue.vector([1, 2]), "list": [1, "x", ["k": 2.5]] as [Any],
            "map": ["a": ["b": 1]], "reference": firestore.document("x/y"),
        ]
        let expected: MapValue = [
            "int": .integer(1), "int8": .integer(-2), "uint": .integer(3), "optional": .integer(4),
            "nil": .null, "null": .null, "double": .double(1.5), "float": .double(0.5),
            "bool": .boolean(true), "text": .string("x"), "bytes": .bytes([1, 2]),
            "time": .timestamp(Timestamp(seconds: 1, nanoseconds: 1_000)),
            "point": .geoPoint(HearthModel.GeoPoint(latitude: 1, longitude: 2)),
            "vector": .vector([1, 2]),
            "list": .array([.integer(1), .string("x"), .map(["k": .double(2.5)])]),
            "map": .map(["a": .map(["b": .integer(1)])]),
            "reference": .reference(
                DocumentName(database: .ofSession, path: ResourcePath(["x", "y"]))),
        ]
        #expect(try UserData.set(data, at: key()).kind == .set(expected))
    }

    @Test func `an empty array is an array, whatever it could hold`() throws {
        let data: [String: Any] = [
            "any": [Any](), "texts": [String](), "numbers": [Int](), "bytes": [UInt8](),
            "nested": [["list": [Double]()]], "optional": [Int]() as [Int]? as Any,
        ]
        let expected: MapValue = [
            "any": .array([]), "texts": .array([]), "numbers": .array([]), "bytes": .bytes([]),
            "nested": .array([.map(["list": .array([])])]), "optional": .array([]),
        ]
        #expect(try UserData.set(data, at: key()).kind == .set(expected))
    }

    @Test func `orders in a set become transforms, and leave no field behind`() throws {
        let mutation = try UserData.set(
            ["at": FieldValue.serverTimestamp(), "n": ["c": FieldValue.increment(Int64(2))]],
            at: key())
        #expect(mutation.kind == .set(["n": .map(.empty)]))
        #expect(Set(mutation.transforms.map(\.field)) == [try path("at"), try path("n.c")])
        #expect(mutation.precondition == .none)
    }

    @Test func `a merge changes the leaves of the data`() throws {
        let mutation = try UserData.merge(
            [
                "a": ["b": 1, "c": FieldValue.delete()] as [String: Any], "d": [String: Any](),
                "e": [["f": 1]], "t": FieldValue.serverTimestamp(),
            ], at: key())
        guard case .patch(let values, let mask) = mutation.kind else {
            Issue.record("A merge is a patch")
            return
        }
        #expect(
            mask == FieldMask([try path("a.b"), try path("a.c"), try path("d"), try path("e")]))
        #expect(values[try path("a.b")] == .integer(1))
        #expect(values[try path("a.c")] == nil)
        #expect(mutation.transforms.map(\.field) == [try path("t")])
        #expect(mutation.precondition == .none)
    }

    @Test func `a merge of named fields leaves the others out`() throws {
        let data: [String: Any] = ["a": 1, "b": ["c": 2], "t": FieldValue.serverTimestamp()]
        let mutation = try UserData.merge(data, mergeFields: [try path("b.c")], at: key())
        guard case .patch(_, let mask) = mutation.kind else {
            Issue.record("A merge is a patch")
            return
        }
        #expect(mask == FieldMask([try path("b.c")]))
        #expect(mutation.transforms.isEmpty)
        #expect(throws: FirestoreError.self) {
            try UserData.merge(data, mergeFields: [try path("z")], at: key())
        }
    }

    @Test func `an update replaces each field that it names`() throws {
        let mutation = try UserData.update(
            [
                "a.b": ["c": 1], "gone": FieldValue.delete(),
                "n": FieldValue.increment(1.5),
                Hearth.FieldPath(["x.y"]): 2,
            ], at: key())
        guard case .patch(let values, let mask) = mutation.kind else {
            Issue.record("An update is a patch")
            return
        }
        let odd = HearthModel.FieldPath(["x.y"])
        #expect(mask == FieldMask([try path("a.b"), try path("gone"), odd]))
        #expect(values[try path("a.b")] == .map(["c": .integer(1)]))
        #expect(values[odd] == .integer(2))
        #expect(mutation.transforms.map(\.operation) == [.increment(.double(1.5))])
        #expect(mutation.precondition == .exists(true))
    }

    @Test func `what Firestore cannot hold is refused with its place`() throws {
        struct Strange {}
        let refused: [[String: Any]] = [
            ["a": Strange()], ["a": UInt64.max], ["a": [[1]]], ["": 1], ["__x__": 1],
            ["a": FieldValue.delete()], ["a": [FieldValue.serverTimestamp()]],
            ["a": FieldValue.arrayUnion([FieldValue.delete()])],
            ["a": FieldValue.arrayUnion([Strange()])],
            ["a": FieldValue.arrayUnion([[1]])], ["a": FieldValue.arrayRemove([1, [2]])],
        ]
        for data in refused {
            #expect(throws: FirestoreError.self, "\(data)") { try UserData.set(data, at: key()) }
        }
        #expect {
            try UserData.set(["a": ["b": Strange()]], at: key())
        } throws: { error in
            (error as? FirestoreError)?.message.contains("a.b") ?? false
        }
    }

    @Test func `orders are equal if they say the same`() {
        #expect(FieldValue.serverTimestamp() == .serverTimestamp())
        #expect(FieldValue.arrayUnion([1, "a"]) == .arrayUnion([1, "a"]))
        let numbers: [FieldValue] = [
            .increment(Int64(1)), .increment(1.0), .maximum(Int64(1)), .minimum(Int64(1)),
            .increment(Int64(1)),
        ]
        #expect(Set(numbers).count == 4)
    }

    @Test func `an update refuses fields inside each other and nested deletes`() throws {
        let refused: [[AnyHashable: Any]] = [
            ["a": 1, "a.b": 2], ["a": ["b": FieldValue.delete()]], [1: 2], ["a..b": 1],
        ]
        for fields in refused {
            #expect(throws: FirestoreError.self) { try UserData.update(fields, at: key()) }
        }
    }

    @Test func `maps and arrays lie twenty deep in a field, and no deeper`() throws {
        func nested(_ depth: Int) -> Any {
            (0..<depth).reduce(1 as Any) { inner, level in
                level.isMultiple(of: 2) ? ["x": inner] as Any : [inner] as Any
            }
        }
        _ = try UserData.set(["x": nested(20)], at: key())
        _ = try UserData.update(["x": nested(20)], at: key())
        #expect(throws: FirestoreError.self) { try UserData.set(["x": nested(21)], at: key()) }
        #expect(throws: FirestoreError.self) { try UserData.update(["x": nested(21)], at: key()) }
    }

    @Test(arguments: [22, 100_000])
    func `the names of an updated path are maps too, whatever is done there`(count: Int) throws {
        let path = Hearth.FieldPath([String](repeating: "x", count: count))
        let fits = Hearth.FieldPath([String](repeating: "x", count: 21))
        let values: [Any] = [
            1, FieldValue.delete(), FieldValue.serverTimestamp(), FieldValue.increment(Int64(1)),
        ]
        for value in values {
            _ = try UserData.update([fits: value], at: key())
            #expect(throws: FirestoreError.self) { try UserData.update([path: value], at: key()) }
        }
    }

    @Test func `what is read is what was written`() throws {
        let values: MapValue = [
            "n": .null, "i": .integer(1), "d": .double(1.5), "s": .string("x"),
            "b": .bytes([1]), "t": .timestamp(Timestamp(seconds: 1, nanoseconds: 0)),
            "p": .geoPoint(HearthModel.GeoPoint(latitude: 1, longitude: 2)),
            "l": .array([.integer(1)]), "m": .map(["k": .boolean(true)]), "v": .vector([1]),
            "r": .reference(DocumentName(database: .ofSession, path: ResourcePath(["a", "b"]))),
        ]
        let read = ValueDecoder(firestore: firestore, behavior: .none).decode(values)
        #expect(try UserData.set(read, at: key()).kind == .set(values))
    }

    @Test func `a pending server timestamp shows what the reader chose`() {
        let pending = Value.serverTimestamp(
            PendingServerTimestamp(
                localWriteTime: Timestamp(seconds: 5, nanoseconds: 0), previousValue: .integer(3)))
        func shown(_ behavior: ServerTimestampBehavior) -> any Sendable {
            ValueDecoder(firestore: firestore, behavior: behavior).decode(pending)
        }
        #expect(shown(.none) as? FirestoreNull == FirestoreNull())
        #expect(
            shown(.estimate) as? Hearth.Timestamp == Hearth.Timestamp(seconds: 5, nanoseconds: 0))
        #expect(shown(.previous) as? Int == 3)
    }
}
