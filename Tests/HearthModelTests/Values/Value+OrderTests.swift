import HearthModel
import HearthTestSupport
import Testing

struct ValueOrderTests {
    @Test func `types are ordered as Firestore orders them`() {
        let pending = PendingServerTimestamp(
            localWriteTime: Timestamp(seconds: -9, nanoseconds: 0), previousValue: nil)
        expectAscending([
            .null, .boolean(false), .boolean(true), .double(.nan), .double(-.infinity),
            .integer(0), .double(.infinity), .timestamp(Timestamp(seconds: 0, nanoseconds: 0)),
            .timestamp(Timestamp(seconds: 253_402_300_799, nanoseconds: 0)),
            .serverTimestamp(pending), .string(""), .string("\u{10FFFF}"), .bytes([]),
            .bytes([0xFF]), reference("a/b"), .geoPoint(GeoPoint(latitude: -90, longitude: 0)),
            .array([]), .array([map([:])]), .vector([]), .vector([1]), map([:]), map(["a": .null]),
        ])
    }

    @Test func `integers and doubles are compared exactly around 2^53`() {
        let limit: Int64 = 1 << 53
        expectAscending([
            .integer(-limit - 1), .double(-0x1p53), .integer(-limit + 1), .integer(limit - 1),
            .double(0x1p53), .integer(limit + 1), .double(0x1p53 + 2), .integer(limit + 3),
        ])
        expectTied([.integer(limit), .double(0x1p53)])
        expectTied([.integer(-limit), .double(-0x1p53)])
    }

    @Test func `integers and doubles are compared exactly around 2^63`() {
        expectAscending([
            .double(-.infinity), .double((-0x1p63).nextDown), .integer(.min), .integer(.min + 1),
            .double((-0x1p63).nextUp), .integer(0), .double((0x1p63 as Double).nextDown),
            .integer(.max - 1), .integer(.max), .double(0x1p63), .double(.infinity),
        ])
        expectTied([.integer(.min), .double(-0x1p63)])
    }

    @Test func `fractions lie between integers`() {
        expectAscending([
            .integer(-2), .double(-1.5), .integer(-1), .double(-0.5),
            .double(-.leastNonzeroMagnitude), .integer(0),
            .double(.leastNonzeroMagnitude), .double(0.5), .integer(1), .double(1.5), .integer(2),
        ])
    }

    @Test func `zeros are tied, and NaN with itself`() {
        expectTied([.integer(0), .double(0), .double(-0.0)])
        expectTied([.double(.nan), .double(-.nan), .double(.signalingNaN)])
    }

    @Test func `strings are ordered by UTF-8 bytes`() {
        expectAscending(
            ["", "\0", "a", "a\0", "aa", "b", "e\u{301}", "f", "\u{E9}", "\u{E000}", "\u{10000}"]
                .map { .string($0) })
    }

    @Test func `bytes are unsigned`() {
        expectAscending([[], [0], [0, 0], [0x7F], [0x80], [0xFF], [0xFF, 0]].map { .bytes($0) })
    }

    @Test func `pending timestamps are ordered by write time`() {
        expectAscending(
            [-1, 0, 1].map {
                .serverTimestamp(
                    PendingServerTimestamp(
                        localWriteTime: Timestamp(seconds: $0, nanoseconds: 0),
                        previousValue: .integer(-$0)))
            })
    }

    @Test func `points are ordered by latitude, then longitude`() {
        expectAscending(
            [(-90, 180), (0, -180), (0, 1), (0.5, -1), (90, 0)].map {
                .geoPoint(GeoPoint(latitude: $0, longitude: $1))
            })
        expectTied([
            .geoPoint(GeoPoint(latitude: 0, longitude: -0.0)),
            .geoPoint(GeoPoint(latitude: -0.0, longitude: 0)),
        ])
    }

    @Test func `arrays are ordered element by element, then by length`() {
        expectAscending([
            .array([]), .array([.null]), .array([.integer(1)]),
            .array([.double(1), .integer(0)]), .array([.integer(1), .integer(2)]),
            .array([.integer(2)]), .array([.string("a")]), .array([map([:])]),
        ])
        expectTied([.array([.integer(1), .double(-0.0)]), .array([.double(1), .integer(0)])])
    }

    @Test func `vectors are ordered by length first`() {
        expectAscending([
            .vector([]), .vector([9]), .vector([0, 5]), .vector([1, -1]), .vector([0, 0, 0]),
            map([:]),
        ])
    }

    @Test func `only a map of exactly type and value is a vector`() {
        let type = Value.string("__vector__")
        let notVectors: [MapValue] = [
            ["__type__": type], ["__type__": type, "value": .null],
            ["__type__": .string("other"), "value": .array([])],
            ["__type__": type, "value": .array([]), "x": .null],
            ["__type__": type, "x": .array([])],
        ]
        for fields in notVectors {
            #expect(Value.map(fields).typeOrder == .map)
        }
        #expect(Value.vector([]).typeOrder == .vector)
    }

    @Test func `maps are ordered by key and value pairwise, then by size`() {
        expectAscending([
            map([:]), map(["A": .integer(9)]), map(["a": .null]), map(["a": .integer(1)]),
            map(["a": .integer(1), "b": .integer(0)]), map(["a": .integer(2)]),
            map(["a": .string("x")]), map(["a": map(["b": .integer(1)])]), map(["aa": .null]),
            map(["b": .null]), map(["e\u{301}": .null]), map(["\u{E9}": .null]),
        ])
        expectTied([map(["a": .integer(1)]), map(["a": .double(1)])])
    }

    @Test func `equal means tied and hashed alike, for any values`() {
        var random = SeededGenerator(seed: 1)
        let values = (0..<150).map { _ in random.value() }
        for left in values {
            for right in values where left == right {
                #expect(left.compare(to: right) == 0)
                #expect(hash(left) == hash(right))
            }
        }
    }

    @Test(arguments: 0..<4)
    func `the order is total, for any values`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let values = (0..<60).map { _ in random.value() }
        let orders = values.map { left in values.map { sign(left.compare(to: $0)) } }
        for left in values.indices {
            #expect(orders[left][left] == 0)
            for middle in values.indices {
                #expect(orders[left][middle] == -orders[middle][left])
                for right in values.indices
                where orders[left][middle] <= 0 && orders[middle][right] <= 0 {
                    // Zero only if both were: a tie must be a tie with the same neighbours.
                    let expected = min(orders[left][middle], orders[middle][right])
                    guard orders[left][right] != expected else { continue }
                    Issue.record("\(values[left]) \(values[middle]) \(values[right])")
                }
            }
        }
    }
}

/// Expects that each value comes before all that follow, in both directions.
private func expectAscending(_ values: [Value]) {
    for (index, left) in values.enumerated() {
        #expect(left.compare(to: left) == 0, "\(left)")
        for right in values[(index + 1)...] {
            #expect(left.compare(to: right) < 0, "\(left) < \(right)")
            #expect(right.compare(to: left) > 0, "\(right) > \(left)")
        }
    }
}

/// Expects that the order sees no difference, and strict equality does.
private func expectTied(_ values: [Value]) {
    for left in values {
        for right in values {
            #expect(left.compare(to: right) == 0, "\(left) \(right)")
            #expect(left.isEquivalent(to: right))
        }
    }
}
