import HearthTestSupport
import Testing

@testable import HearthModel

/// Sorts by ranks: the order that comparisons of whole positions give.
struct SortRankTests {
    private static let pieces = [
        "", "a", "b", "Z", "\0", "é", "\u{D7FF}", "\u{E000}", "\u{FFFD}", "\u{FFFF}", "😀",
        "\u{10FFFF}", "1234567", "12345678", "the same beginning",
    ]
    private static let doubles = [
        -0.0, 0.0, 0.1, -0.1, 9.99, 9.99.nextUp, -9.99, -9.99.nextDown, 5e-324, -5e-324,
        0x1p63, -0x1p63, .greatestFiniteMagnitude, .infinity, -.infinity,
    ]

    private struct Chance {
        var random: SeededGenerator

        private mutating func near(_ number: Int64) -> Int64 {
            let step = Int64.random(in: 0..<1_500, using: &random)
            return number > 0 ? number - step : number + step
        }

        private mutating func number() -> LeafValue {
            let large: [Int64] = [.max, .min, 1 << 53 + 9, -1 << 53 - 9, 1 << 60, 5]
            let whole = near(large[Int.random(in: 0..<large.count, using: &random)])
            switch Int.random(in: 0..<4, using: &random) {
            case 0: return .integer(whole)
            case 1: return .double(Double(whole))
            case 2: return .integer(Int64.random(in: -2...2, using: &random))
            default:
                let count = SortRankTests.doubles.count
                return .double(SortRankTests.doubles[Int.random(in: 0..<count, using: &random)])
            }
        }

        private mutating func text() -> String {
            let count = SortRankTests.pieces.count
            return (0..<Int.random(in: 0..<5, using: &random)).map { _ in
                SortRankTests.pieces[Int.random(in: 0..<count, using: &random)]
            }.joined()
        }

        mutating func value() -> SortValue {
            switch Int.random(in: 0..<12, using: &random) {
            case 0: .absent
            case 1: .children
            case 2: .leaf(.bool(Bool.random(using: &random)))
            case 3...7: .leaf(number())
            default: .leaf(.string(text()))
            }
        }
    }

    /// Positions of these values, in the order of their keys.
    private static func positions(_ values: [SortValue]) -> [IndexPosition] {
        values.enumerated().map { number, value in
            IndexPosition(value: value, key: .key(ChildKey(unchecked: "k\(10_000 + number)")))
        }
    }

    private static func isSortedRightly(_ values: [SortValue]) -> Bool {
        let positions = positions(values)
        return RankedPositions(positions).sorted.map(\.key) == positions.sorted().map(\.key)
    }

    @Test(arguments: 0..<40)
    func `ranks sort random values of every kind as comparisons do`(seed: UInt64) {
        var chance = Chance(random: SeededGenerator(seed: seed))
        let values = (0..<Int(seed) * 10).map { _ in chance.value() }
        #expect(Self.isSortedRightly(values))
    }

    @Test(arguments: 0..<20)
    func `of two values, the lower rank comes first, and equal ranks tell what they hide`(
        seed: UInt64
    ) {
        var chance = Chance(random: SeededGenerator(seed: seed))
        for _ in 0..<500 {
            let (left, right) = (chance.value(), chance.value())
            let (first, second) = (SortRank(left), SortRank(right))
            if first < second { #expect(left < right) }
            if first == second, !first.hidesMore { #expect(left == right) }
        }
    }

    @Test func `strings that begin alike are sorted, however long they are alike`() {
        let long = String(repeating: "x", count: 70)
        let texts = (0..<300).map { long.prefix($0 % 71) + ["", "a", "z", "\0"][$0 % 4] }
        #expect(Self.isSortedRightly(texts.map { .leaf(.string(String($0))) }))
    }

    @Test func `numbers that differ in their last digits alone are sorted`() {
        var (values, double): ([SortValue], Double) = ([], 9.99)
        for number in 0..<100 as Range<Int64> {
            values.append(.leaf(.double(double)))
            values.append(.leaf(.integer(.max - number)))
            values.append(.leaf(.integer(.min + number)))
            double = double.nextDown
        }
        #expect(Self.isSortedRightly(values))
    }

    @Test func `a node of equal values keeps the order of keys`() {
        for value: LeafValue in [true, 7, .double(0.1), "short", "as long as the others are"] {
            let keys = (0..<500).map { ChildKey(unchecked: "\($0)") }
            let node = Node(children: keys.map { ($0, Node(value)) })
            #expect(IndexedNode(node, by: .value).keys(at: 0..<500) == keys)
        }
    }
}
