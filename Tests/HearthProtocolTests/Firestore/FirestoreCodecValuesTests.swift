import HearthModel
import HearthProtocol
import SwiftProtobuf
import Testing

struct FirestoreCodecValuesTests {
    @Test(arguments: 0..<400 as Range<UInt64>)
    func `a random value survives the wire`(seed: UInt64) throws {
        var random = Seeded(seed)
        let value = random.value()
        let bytes = FirestoreCodec.bytes(of: try Samples.wire.encode(value))
        let proto = try FirestoreCodec.read(ProtoValue.self, from: bytes)
        #expect(try Samples.wire.decode(proto) == value)
    }

    @Test(arguments: 0..<400 as Range<UInt64>)
    func `a random value with pending server timestamps survives the store`(seed: UInt64) throws {
        var random = Seeded(seed)
        let value = random.value(pending: true)
        let read = try Samples.local.decode(try Samples.local.encode(value))
        #expect(read == value)
        #expect(previousValues(read) == previousValues(value))
    }

    @Test func `the backend is never sent a pending server timestamp`() {
        let pending = Value.serverTimestamp(
            PendingServerTimestamp(localWriteTime: Timestamp(microseconds: 1), previousValue: nil))
        #expect(throws: CodecError.self) {
            try Samples.wire.encode(MapValue([("a", .array([pending]))]))
        }
    }

    @Test func `a map that looks pending is a plain map when the backend sends it`() throws {
        let map = Value.map([
            "__type__": .string("server_timestamp"),
            "__local_write_time__": .timestamp(Timestamp(microseconds: 1)),
        ])
        #expect(try Samples.wire.decode(try Samples.wire.encode(map)) == map)
    }

    @Test func `keys that differ only in their bytes stay two`() throws {
        let fields: MapValue = ["é": .integer(1), "e\u{301}": .integer(2)]
        let read = try Samples.wire.decode(try Samples.wire.encode(fields))
        #expect(read.count == 2)
        #expect(read == fields)
    }

    @Test func `of two entries with one key the later counts`() throws {
        var entries = try Samples.wire.encode(["a": .integer(1)] as MapValue)
        entries += try Samples.wire.encode(["a": .integer(2)] as MapValue)
        #expect(try Samples.wire.decode(entries) == ["a": .integer(2)])
    }

    @Test func `nesting is held up to the limit and refused beyond it`() throws {
        func nested(_ depth: Int) -> Value {
            (0..<depth).reduce(.null) { inner, level in
                level.isMultiple(of: 2) ? .map(["m": inner]) : .array([inner])
            }
        }
        let deepest = nested(FirestoreCodec.nestingMax)
        let bytes = FirestoreCodec.bytes(of: try Samples.wire.encode(deepest))
        let proto = try FirestoreCodec.read(ProtoValue.self, from: bytes)
        #expect(try Samples.wire.decode(proto) == deepest)
        #expect(throws: CodecError.self) {
            try Samples.wire.encode(nested(FirestoreCodec.nestingMax + 1))
        }
    }

    @Test func `the deepest maps can be read inside a frame`() throws {
        let deepest = (0..<FirestoreCodec.nestingMax).reduce(Value.null) { inner, _ in
            .map(["m": inner])
        }
        let document = Document.found(
            try Samples.key("c/d"), at: Samples.version(1), ["f": deepest])
        var frame = ProtoListenResponse()
        frame.documentChange.document = try Samples.wire.encode(document)
        let bytes = FirestoreCodec.bytes(of: frame)
        let read = try FirestoreCodec.read(ProtoListenResponse.self, from: bytes)
        #expect(try Samples.wire.decode(read.documentChange.document) == document)
    }

    @Test func `a value without a type is refused, and the error says where`() throws {
        var entries = try Samples.wire.encode(["a": .array([.null, .null])] as MapValue)
        entries[0].value.arrayValue.values[1] = ProtoValue()
        #expect(throws: CodecError(.missing, at: "a", "1", "value_type")) {
            try Samples.wire.decode(entries)
        }
    }

    @Test func `times and places out of range are refused`() {
        var time = ProtoValue()
        time.timestampValue.nanos = -1
        #expect(throws: CodecError.self) { try Samples.wire.decode(time) }
        time.timestampValue.nanos = 0
        time.timestampValue.seconds = 253_402_300_800
        #expect(throws: CodecError.self) { try Samples.wire.decode(time) }
        var place = ProtoValue()
        place.geoPointValue.latitude = 90.5
        #expect(throws: CodecError.self) { try Samples.wire.decode(place) }
    }

    private func previousValues(_ value: Value) -> [Value?] {
        switch value {
        case .serverTimestamp(let pending): [pending.previousValue]
        case .array(let elements): elements.flatMap(previousValues)
        case .map(let map): map.entries.flatMap { previousValues($0.value) }
        default: []
        }
    }
}
