import HearthTestSupport
import Testing

@testable import HearthModel

struct PackedFieldsTests {
    private static func fields(_ random: inout SeededGenerator) -> MapValue {
        let names = ["a", "b", "ab", "e\u{301}", "\u{E9}", "_", "12345678", "x y"]
        return MapValue(
            (0..<Int.random(in: 1...6, using: &random)).map { _ in
                (random.pick(names), random.value(depth: 3))
            })
    }

    @Test func `packed fields are the fields that they were`() throws {
        var random = SeededGenerator(seed: 11)
        var packedCount = 0
        for _ in 0..<2_000 {
            let fields = Self.fields(&random)
            let packed = fields.packed
            guard packed.packedFields != nil else { continue }
            packedCount += 1
            #expect(packed == fields && fields == packed && packed == packed.packed)
            #expect(hash(packed) == hash(fields))
            #expect(packed.count == fields.count && !packed.isEmpty)
            #expect(packed.storedByteCount == fields.storedByteCount)
            #expect(packed.vectorElements == nil && fields.vectorElements == nil)
            #expect(notation(of: .map(packed)) == notation(of: .map(fields)))
            for entry in fields.entries { #expect(packed[entry.key] == entry.value) }
            #expect(packed["none"] == nil && packed[""] == nil)
        }
        #expect(packedCount > 200)
    }

    @Test func `packed fields are equal if the fields are`() {
        var random = SeededGenerator(seed: 12)
        var equalCount = 0
        for _ in 0..<20_000 {
            let (left, right): (MapValue, MapValue) = (
                ["a": random.value(depth: 0)], ["a": random.value(depth: 0)]
            )
            #expect((left.packed == right.packed) == (left == right))
            if left == right, left.packed.packedFields != nil { equalCount += 1 }
        }
        #expect(equalCount > 200)
        let other = Double(bitPattern: Double.nan.bitPattern | 1)
        #expect(MapValue([("a", .double(other))]).packed == MapValue([("a", .double(.nan))]).packed)
    }

    @Test func `changed fields leave the packed ones as they were`() {
        let fields: MapValue = ["a": .map(["b": .integer(1)]), "c": .string("x")]
        let packed = fields.packed
        var changed = packed
        changed.set(field("a.b"), to: .integer(2))
        changed["c"] = nil
        changed["d"] = .null
        #expect(changed == ["a": .map(["b": .integer(2)]), "d": .null])
        changed.remove(field("a.b"))
        #expect(changed == ["a": .map([:]), "d": .null])
        #expect(packed == fields && packed.packedFields != nil)
        #expect(packed[field("a.b")] == .integer(1))
        #expect(packed.leafPaths == fields.leafPaths)
    }

    @Test func `only copies share their storage`() {
        let packed = MapValue([("a", .null)]).packed
        let copy = packed
        #expect(packed.sharesStorage(with: copy))
        #expect(!packed.sharesStorage(with: MapValue([("a", .null)]).packed))
        #expect(!packed.sharesStorage(with: ["a": .null]))
    }

    @Test func `what breaks a rule, or may, is not packed`() {
        func nested(_ depth: Int) -> Value {
            (1..<depth).reduce(.map(["x": .integer(1)])) { inner, _ in .map(["m": inner]) }
        }
        let pending = PendingServerTimestamp(
            localWriteTime: Timestamp(microseconds: 0), previousValue: nil)
        let long = String(repeating: "n", count: 1_501)
        let wrong: [MapValue] = [
            [:], ["": .null], ["__a": .null], ["a": .map(["__a__": .null])], [long: .null],
            ["a": .vector([1])], ["a": .array([.array([])])], ["a": .serverTimestamp(pending)],
            ["a": nested(21)], ["a": .geoPoint(GeoPoint(latitude: 91, longitude: 0))],
            ["a": .geoPoint(GeoPoint(latitude: .nan, longitude: 0))],
            ["a": .timestamp(Timestamp(seconds: 0, nanoseconds: 1))],
            ["a": .timestamp(Timestamp(seconds: .max, nanoseconds: 0))],
            ["a": .string(String(repeating: "x", count: 4_096))], ["a": reference("c")],
            ["a": reference("c/__a__")],
        ]
        for fields in wrong { #expect(fields.packed.packedFields == nil, "\(fields)") }
        #expect(MapValue([("a", nested(20))]).packed.packedFields != nil)
        #expect(MapValue([("a", .string(long))]).packed.packedFields != nil)
    }

    @Test func `fields from outside may come in any order, and each once`() {
        /// Fields of null: tag | length | 0x0A | length | name | 0x12 | 2 | 0x58 | 0.
        func nulls(_ names: [String], _ tag: UInt8 = 0x12) -> [UInt8] {
            names.flatMap { name in
                [tag, UInt8(6 + name.utf8.count), 0x0A, UInt8(name.utf8.count)] + name.utf8
                    + [0x12, 2, 0x58, 0]
            }
        }
        func read(_ bytes: [UInt8]) -> MapValue? {
            bytes.withUnsafeBytes { PackedFields(wire: $0) }.map { MapValue($0) }
        }
        let sorted: MapValue = ["a": .null, "aa": .null, "b": .null, "c": .null]
        #expect(read(nulls(["b", "aa", "c", "a"]))?.entries == sorted.entries)
        #expect(read(nulls(["b", "aa", "c", "a"])) == sorted.packed)
        #expect(read(nulls(["b", "aa", "b"])) == nil)

        func outer(_ inner: [UInt8]) -> [UInt8] {
            let count = UInt8(inner.count)
            return [0x12, 7 + count, 0x0A, 1, 0x6D, 0x12, 2 + count, 0x32, count] + inner
        }
        #expect(
            read(outer(nulls(["b", "a"], 0x0A)))
                == MapValue([
                    ("m", .map(["a": .null, "b": .null]))
                ]).packed)
        #expect(read(outer(nulls(["b", "a", "b"], 0x0A))) == nil)
    }

    /// Bytes from outside are read without harm, and packed only if they are our own spelling.
    @Test func `bytes with another spelling are not taken`() throws {
        let fields: MapValue = [
            "a": .integer(300), "b": .array([.string("é"), .map(["c": .boolean(true)])]),
            "d": .timestamp(Timestamp(seconds: -1, nanoseconds: 1_000)), "e": .double(.nan),
            "f": reference("c/a"), "g": .geoPoint(GeoPoint(latitude: 1, longitude: -0.0)),
            "h": .bytes([0, 255]), "i": .null,
        ]
        let whole = try #require(fields.packed.packedFields).withWireBytes { [UInt8]($0) }
        var random = SeededGenerator(seed: 0xF1E1D)
        var taken = 0
        for _ in 0..<10_000 {
            let bytes = random.damaged(whole)
            guard let packed = bytes.withUnsafeBytes({ PackedFields(wire: $0) }) else { continue }
            taken += 1
            let again = try #require(PackedFields(packed.entries))
            #expect(again.withWireBytes { [UInt8]($0) } == packed.withWireBytes { [UInt8]($0) })
            #expect(again.storedByteCount == packed.storedByteCount)
        }
        #expect(taken > 100)
    }
}
