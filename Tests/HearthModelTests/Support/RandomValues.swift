import HearthModel
import HearthTestSupport

/// Makes values in which equal and nearly equal ones are common.
extension SeededGenerator {
    private static let numbers: [Double] = [
        .nan, -.infinity, -0x1p63, -1.5, -1, -0.0, 0, .leastNonzeroMagnitude, 1, 1.5, 0x1p53,
        0x1p53 + 2, 0x1p63,
        .infinity,
    ]
    private static let integers: [Int64] = [
        .min, .min + 1, -1, 0, 1, 2, 1 << 53, (1 << 53) + 1, .max - 1, .max,
    ]
    private static let texts = [
        "", "\0", "a", "a\0", "aa", "b", "e\u{301}", "\u{E9}", "\u{FFFD}", "\u{10000}", "z",
    ]
    private static let names = [
        "c/a", "c/a!", "c/a/d/e", "c/b", "c/__id7__", "c/__id10__", "c/10", "c!/a",
    ]

    /// Any value; maps and arrays nest up to `depth`.
    mutating func value(depth: Int = 2) -> Value {
        switch Int.random(in: 0..<(depth > 0 ? 14 : 10), using: &self) {
        case 0: .null
        case 1: .boolean(.random(using: &self))
        case 2: .integer(pick(Self.integers))
        case 3: .double(pick(Self.numbers))
        case 4: .timestamp(time())
        case 5: .serverTimestamp(PendingServerTimestamp(localWriteTime: time(), previousValue: nil))
        case 6: .string(pick(Self.texts))
        case 7: .bytes(Array(pick(Self.texts).utf8.map { $0 &+ 0x70 }))
        case 8: reference(pick(Self.names), project: pick(["demo", "alpha"]))
        case 9:
            .geoPoint(GeoPoint(latitude: pick([-0.0, 0, 1]), longitude: pick([-0.0, 0, 1])))
        case 10: .array(values(depth: depth))
        case 11: .vector((0..<Int.random(in: 0...2, using: &self)).map { _ in pick([-0.0, 0, 1]) })
        default: .map(map(depth: depth))
        }
    }

    private mutating func time() -> Timestamp {
        Timestamp(seconds: pick([-1, 0, 1]), nanoseconds: pick([0, 1_000, 999_999_999]))
    }

    private mutating func values(depth: Int) -> [Value] {
        (0..<Int.random(in: 0...2, using: &self)).map { _ in value(depth: depth - 1) }
    }

    private mutating func map(depth: Int) -> MapValue {
        let names = (0..<Int.random(in: 0...3, using: &self)).map { _ in
            pick(["a", "b", "e\u{301}", "\u{E9}"])
        }
        return MapValue(names.map { ($0, value(depth: depth - 1)) })
    }
}
