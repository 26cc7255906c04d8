import HearthModel
import Testing

@testable import HearthProtocol

struct FieldProbeTests {
    private let codec = FirestoreCodec(database: DatabaseID(project: "p"), mode: .wire)

    private func bytes(_ fields: MapValue) throws -> [UInt8] {
        let key = try DocumentKey(parsing: "c/d")
        let version = SnapshotVersion(Timestamp(seconds: 7, nanoseconds: 1))
        return try codec.documentBytes(
            .found(key, at: version, fields, createdAt: version), includesName: false)
    }

    private func mayMatch(_ fields: MapValue, _ field: String, _ values: Value...) throws -> Bool? {
        let probe = FieldProbe(FieldPath([field]), in: values, isStrict: false, codec)
        return try bytes(fields).withUnsafeBytes { bytes in probe.map { $0.mayMatch(bytes) } }
    }

    @Test func `a field that holds the value may match, any other not`() throws {
        let long = String(repeating: "x", count: 300)
        let fields: MapValue = [
            "a": .string("one"), "aa": .string(long), "b": .null, "c": .boolean(false),
            "d": .timestamp(Timestamp(seconds: 1, nanoseconds: 2)), "e": .bytes([0, 255]),
            "z": .string(""),
        ]
        for entry in fields.entries {
            #expect(try mayMatch(fields, entry.key, entry.value) == true)
            #expect(try mayMatch(fields, entry.key, .string("other")) == false)
            #expect(try mayMatch(fields, entry.key, .string("other"), entry.value) == true)
            #expect(try mayMatch(fields, "missing", entry.value) == false)
        }
        #expect(try mayMatch([:], "a", .string("one")) == false)
    }

    @Test func `what equal values may spell otherwise is not probed`() throws {
        #expect(try mayMatch(["a": .integer(1)], "a", .double(1)) == nil)
        #expect(try mayMatch(["a": .map([:])], "a", .map([:])) == nil)
        let nested = FieldProbe(
            FieldPath(["a", "b"]), in: [.string("x")], isStrict: false, codec)
        #expect(nested == nil)
    }

    @Test func `bytes that cannot be understood are left to the reader`() {
        let probe = FieldProbe(FieldPath(["a"]), in: [.null], isStrict: false, codec)
        for bytes: [UInt8] in [[0x12], [0x12, 0x7F, 0x0A], [0x12, 2, 0x0A, 9], [0x0A, 1, 1]] {
            #expect(bytes.withUnsafeBytes { probe?.mayMatch($0) } == true)
        }
    }
}
