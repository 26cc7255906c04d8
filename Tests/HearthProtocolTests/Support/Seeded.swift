import HearthModel
import HearthProtocol
import HearthTestSupport

/// Chance that can be repeated, with what codecs are tested by.
struct Seeded: RandomNumberGenerator {
    private var generator: SeededGenerator

    init(_ seed: UInt64) {
        generator = SeededGenerator(seed: seed)
    }

    mutating func next() -> UInt64 { generator.next() }

    mutating func int(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }

    mutating func flag() -> Bool { Bool.random(using: &self) }

    mutating func pick<T>(_ choices: [T]) -> T { choices[int(0...choices.count - 1)] }

    mutating func many<T>(_ range: ClosedRange<Int>, _ make: (inout Seeded) -> T) -> [T] {
        (0..<int(range)).map { _ in make(&self) }
    }

    mutating func maybe<T>(_ make: (inout Seeded) -> T) -> T? { flag() ? make(&self) : nil }
}

/// Random values of the model, of every kind, with the edges more often than chance would.
extension Seeded {
    mutating func text() -> String {
        pick(["", "a", "é", "e\u{301}", "日本", "🔥", "\u{0}", "__id7__", "a.b", "`\\`"])
            + String(int(0...99))
    }

    mutating func segment() -> PathSegment {
        pick(["rooms", "hall", "__id7__", "é", "e\u{301}", "x"])
    }

    mutating func key() -> DocumentKey {
        let path = ResourcePath(many(1...3) { [$0.segment(), $0.segment()] }.flatMap { $0 })
        guard let key = DocumentKey(path) else { preconditionFailure("\(path) is odd") }
        return key
    }

    mutating func field() -> FieldPath {
        FieldPath(many(1...3) { $0.pick(["a", "b_1", "c d", "1x", "é", "`", "\\", "."]) })
    }

    mutating func timestamp() -> Timestamp {
        Timestamp(
            seconds: pick([0, -1, 1_700_000_000, Timestamp.secondsRange.lowerBound]),
            nanoseconds: pick([0, 1, 999_999_999, 123_456_000]))
    }

    mutating func version() -> SnapshotVersion {
        SnapshotVersion(Timestamp(seconds: Int64(int(1...9_999)), nanoseconds: 5))
    }

    mutating func number() -> Value {
        flag()
            ? .integer(pick([0, -1, .min, .max, 9_007_199_254_740_993]))
            : .double(pick([0.0, -0.0, 1.5, .infinity, -.infinity, .nan]))
    }

    mutating func value(depth: Int = 0, pending: Bool = false) -> Value {
        switch int(0...(depth < 4 ? 11 : 8)) {
        case 0: .null
        case 1: .boolean(flag())
        case 2, 3: number()
        case 4: .timestamp(timestamp())
        case 5: .string(text())
        case 6: .bytes(many(0...5) { UInt8.random(in: 0...255, using: &$0) })
        case 7:
            .reference(
                DocumentName(
                    database: flag() ? Samples.database : DatabaseID(project: "q", database: "d"),
                    key: key()))
        case 8: .geoPoint(GeoPoint(latitude: pick([-90, 0, 48.5]), longitude: pick([-180, -0.0])))
        case 9 where pending:
            .serverTimestamp(
                PendingServerTimestamp(
                    localWriteTime: timestamp(),
                    previousValue: maybe { $0.value(depth: depth + 1) }))
        case 9, 10: .array(many(0...3) { $0.value(depth: depth + 1, pending: pending) })
        default: .map(fields(depth: depth + 1, pending: pending))
        }
    }

    mutating func fields(depth: Int = 0, pending: Bool = false) -> MapValue {
        MapValue(many(0...4) { ($0.text(), $0.value(depth: depth, pending: pending)) })
    }
}

/// What several tests share.
enum Samples {
    static let database = DatabaseID(project: "p")
    static let wire = FirestoreCodec(database: database)
    static let local = FirestoreCodec(database: database, mode: .local)

    static func key(_ path: String) throws -> DocumentKey { try DocumentKey(parsing: path) }

    static func version(_ seconds: Int64, _ nanoseconds: Int32 = 0) -> SnapshotVersion {
        SnapshotVersion(Timestamp(seconds: seconds, nanoseconds: nanoseconds))
    }

    /// Reads hexadecimal digits; anything else ends the run.
    static func bytes(hex: String) -> [UInt8] {
        let digits = Array(hex.utf8)
        return stride(from: 0, to: digits.count - 1, by: 2).map { index in
            guard
                let byte = UInt8(
                    String(decoding: digits[index...index + 1], as: UTF8.self), radix: 16)
            else { preconditionFailure("\(hex) is not hexadecimal") }
            return byte
        }
    }
}
