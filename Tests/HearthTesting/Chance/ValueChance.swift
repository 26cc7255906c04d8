package import HearthEngine
import HearthFirestore
package import HearthModel

/// Values by chance, few of each kind, so that equal values and neighbours meet often.
package struct ValueChance: Sendable {
    /// Where the chance comes from.
    package var random: SeededRandom
    /// The database of references.
    package let database: DatabaseID

    /// Starts from a seed.
    package init(seed: UInt64, database: DatabaseID) {
        random = SeededRandom(seed: seed)
        self.database = database
    }

    /// Whether something that happens once in `count` times happens.
    package mutating func once(in count: Int) -> Bool {
        Int.random(in: 0..<count, using: &random) == 0
    }

    /// A number below `count`.
    package mutating func number(below count: Int) -> Int {
        Int.random(in: 0..<count, using: &random)
    }

    /// One of several.
    package mutating func one<Element>(of elements: [Element]) -> Element {
        elements[Int.random(in: 0..<elements.count, using: &random)]
    }

    /// A value of any kind that a document can hold.
    ///
    /// - Parameter depth: How many more arrays and maps may lie inside.
    package mutating func value(depth: Int = 2) -> Value {
        switch number(below: depth > 0 ? 16 : 12) {
        case 0: return .null
        case 1: return .boolean(once(in: 2))
        case 2, 3, 4: return .integer(one(of: Self.integers))
        case 5, 6: return .double(one(of: Self.doubles))
        case 7: return .timestamp(one(of: Self.times))
        case 8, 9: return .string(one(of: Self.texts))
        case 10: return .bytes(one(of: [[], [0], [0, 255], [255], [1]]))
        case 11:
            return once(in: 2)
                ? .reference(reference())
                : .geoPoint(
                    GeoPoint(
                        latitude: one(of: [-90, -0.0, 0, 1.5]), longitude: one(of: [-180, 0, 7])))
        case 12, 13:
            return .array((0..<number(below: 4)).map { _ in element(depth: depth - 1) })
        case 14:
            return .vector((0..<number(below: 4)).map { _ in one(of: Self.doubles) })
        default:
            return .map(map(of: ["x", "y", "\u{e9}"], depth: depth - 1))
        }
    }

    /// A value that an array can hold: no array.
    package mutating func element(depth: Int) -> Value {
        let value = value(depth: depth)
        return value.arrayElements == nil ? value : .map(["list": value])
    }

    /// Some of these fields with values.
    package mutating func map(of names: [String], depth: Int) -> MapValue {
        MapValue(names.compactMap { once(in: 4) ? nil : ($0, value(depth: depth)) })
    }

    /// The name of a document, of this database or another.
    package mutating func reference() -> DocumentName {
        let other = DatabaseID(project: "another")
        return DocumentName(
            database: once(in: 5) ? other : database,
            path: ResourcePath(["c", one(of: Self.ids)]))
    }

    /// Ids of documents, in the order of keys: numbers come first, by their size.
    package static let ids: [PathSegment] = [
        "__id-9__", "__id7__", "__id10__", "1", "10", "2", "A", "__i", "a", "a b", "aa", "b",
        "e\u{301}", "z", "\u{e9}", "\u{1F525}",
    ]

    static let integers: [Int64] = [
        .min, .min + 1, -(1 << 53) - 1, -(1 << 53), -2, -1, 0, 0, 1, 1, 2, 3, 255, 256, 1 << 53,
        (1 << 53) + 1, (1 << 62) + 1, .max - 1, .max,
    ]
    static let doubles: [Double] = [
        .nan, -.infinity, -0x1p63, -0x1p53, -1.5, -1, -0.0, 0, 0.5, 1, 1, 1.5, 2, 256, 0x1p53,
        0x1p62, 0x1p63, 1e300, .infinity, .leastNonzeroMagnitude,
    ]
    static let times = [
        Timestamp(seconds: -62_135_596_800, nanoseconds: 0),
        Timestamp(seconds: -1, nanoseconds: 999_999_000), Timestamp(seconds: 0, nanoseconds: 0),
        Timestamp(seconds: 0, nanoseconds: 1_000),
        Timestamp(seconds: 1_700_000_000, nanoseconds: 0),
    ]
    static let texts = [
        "", "\0", "a", "a\0", "a\u{1}", "ab", "b", "e\u{301}", "\u{e9}", "\u{ffff}", "\u{1F525}",
        "1",
    ]
}
