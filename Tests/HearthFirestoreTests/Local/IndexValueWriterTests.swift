import HearthFirestore
import HearthModel
import HearthTesting
import Testing

struct IndexValueWriterTests {
    private static let database = DatabaseID(project: "p")

    private func sign(_ number: Int) -> Int { number.signum() }

    @Test(arguments: 0..<8)
    func `bytes are ordered as values are, both ways`(seed: Int) {
        var chance = ValueChance(seed: UInt64(seed), database: Self.database)
        let values = (0..<150).map { _ in chance.value() }
        for left in values {
            let ascending = IndexValueWriter.bytes(of: left, .ascending)
            let descending = IndexValueWriter.bytes(of: left, .descending)
            for right in values {
                let order = sign(left.compare(to: right))
                let up = compareBytes(ascending, IndexValueWriter.bytes(of: right, .ascending))
                let down = compareBytes(descending, IndexValueWriter.bytes(of: right, .descending))
                #expect(sign(up) == order, "seed \(seed): \(left) and \(right)")
                #expect(sign(down) == -order, "seed \(seed): \(left) and \(right), descending")
            }
        }
    }

    @Test(arguments: 0..<4)
    func `of two fields the second counts only where the first is the same`(seed: Int) {
        var chance = ValueChance(seed: UInt64(100 + seed), database: Self.database)
        let kinds: [FieldIndex.Kind] = [.ascending, .descending]
        for _ in 0..<10_000 {
            let left = [chance.value(), chance.value()]
            let right = [chance.once(in: 3) ? left[0] : chance.value(), chance.value()]
            let pair = [chance.one(of: kinds), chance.one(of: kinds)]
            var order = 0
            for index in 0..<2 where order == 0 {
                order = sign(left[index].compare(to: right[index]))
                if pair[index] == .descending { order = -order }
            }
            func bytes(_ values: [Value]) -> [UInt8] {
                var writer = IndexValueWriter()
                for (value, kind) in zip(values, pair) { writer.append(value, kind) }
                return writer.bytes
            }
            #expect(
                sign(compareBytes(bytes(left), bytes(right))) == order,
                "seed \(seed): \(left) and \(right) as \(pair)")
        }
    }

    @Test func `integers and doubles are one line, exactly`() {
        let limit: Int64 = 1 << 53
        let values: [Value] = [
            .double(.nan), .double(-.infinity), .double((-0x1p63).nextDown), .integer(.min),
            .integer(.min + 1), .integer(-limit - 1), .double(-0x1p53), .integer(-1), .double(-0.5),
            .integer(0), .double(0.5), .integer(limit - 1), .double(0x1p53), .integer(limit + 1),
            .double(0x1p53 + 2), .integer(.max - 1), .integer(.max), .double(0x1p63),
            .double(.infinity),
        ]
        let bytes = values.map { IndexValueWriter.bytes(of: $0, .ascending) }
        for (left, right) in zip(bytes, bytes.dropFirst()) {
            #expect(compareBytes(left, right) < 0)
        }
        func same(_ left: Value, _ right: Value) -> Bool {
            IndexValueWriter.bytes(of: left, .ascending)
                == IndexValueWriter.bytes(of: right, .ascending)
        }
        #expect(same(.integer(1), .double(1)))
        #expect(same(.integer(0), .double(-0.0)))
        #expect(same(.integer(limit), .double(0x1p53)))
        #expect(same(.integer(.min), .double(-0x1p63)))
    }

    @Test func `a pending server timestamp lies behind every time and before every text`() {
        let pending = Value.serverTimestamp(
            PendingServerTimestamp(
                localWriteTime: Timestamp(seconds: -9, nanoseconds: 0), previousValue: nil))
        let bytes = [
            .timestamp(Timestamp(seconds: 253_402_300_799, nanoseconds: 0)), pending, .string(""),
        ].map { IndexValueWriter.bytes(of: $0, .ascending) }
        #expect(compareBytes(bytes[0], bytes[1]) < 0)
        #expect(compareBytes(bytes[1], bytes[2]) < 0)
    }

    @Test func `an array has an entry for each different element, a missing field none`() throws {
        let index = try #require(
            FieldIndex("c", [.init(FieldPath(["a"]), .contains), .init(FieldPath(["b"]))]))
        let list = Value.array([.integer(1), .double(1), .string("x"), .integer(1)])
        #expect(index.entries(of: ["a": list, "b": .null]).count == 2)
        #expect(index.entries(of: ["a": list]).isEmpty)
        #expect(index.entries(of: ["a": .integer(1), "b": .null]).isEmpty)
        #expect(index.entries(of: ["a": .array([]), "b": .null]).isEmpty)
    }
}
