import HearthModel
import HearthProtocol
import Testing

/// What can never be sent, and what just fits.
struct SendingTests {
    private let database = DatabaseID(project: "demo")
    private var codec: FirestoreCodec { FirestoreCodec(database: database) }

    private func refusal(
        _ fields: MapValue, at path: String = "rooms/hall"
    ) throws -> HearthError? {
        let key = try DocumentKey(parsing: path)
        return codec.refusalToSend([Mutation(key: key, kind: .set(fields))])
    }

    private func deep(_ count: Int) -> Value {
        (0..<count).reduce(Value.null) { inner, _ in .map(["m": inner]) }
    }

    @Test func `a map that says it is a pending server timestamp can never be sent`() throws {
        let map: MapValue = [
            "__type__": .string("server_timestamp"),
            "__local_write_time__": .timestamp(Timestamp(microseconds: 1)),
        ]
        #expect(try refusal(["t": .map(map)])?.code == .invalidArgument)
        #expect(try refusal(["a": .array([.map(map)])])?.code == .invalidArgument)
        let pending = PendingServerTimestamp(
            localWriteTime: Timestamp(microseconds: 1), previousValue: nil)
        #expect(try refusal(["t": .serverTimestamp(pending)])?.code == .invalidArgument)
        let vector: MapValue = ["__type__": .string("__vector__"), "value": .array([.double(1)])]
        #expect(try refusal(["v": .map(vector)]) == nil)
    }

    @Test(arguments: [
        "__rooms__/hall", "rooms/__hall__", "rooms/..", "./hall",
        "rooms/" + String(repeating: "x", count: 1_501),
        Array(repeating: "a/b", count: 101).joined(separator: "/"),
        Array(repeating: String(repeating: "a", count: 1_000), count: 8).joined(separator: "/"),
    ])
    func `a document that no backend can hold is refused`(path: String) throws {
        #expect(try refusal(["n": .null], at: path)?.code == .invalidArgument)
    }

    @Test func `the numeric id of an old document can be sent`() throws {
        #expect(try refusal(["n": .null], at: "rooms/__id7__") == nil)
    }

    @Test func `fields that no document can hold are refused`() throws {
        let long = String(repeating: "x", count: 1_501)
        let large = Value.bytes([UInt8](repeating: 0, count: 1_048_488))
        let bad: [MapValue] = [
            ["": .null], ["__x__": .null], ["m": .map(["__x__": .null])],
            MapValue([(long, .null)]), ["b": large], ["m": deep(21)],
            ["a": .array([.array([])])],
            ["v": .map(["__type__": .string("__vector__"), "value": .array([])])],
            ["v": .map(["__type__": .string("__vector__"), "value": .array([.string("1")])])],
            ["v": .vector(Array(repeating: 1, count: 2_049))],
        ]
        for fields in bad { #expect(try refusal(fields)?.code == .invalidArgument, "\(fields)") }
        #expect(try refusal(["m": deep(20)]) == nil)
    }

    @Test func `what only an emulator is known to refuse can be sent`() throws {
        let whole = Value.map(["__type__": .string("__vector__"), "value": .array([.integer(1)])])
        #expect(try refusal(["v": whole]) == nil)
        #expect(try refusal(["v": .vector([.nan])]) == nil)
        #expect(try refusal(["a": .array([.vector([1])])]) == nil)
        let collection = DocumentName(database: database, path: ResourcePath(["c"]))
        #expect(try refusal(["r": .reference(collection)]) == nil)
        let write = Mutation(
            key: try DocumentKey(parsing: "rooms/hall"), kind: .set(.empty),
            transforms: [["a", "b"], ["c"], ["a"]].map {
                FieldTransform(field: FieldPath($0), operation: .increment(.integer(1)))
            })
        #expect(codec.refusalToSend([write]) == nil)
    }

    @Test func `values outside a mask are not looked at`() throws {
        let key = try DocumentKey(parsing: "rooms/hall")
        let fields: MapValue = ["n": .null, "__x__": .null]
        let patch = Mutation(key: key, kind: .patch(fields, FieldMask([FieldPath(["n"])])))
        #expect(codec.refusalToSend([patch]) == nil)
        let bad = Mutation(key: key, kind: .patch(fields, FieldMask([FieldPath(["__x__"])])))
        #expect(codec.refusalToSend([bad])?.code == .invalidArgument)
    }

    @Test func `a document of more than a mebibyte is refused before it is sent`() throws {
        let half = Value.bytes([UInt8](repeating: 0, count: 600_000))
        #expect(try refusal(["a": half, "b": half])?.code == .invalidArgument)
        #expect(try refusal(["a": half]) == nil)
    }

    @Test func `writes of more than ten mebibytes together are refused, as measured on the wire`()
        throws
    {
        func writes(_ count: Int, last byteCount: Int) throws -> [Mutation] {
            try (0..<count).map { index in
                let bytes = [UInt8](repeating: 1, count: index == 0 ? byteCount : 1_000_000)
                return Mutation(
                    key: try DocumentKey(parsing: "r/\(index)"), kind: .set(["b": .bytes(bytes)]))
            }
        }
        let room = FirestoreCodec.commitByteCountMax - 200
        let rest = room - (try codec.sentByteCount(of: writes(11, last: 0)))
        #expect(rest > 0)
        #expect(codec.refusalToSend(try writes(11, last: rest)) == nil)
        let error = codec.refusalToSend(try writes(11, last: rest + 200))
        #expect(error?.code == .invalidArgument)
        #expect(error?.message.contains("10485760") == true)
    }
}
